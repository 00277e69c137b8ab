"""Tables of figures as HTML: numbers under one another, names on the left, wide ones scrolled sideways."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

__all__ = ["data", "figure", "line", "show"]

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
    written = [
        # A head without words is none: a screen reader would announce an empty one.
        f"<{kind}{' class=name' if place < names else ''}>{cell}</{kind}>"
        for place, (cell, kind) in enumerate((cell, tag if cell else "td") for cell in cells)
    ]
    return f"<tr{' class=quiet' if quiet else ''}>{''.join(written)}</tr>"


def data(text: str) -> str:
    """What a cell has from somebody's table, such as a name of a class: "D" is no number of random features there."""
    return f'<span class="kl-data">{escape(text)}</span>'


def show(lines: Sequence[str], key: str, *, main: bool = False) -> None:
    """Put the rows on the page.

    Args:
        lines: the rows.
        key: identity on the page.
        main: it is what the page is for, so it stays while the page is presented.
    """
    classes = "figures kl-picture" if main else "figures"
    with st.container(key=key):
        st.html(f'{_STYLE}<div class="{classes}" tabindex="0"><table>{"".join(lines)}</table></div>')


def figure(mean: float | None, std: float | None, places: int) -> str:
    """mean ± std with that many decimals; a dash for None."""
    if mean is None:
        return "–"
    return f"{mean:.{places}f}" + (f" ± {std:.{places}f}" if std is not None else "")
