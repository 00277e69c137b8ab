"""Where to search: a range for every option that is worth tuning, found by the option's key.

A method's space consists of the options of its parts that have a range here, so that a new method needs no line. What
a rule sets automatically (frequency scale, learning rate, epochs) is searched around the value of the rule. A number
that RANGES does not name, but whose scale is logarithmic, is searched from 1/30 to 30 times its value; sizes and
tolerances are not.

Before a search covers the whole space it makes ADJUSTMENTS: changes that helped in experiments, the most promising
first, the same for classes and for real targets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kernlab.feature_maps import ExactKernel
from kernlab.methods import MethodSpec
from kernlab.objectives import OBJECTIVES
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.typing import Task

__all__ = ["ADJUSTMENTS", "RANGES", "Adjustment", "Range", "adjusted", "method_space", "space_of", "with_aliased"]


@dataclass(frozen=True)
class Range:
    """The values of one option that a search tries.

    Attributes:
        low, high: both ends, included.
        log: spread evenly over orders of magnitude.
        whole: whole numbers.
        relative: ``low`` and ``high`` are factors of the value in force.
        grid: the values that a paper searched.
        start: the value in force; None until it is known.
    """

    low: float
    high: float
    log: bool = True
    whole: bool = False
    relative: bool = False
    grid: tuple[float, ...] = ()
    start: float | None = None

    def around(self, value: float, option: Option) -> Range:
        """The range in the option's own unit, inside its limits, and wide enough for ``value``."""
        factor = value if self.relative else 1.0
        low, high = min(self.low * factor, value), max(self.high * factor, value)
        if option.minimum is not None:
            low = max(low, option.minimum)
        if option.maximum is not None:
            high = min(high, option.maximum)
        if self.whole:
            low, high = max(1, round(low)), max(1, round(high))
        start = round(value) if self.whole else value
        return replace(self, low=low, high=high, relative=False, start=start)

    def at(self, share: float) -> float:
        """The value at ``share`` (0 … 1) of the way from ``low`` to ``high``."""
        way = self.low * (self.high / self.low) ** share if self.log else self.low + (self.high - self.low) * share
        return self.tidy(way)

    def tidy(self, value: float) -> float:
        """A whole number where one is asked for, else three digits, never outside the range."""
        found: float = round(value) if self.whole else float(f"{value:.3g}")
        return min(max(found, self.low), self.high)

    def points(self, number: int = 7) -> tuple[float, ...]:
        """The paper's values, or ``number`` evenly spread ones."""
        return self.grid or tuple(dict.fromkeys(self.at(i / (number - 1)) for i in range(number)))


_LAMBDAS = tuple(10.0**k for k in range(-10, 0))  # ASKL §"Experiments"
_SIGMAS = tuple(2.0**k for k in range(-10, 11))  # ASKL §"Experiments"
_WEIGHTS = tuple(2.0**k for k in range(-7, 10, 2))  # FKS §5
_GAUSSIANS = tuple((2 * 2.0**k) ** 0.5 for k in range(-9, 4))  # FKS §5: γ of exp(−γ‖Δ‖²) from 2⁻⁹ to 2³, σ² = 2γ

#: Ranges by option key.
RANGES: Mapping[str, Range] = {
    "frequency_scale": Range(1 / 4, 4, relative=True, grid=_SIGMAS),
    "hidden_scale": Range(1 / 4, 4, relative=True),
    "learning_rate": Range(1 / 5, 5, relative=True),
    "epochs": Range(1 / 3, 3, relative=True, whole=True),
    # Measured: below 1e-2 the trace norm and λ₂ hardly matter where Adam stops early.
    **{name: Range(*each.searched, grid=_LAMBDAS) for name, each in REGULARIZERS.items() if each.searched},
    "ridge": Range(1e-3, 1e3, relative=True, grid=_LAMBDAS),
    "rho": Range(1e-2, 1e4, relative=True),
    "radius": Range(1 / 10, 20, relative=True),
    "C": Range(1e-1, 1e3, grid=_WEIGHTS),
    "epsilon": Range(1e-2, 0.5),
    "nu_svr": Range(0.1, 0.9, log=False),
    "degree": Range(1, 10, log=False, whole=True, grid=tuple(range(1, 11))),
    "p": Range(1.05, 4),
    "g": Range(1e-8, 1e-2, grid=_WEIGHTS),
    "gamma": Range(1, 3, log=False),
    "order": Range(5, 60, whole=True),
}
_OTHERS = Range(1 / 30, 30, relative=True)

#: When an option has an effect, given the method's options and the task.
_WHEN: Mapping[str, Callable[[Mapping[str, Any], Task], bool]] = {
    "frequency_scale": lambda options, task: options.get("kernel") != "polynomial",
    "degree": lambda options, task: options.get("kernel") == "polynomial",
    "epochs": lambda options, task: options.get("schedule") != "plateau",  # a plateau ends the run by itself
    "gamma": lambda options, task: options.get("algorithm") != "lasso",  # the lasso is γ = 1
    "epsilon": lambda options, task: task == "regression",
    "b": lambda options, task: False,  # it only multiplies g
}


