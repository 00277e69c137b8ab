"""Every named method is one literal composition: feature map × learned? × objective × regularizers × solver.

    method   feature map      learned   regularizers
    SK       stationary       –         ‖W‖_F²
    NSK      non-stationary   –         ‖W‖_F²
    SKL      stationary       Ω         ‖W‖_F²
    NSKL     non-stationary   Ω, Ω'     ‖W‖_F²
    ASKL     non-stationary   Ω, Ω'     ‖W‖_*, ‖φ(X)‖_F²/n

A :class:`MethodSpec` is frozen and round-trips through JSON. It is at once the configuration of a run,
the schema of the form on the page, the ``--set`` keys of the command line and the content of a link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kernlab.errors import CompositionError, OptionError, UnknownNameError
from kernlab.feature_maps import FEATURE_MAPS, FeatureMap, NonStationary, Stationary
from kernlab.objectives import OBJECTIVES, Objective
from kernlab.options import Component, Option, flatten, options_of
from kernlab.registry import Registry
from kernlab.regularizers import REGULARIZERS, FeatureNorm, Frobenius, Regularizer, TraceNorm
from kernlab.solvers import SOLVERS, ProximalGradient, Solver
from kernlab.typing import Task

__all__ = ["METHODS", "MethodSpec", "method"]

SLOTS: dict[str, Registry[Any]] = {"feature_map": FEATURE_MAPS, "objective": OBJECTIVES, "solver": SOLVERS}


@dataclass(frozen=True)
class MethodSpec:
    """A method as its parts.

    Attributes:
        name: the named method it started as, "Custom" for one composed freely.
        feature_map: how inputs become features.
        learned: whether the map's parameters are learned or stay as they were drawn.
        objective: the loss; None: by the task (hinge for classes, squared for real targets).
        regularizers: the penalties.
        solver: how the parameters are found.
        title, source: what it is called and where it comes from (named methods only).
    """

    name: str = "Custom"
    feature_map: FeatureMap = field(default_factory=NonStationary)
    learned: bool = True
    objective: Objective | None = None
    regularizers: tuple[Regularizer, ...] = ()
    solver: Solver = field(default_factory=ProximalGradient)
    title: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        kinds = [r.name for r in self.regularizers]
        if len(set(kinds)) < len(kinds):
            raise CompositionError("each regularizer may stand once", ", ".join(kinds), "drop the double one")
        ordered = sorted(self.regularizers, key=lambda r: list(REGULARIZERS).index(r.name))
        object.__setattr__(self, "regularizers", tuple(ordered))  # so that equal methods compare equal

    # -- options ----------------------------------------------------------------------------------------------

    @property
    def parts(self) -> tuple[Component, ...]:
        """The components with options of their own, regularizers aside (their one option is their weight)."""
        return tuple(part for part in (self.feature_map, self.objective, self.solver) if part is not None)

    def schema(self) -> dict[str, Option]:
        """Every option by its flat key: the choice of each part, then the part's own options."""
        kinds = {
            "feature_map": Option("feature_map", "choice", self.feature_map.name, "How inputs become features.",
                                  choices=tuple(FEATURE_MAPS)),
            "learned": Option("learned", "bool", self.learned, "Learn the map's parameters, or leave them as drawn."),
            "objective": Option("objective", "choice", "auto", "Loss; auto: hinge for classes, squared for targets.",
                                choices=("auto", *OBJECTIVES)),
        }  # fmt: skip
        penalties = {
            name: options_of(cls)["weight"]._replace(key=name, help=f"Weight of the penalty: {cls.title}.")
            for name, cls in REGULARIZERS.items()
        }
        own = {key: opt for part in self.parts for key, opt in options_of(type(part)).items()}
        return {**kinds, **own, **penalties}

    def options(self) -> dict[str, Any]:
        """The value of every option by its flat key."""
        values: dict[str, Any] = {
            "feature_map": self.feature_map.name,
            "learned": self.learned,
            "objective": self.objective.name if self.objective else "auto",
        }
        return (
            values
            | flatten(self.parts)
            | dict.fromkeys(REGULARIZERS, 0.0)
            | {r.name: r.weight for r in self.regularizers}
        )

    def with_options(self, changes: Mapping[str, Any]) -> MethodSpec:
        """A copy with options changed by their flat keys, as ``--set``, forms and links give them.

        Setting a regularizer's key to a weight adds it; to 0 drops it. Changing ``feature_map`` or
        ``objective`` keeps the options that the old part and the new one share.

        Raises:
            UnknownNameError: no such option (the nearest names are offered).
            OptionError: a value outside its range or of the wrong type.
        """
        left = dict(changes)
        spec = self
        for slot in ("feature_map", "objective"):
            if slot in left:
                spec = spec._with_part(slot, _switch(getattr(spec, slot), slot, left.pop(slot)))
        if "learned" in left:
            spec = replace(spec, learned=_boolean("learned", left.pop("learned")))
        weights = {r.name: r for r in spec.regularizers}
        for name in [key for key in left if key in REGULARIZERS]:
            penalty = _penalty(name, left.pop(name))
            weights.pop(name, None)
            if penalty.weight > 0:
                weights[name] = penalty
        spec = replace(spec, regularizers=tuple(weights.values()))
        for slot in ("feature_map", "objective", "solver"):
            part = getattr(spec, slot)
            if part is None:
                continue
            mine = {k: left.pop(k) for k in list(left) if k in {*options_of(type(part)), *part.aliases}}
            if mine:
                spec = spec._with_part(slot, _changed(part, mine))
        if left:
            aliases = {alias for part in spec.parts for alias in part.aliases}
            raise UnknownNameError.among(f"option of {spec.name}", next(iter(left)), [*spec.schema(), *aliases])
        return spec

    def _with_part(self, slot: str, part: Any) -> MethodSpec:
        change: dict[str, Any] = {slot: part}
        return replace(self, **change)

    def changed_options(self) -> dict[str, Any]:
        """The options that differ from the named method's own: what a link or a command has to say."""
        start = METHODS[self.name] if self.name in METHODS else MethodSpec()
        before = start.options()
        return {key: value for key, value in self.options().items() if before.get(key) != value}

    # -- sense ------------------------------------------------------------------------------------------------

    def check(self, task: Task) -> None:
        """Refuse parts that make no mathematical sense together, or for this task.

        Raises:
            CompositionError: with the reason.
        """
        if self.objective and task not in self.objective.tasks:
            raise CompositionError(
                f"the {self.objective.title.lower()} objective is for {' or '.join(self.objective.tasks)}",
                f"a {task} data set",
                "set objective=auto",
            )
        features_fixed = [r.name for r in self.regularizers if r.acts == "feature gradient"]
        if features_fixed and not self.learned:
            raise CompositionError(
                "a penalty on the features only acts where the feature map is learned",
                f"{features_fixed[0]} with learned=false",
                f"set learned=true or {features_fixed[0]}=0",
            )

    # -- JSON -------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; ``from_dict`` gives back an equal spec."""
        return {
            "name": self.name,
            "feature_map": self.feature_map.to_dict(),
            "learned": self.learned,
            "objective": self.objective.to_dict() if self.objective else None,
            "regularizers": [r.to_dict() for r in self.regularizers],
            "solver": self.solver.to_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MethodSpec:
        """The spec that ``to_dict`` wrote.

        Raises:
            KernlabError: something in it is not what it must be.
        """
        if not isinstance(values, Mapping):
            raise OptionError("a method must be written as {'name': name, part: {...}, ...}", repr(values))
        unknown = set(values) - {f.name for f in fields(cls)}
        if unknown:
            raise UnknownNameError.among("part of a method", min(unknown), [f.name for f in fields(cls)])
        spec = METHODS[values["name"]] if values.get("name") in METHODS else cls()
        objective = values.get("objective", spec.objective and spec.objective.to_dict())
        regularizers = values.get("regularizers", [r.to_dict() for r in spec.regularizers])
        if not isinstance(regularizers, list | tuple):
            raise OptionError("regularizers must be a list", repr(regularizers))
        return replace(
            spec,
            name=str(values.get("name", spec.name)),
            feature_map=_part("feature_map", values.get("feature_map", spec.feature_map.to_dict())),
            learned=_boolean("learned", values.get("learned", spec.learned)),
            objective=_part("objective", objective) if objective else None,
            regularizers=tuple(_from_kind(REGULARIZERS, r) for r in regularizers),
            solver=_part("solver", values.get("solver", spec.solver.to_dict())),
        )


def _part(slot: str, values: Any) -> Any:
    return _from_kind(SLOTS[slot], values)


def _from_kind(registry: Registry[Any], values: Any) -> Any:
    if not isinstance(values, Mapping) or "kind" not in values:
        raise OptionError(f"a {registry.kind} must be written as {{'kind': name, option: value, ...}}", repr(values))
    return registry[values["kind"]].build(**{k: v for k, v in values.items() if k != "kind"})


def _switch(part: Component | None, slot: str, name: Any) -> Component | None:
    """Another part in the slot, with the options that the old one shares."""
    if slot == "objective" and name in (None, "auto"):
        return None
    cls: type[Component] = SLOTS[slot][name]
    if part is None or isinstance(part, cls):
        return part or cls.build()
    shared = {k: v for k, v in part.options().items() if k in options_of(cls)}
    return cls.build(**shared)


def _changed(part: Component, values: Mapping[str, Any]) -> Component:
    # An alias (gamma) stands for the option it sets, so the option's old value must not be passed beside it.
    replaced = {part.aliases[k][0] for k in values if k in part.aliases}
    kept = {k: v for k, v in part.options().items() if k not in replaced or k in values}
    return part.build(**{**kept, **values})


def _penalty(name: str, weight: Any) -> Regularizer:
    try:
        return REGULARIZERS[name].build(weight=weight)
    except OptionError as error:
        raise OptionError(error.must.replace("weight", name, 1), error.given, error.fix) from None


def _boolean(key: str, value: Any) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() in words:
        return words[str(value).lower()]
    raise OptionError(f"{key} must be true or false", repr(value))


METHODS: Registry[MethodSpec] = Registry("method")


def method(name: str, **options: Any) -> MethodSpec:
    """The named method with some options changed: ``method("ASKL", n_features=500)``.

    Raises:
        UnknownNameError: no such method or option.
        OptionError: a bad value.
    """
    return METHODS[name].with_options(options)


for _spec in (
    MethodSpec(
        "SK", Stationary(), learned=False, regularizers=(Frobenius(),),
        title="Stationary kernel, assigned density", source="ASKL Table 1; Rahimi & Recht 2007",
    ),
    MethodSpec(
        "NSK", NonStationary(), learned=False, regularizers=(Frobenius(),),
        title="Non-stationary kernel, assigned density", source="ASKL Table 1; Samo & Roberts 2015",
    ),
    MethodSpec(
        "SKL", Stationary(), learned=True, regularizers=(Frobenius(),),
        title="Stationary kernel, learned density", source="ASKL Table 1; Huang et al. 2014",
    ),
    MethodSpec(
        "NSKL", NonStationary(), learned=True, regularizers=(Frobenius(),),
        title="Non-stationary kernel, learned density", source="ASKL Table 1",
    ),
    MethodSpec(
        "ASKL", NonStationary(), learned=True, regularizers=(TraceNorm(), FeatureNorm()),
        title="Automated spectral kernel learning", source="ASKL eq. 4–9",
    ),
):  # fmt: skip
    METHODS.add(_spec.name, _spec)
