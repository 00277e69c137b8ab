"""Tables of figures as HTML: numbers under one another, names on the left, wide ones scrolled sideways."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

__all__ = ["figure", "line", "show"]

_STYLE = """<style>
.figures { overflow-x: auto; margin-bottom: 0.5rem; }
.figures table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.figures th { font-weight: 500; opacity: 0.75; text-align: right; }
.figures th, .figures td { padding: 0.3rem 0.7rem; white-space: nowrap; text-align: right;
  border-bottom: 1px solid color-mix(in srgb, currentColor 16%, transparent); }
.figures th.name, .figures td.name { text-align: left; }
.figures .quiet { opacity: 0.65; }
.figures u { text-underline-offset: 0.2em; }
</style>"""


def line(cells: Sequence[str], *, tag: str = "td", quiet: bool = False, names: int = 1) -> str:
    """A row of cells, which are HTML; the first ``names`` of them are words."""
    written = (f"<{tag}{' class=name' if place < names else ''}>{cell}</{tag}>" for place, cell in enumerate(cells))
    return f"<tr{' class=quiet' if quiet else ''}>{''.join(written)}</tr>"


def show(lines: Sequence[str], key: str) -> None:
    """Put the rows on the page."""
    with st.container(key=key):
        st.html(f'{_STYLE}<div class="figures" tabindex="0"><table>{"".join(lines)}</table></div>')


def figure(mean: float | None, std: float | None, places: int) -> str:
    """mean ± std with that many decimals; a dash where there is none."""
    if mean is None:
        return "–"
    return f"{mean:.{places}f}" + (f" ± {std:.{places}f}" if std is not None else "")
