"""Options that change while a method is trained: the learning rate, and the weights λ of its penalties.

    Change(500, "trace_norm", 0.01)        the first 500 steps have the weight of the method, those after them 0.01

A change is a part of a run's configuration, so that a run with changes can be repeated like any other. Its step counts
through the whole run. A changed learning rate is the factor η that the schedule multiplies: at the middle of a cosine
a rate of 0.1 is one of 0.05, and a plateau that has divided by ten goes on from there.

Where validation rows choose how long to train, the chosen epochs are repeated on all rows, and with them the changes
that were made while choosing, each at its epoch (an epoch on all rows has more steps). A change that was made during
the repetition concerns the repetition alone.

Comparisons and estimators know methods, not runs: they have no changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kernlab.errors import CompositionError, KernlabError, OptionError, UnknownNameError
from kernlab.methods.composition import MethodSpec
from kernlab.options import Option
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import ProximalGradient

__all__ = ["Change", "changed", "in_force", "may_change"]

_RATE = "learning_rate"


@dataclass(frozen=True)
class Change:
    """From one step on an option has another value.

    Attributes:
        step: steps that are taken before; 0: the change precedes the first step.
        option: "learning_rate", or the name of a penalty, whose weight λ it is.
        value: its value in all later steps.

    Raises:
        OptionError: the step or the value is no number that makes sense.
    """

    step: int
    option: str
    value: float

    def __post_init__(self) -> None:
        if not isinstance(self.step, int) or isinstance(self.step, bool) or not 0 <= self.step < 2**63:
            raise OptionError("the step of a change must be a whole number of at least 0", repr(self.step))
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise OptionError(f"a change of {self.option} must be to a number", repr(self.value))
        object.__setattr__(self, "value", float(self.value))

    @classmethod
    def read(cls, text: str) -> Change:
        """The change that ``STEP:OPTION=VALUE`` stands for.

        Raises:
            OptionError: it stands for none.
        """
        step, _, rest = text.partition(":")
        option, _, value = rest.partition("=")
        try:
            return cls(int(step), option.strip(), float(value))
        except ValueError as error:
            if isinstance(error, OptionError):
                raise
            example = "write for example 500:trace_norm=0.01"
            raise OptionError("a change must be STEP:OPTION=VALUE", repr(text), example) from None

    @classmethod
    def of(cls, values: Any) -> Change:
        """The change that JSON, or a tuple in Python, has as [step, option, value].

        Raises:
            OptionError: it has another shape.
        """
        if isinstance(values, cls):
            return values
        if not isinstance(values, list | tuple) or len(values) != 3 or not isinstance(values[1], str):
            raise OptionError("a change must be written as [step, option, value]", repr(values))
        return cls(*values)

    def __str__(self) -> str:
        return f"{self.step}:{self.option}={self.value:.12g}"


def may_change(method: MethodSpec) -> dict[str, Option]:
    """The options of a method that may change while it is trained, by name."""
    if not isinstance(method.solver, ProximalGradient):
        return {}
    schema = method.schema()
    rate = schema[_RATE]._replace(choices=())  # a rule reads the data once, before the first step
    return {_RATE: rate, **{name: schema[name] for name in REGULARIZERS if _fits(method, name)}}


def _fits(method: MethodSpec, penalty: str) -> bool:
    """Whether the method has this penalty, or could have it."""
    try:
        return bool(any(r.name == penalty for r in method.regularizers) or method.with_options({penalty: 1.0}))
    except KernlabError:
        return False


def check(method: MethodSpec, change: Change) -> None:
    """Refuse a change that this method cannot have.

    Raises:
        KernlabError: with the reason.
    """
    options = may_change(method)
    if not options:
        raise CompositionError(
            "only what is learned from mini-batches can be changed while it is learned",
            f"{change.option} of a method with the solver {method.solver.name}",
            "start a run with another value",
        )
    if change.option not in options:
        if change.option in method.options():
            raise OptionError(
                f"what can be changed while {method.name} trains is {' or '.join(options)}",
                change.option,
                "start a run with another value",
            )
        raise UnknownNameError.among(f"an option of {method.name}", change.option, options)
    method.with_options({change.option: change.value})  # refuses a value outside its range


def in_force(changes: Iterable[Change], step: int) -> dict[str, float]:
    """The changed options of the step after so many steps, and their values."""
    return {each.option: each.value for each in sorted(changes, key=lambda each: each.step) if each.step <= step}


def changed(method: MethodSpec, values: Mapping[str, float]) -> MethodSpec:
    """The method with other values of the options of :func:`may_change`.

    Penalties of the map are left out where the map is assigned: the same changes are for a learned map and the assigned
    one beside it.
    """
    solver = method.solver
    if _RATE in values:
        solver = solver.replace(learning_rate=values[_RATE])
    penalties = {r.name: r.replace(weight=values.get(r.name, r.weight)) for r in method.regularizers}
    for name in REGULARIZERS.keys() & values.keys() - penalties.keys():
        added = REGULARIZERS[name](weight=values[name])
        if added.weight and (method.learned or not added.on_map):
            penalties[name] = added
    return replace(method, solver=solver, regularizers=tuple(penalties.values()))
