"""How a kernel looks wherever it stands beside itself at other moments, or beside the exact one."""

from __future__ import annotations

from kernlab.plots.theme import BLUE, GREEN, ORANGE, PURPLE, Style

__all__ = ["MOMENTS", "moment_style"]

#: By the word that says which kernel it is.
MOMENTS: dict[str, Style] = {
    "now": Style(BLUE, "solid", "circle"),
    "before training": Style(ORANGE, "dot", "diamond-open"),
    "then": Style(GREEN, "dashdot", "square-open"),
    "exact": Style(PURPLE, "dash", "cross-thin-open"),
}


def moment_style(name: str) -> Style:
    """Look of a kernel by its first words: "then, epoch 3" looks as "then"; others as "now"."""
    return next((style for words, style in MOMENTS.items() if name.startswith(words)), MOMENTS["now"])
