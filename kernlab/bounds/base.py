"""A bound is shown as its terms: each with a name, a formula, a source and a sentence in plain words."""

from __future__ import annotations

from typing import NamedTuple

from kernlab.registry import Registry

__all__ = ["BOUNDS", "Bound", "Term"]


class Term(NamedTuple):
    """One term of a bound, in words. Its values over training are the metric ``bound/<key>``.

    Attributes:
        key: name in metrics and JSON.
        title: short name for legends.
        formula: LaTeX.
        sentence: what it says, in plain words.
        source: where it comes from.
    """

    key: str
    title: str
    formula: str
    sentence: str
    source: str


class Bound(NamedTuple):
    """A bound as its terms, in the order they are shown."""

    name: str
    title: str
    formula: str
    source: str
    terms: tuple[Term, ...]


BOUNDS: Registry[Bound] = Registry("bound")