@dataclass(frozen=True)
class Adjustment:
    """A change of settings that is likely to help.

    Attributes:
        values: what options are set to.
        factors: what options are multiplied by; such an adjustment may be repeated as long as it helps.
        full_length: only a training at full length can judge it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    factors: Mapping[str, float] = field(default_factory=dict)
    full_length: bool = False


#: Chosen on splits with seeds from 100, two to four each: normal scores beside the inputs lowered the RMSE of space_ga,
#: cadata and cpusmall by 4, 6 and 8 %, frequencies of the Laplacian kernel that of cadata and space_ga by another 2 %.
#: For classes nothing helped with certainty on clean data: cross-entropy by 0.2 points on segment, within the spread of
#: the splits. On noisy data of either task shorter trainings help most.
ADJUSTMENTS = (
    Adjustment({"objective": "cross_entropy"}),
    Adjustment({"scaling": "normal-scores"}),
    Adjustment({"density": "laplacian"}),
    Adjustment(factors={"frequency_scale": 2}),
    Adjustment(factors={"epochs": 0.4}, full_length=True),
    Adjustment(factors={"batch_size": 2}),
    Adjustment(factors={"C": 10}),
    Adjustment(factors={"frequency_scale": 0.5}),
)

#: What an option must be for an adjustment to replace it by another value.
_USUAL: Mapping[str, Any] = {"scaling": "standardize", "objective": "hinge", "density": "gaussian"}


def adjusted(
    adjustment: Adjustment, current: Mapping[str, Any], task: Task, fixed: Collection[str] = ()
) -> dict[str, Any] | None:
    """What an adjustment sets; None where it does not apply.

    Args:
        adjustment: the adjustment.
        current: every option in force by its key, numbers where they are automatic.
        task: of the data.
        fixed: keys that stay as they are.
    """
    values, factors = adjustment.values, adjustment.factors
    keys = {*values, *factors}
    if not keys <= current.keys() or keys & set(fixed):
        return None
    if "objective" in values and task not in OBJECTIVES[values["objective"]].tasks:
        return None
    if any(current[key] != _USUAL[key] for key in values):
        return None
    if any(key in _WHEN and not _WHEN[key](current, task) for key in factors):
        return None
    found = dict(values)
    for key, factor in factors.items():
        value = current[key] * factor
        found[key] = max(1, round(value)) if isinstance(current[key], int) else float(f"{value:.4g}")
    return found


def with_aliased(fixed: Collection[str], parts: Iterable[Component]) -> set[str]:
    """The keys, and those that the aliases among them stand for."""
    return {*fixed, *(part.aliases[key][0] for part in parts for key in fixed if key in part.aliases)}


def method_space(method: MethodSpec, task: Task, fixed: Collection[str] = ()) -> dict[str, Range]:
    """What is searched for a method.

    Args:
        method: every "auto" resolved (:func:`kernlab.training.rules.resolve`).
        task: options of the other task are left out.
        fixed: keys (or their aliases) that the user has set and that stay as they are.
    """
    fixed = with_aliased(fixed, method.parts)
    found: dict[str, Range] = {}
    for part in (method.feature_map, method.objective, method.solver, method.head):
        if part is not None:
            found = space_of(part, fixed) | found
    if isinstance(method.feature_map, ExactKernel) and "frequency_scale" in found:
        found["frequency_scale"] = replace(found["frequency_scale"], grid=_GAUSSIANS)
    for penalty in method.regularizers:
        if penalty.weight > 0 and penalty.name not in fixed:
            weight = options_of(type(penalty))["weight"]
            found[penalty.name] = RANGES.get(penalty.name, _OTHERS).around(penalty.weight, weight)
    options = method.options()
    return {key: each for key, each in found.items() if key not in _WHEN or _WHEN[key](options, task)}


def space_of(part: Component, fixed: Collection[str] = (), ranges: Mapping[str, Range] = RANGES) -> dict[str, Range]:
    """What is searched for one component: its options that have a range, are numbers and are not ``fixed``."""
    found = {}
    for key, opt in options_of(type(part)).items():
        value = getattr(part, key)
        natural = _OTHERS if opt.type == "float" and opt.log and not opt.advanced else None
        known = ranges.get(key, natural)
        if known is None or key in fixed or opt.type not in ("int", "float"):
            continue
        if value == "auto" and not known.relative:  # chosen on held-out rows, where the search does not choose it
            value = (known.low * known.high) ** 0.5
        if isinstance(value, int | float) and (value > 0 or not known.log):
            around = known.around(float(value), opt)
            if around.low < around.high:
                found[key] = around
    return found
