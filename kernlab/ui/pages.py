"""The pages of the dashboard, in the order of the navigation. A new page is one file in pages/ and one line here."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAGES", "Page"]


class Page(NamedTuple):
    """One page: pages/``name``.py at the address ``/name`` (the first one at ``/``)."""

    name: str
    title: str
    icon: str


PAGES = (
    Page("home", "Home", ":material/home:"),
    Page("train", "Train", ":material/play_circle:"),
    Page("runs", "Runs", ":material/database:"),
)
