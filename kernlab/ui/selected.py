"""What is selected in the pictures of a page: rows, frequencies, classes and inputs, as the page's address has them."""

from __future__ import annotations

from collections.abc import Mapping

from kernlab.pictures.base import SELECTED, At, places
from kernlab.ui import elements
from kernlab.ui.view import VIEW

__all__ = ["selection"]


def selection(at: At) -> None:
    """Show it, and keep it in the view when it has rested.

    Args:
        at: the run that the address names first; other runs on the page share what is selected if their data are the
            same.
    """
    names = {"class": at.class_names, "input": [str(name) for name in at.facts.get("feature_names") or ()]}
    texts = {kind: str(VIEW[switch]) for kind, switch in SELECTED.items() if VIEW[switch]}
    elements.selection(at.data, texts, names, _rested)


def _rested(found: Mapping[str, str]) -> None:
    values = {switch: str(found.get(kind, "")) for kind, switch in SELECTED.items()}
    if set(places(values["points"])) - set(places(VIEW["points"])):
        values["around"] = ""  # x₀ is again the row that was selected last
    VIEW.change(**values)
