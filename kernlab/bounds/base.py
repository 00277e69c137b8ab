"""A bound as its terms: each with a name, a formula, a source and a sentence that explains it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kernlab.registry import Registry

__all__ = ["BOUNDS", "DELTA", "Bound", "Estimate", "Term"]

DELTA = 0.05  # bounds hold with probability 1 − δ


class Term(NamedTuple):
    """One term of a bound. Its values over training are the metric ``bound/<key>``.

    Attributes:
        key: name in metrics and JSON.
        title: short name for legends.
        formula: LaTeX.
        sentence: its meaning.
        source: where it comes from.
    """

    key: str
    title: str
    formula: str
    sentence: str
    source: str


class Estimate(NamedTuple):
    """The bound once more, with one stacked term estimated in another way: scale · factor · of.

    Attributes:
        title: short name of this bar.
        key: name of the estimated term.
        of: the term it is computed from.
        factor: a term it is multiplied by.
        scale: a number it is multiplied by.
        replaces: the stacked term whose place it takes.
        error: the term with the standard error of ``of``, or empty.
    """

    title: str
    key: str
    of: str
    factor: str
    scale: float
    replaces: str
    error: str = ""


class Bound(NamedTuple):
    """A bound as its terms, in the order they are shown, and how they are put into pictures.

    Attributes:
        name, title, formula, source: as of any part.
        terms: all of them.
        stack: keys of the terms that add up to ``total``, drawn as one stacked bar.
        beside: keys drawn as bars of their own, to be compared with the total.
        over_time: keys drawn as curves over training, in legend order.
        short: names of some of these curves, for a legend that has to leave room for the plot.
        total: key of the sum of the stack.
        measured: key of what the bound is about, drawn as the strongest curve.
        estimates: other readings of the same bound, each a stacked bar instead of the one of ``stack``.
        unit: what bars and curves are measured in.
        trivial: key of the risk that needs no learning; a total that is not below it is vacuous.
    """

    name: str
    title: str
    formula: str
    source: str
    terms: tuple[Term, ...]
    stack: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    over_time: tuple[str, ...] = ()
    short: Mapping[str, str] = MappingProxyType({})
    total: str = "total"
    measured: str = "gap"
    estimates: tuple[Estimate, ...] = ()
    unit: str = "loss units"
    trivial: str = ""


BOUNDS: Registry[Bound] = Registry("bound")
