"""A method is a composition of parts, and refuses parts that do not go together.

    representation × learned? × objective × regularizers × solver × heads

    representation   a feature map, or an exact kernel
    solver           how parameters are found: by gradients, from full batches, or not at all ("assigned")
    heads            predict from the representation; the first is the model's, the others are reported beside it

A :class:`MethodSpec` is frozen and round-trips through JSON. It is at once the configuration of a run, the schema of
the form on the page, the ``--set`` keys of the command line and the content of a link.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kernlab.errors import CompositionError, OptionError, UnknownNameError
from kernlab.feature_maps import EXACT_KERNELS, FEATURE_MAPS, ExactKernel, FeatureMap, NonStationary, Representation
from kernlab.heads import HEADS, DualHead, Head, Joint
from kernlab.objectives import OBJECTIVES, MapObjective, Objective
from kernlab.options import Component, Option, flatten, options_of
from kernlab.registry import Registry
from kernlab.regularizers import REGULARIZERS, Regularizer
from kernlab.solvers import SOLVERS, Assigned, FullBatchSolver, ProximalGradient, Solver
from kernlab.typing import Task

__all__ = ["METHODS", "REPRESENTATIONS", "MethodSpec"]

#: Every feature map and every exact kernel.
REPRESENTATIONS: Registry[type[Representation]] = Registry("feature map or exact kernel")
for _registry in (FEATURE_MAPS, EXACT_KERNELS):
    for _name, _cls in _registry.items():
        REPRESENTATIONS.add(_name, _cls)

#: The parts that an option of the same name chooses, with their registries.
SLOTS: dict[str, Registry[Any]] = {
    "feature_map": REPRESENTATIONS,
    "objective": OBJECTIVES,
    "solver": SOLVERS,
    "head": HEADS,
}

#: The options that decide which other options a method has, in the order of a form.
CHOICES = ("feature_map", "learned", *list(SLOTS)[1:])


@dataclass(frozen=True)
class MethodSpec:
    """A method as its parts.

    Attributes:
        name: the named method it started as, "Custom" for one composed freely.
        feature_map: how inputs become features, or the exact kernel.
        learned: whether the map's parameters are learned or stay as they were drawn.
        objective: the loss, or a criterion of features by themselves; None: the solver's own, or by the task
            (hinge for classes, squared for real targets).
        regularizers: the penalties.
        solver: how the parameters are found.
        heads: they predict; the first is the model's own, the others are reported beside it.
        title, source: its title and where it comes from (named methods only).
        family: its group in a form (named methods only); empty: "Others".
        scaling: the meaning of the data's scaling "auto" (named methods only); empty: the map's own.
        look: colour, dash and marker on every picture (named methods only), as :mod:`kernlab.pictures.theme` reads
            them; empty: those of another method.
    """

    name: str = "Custom"
    feature_map: Representation = field(default_factory=NonStationary)
    learned: bool = True
    objective: Objective | None = None
    regularizers: tuple[Regularizer, ...] = ()
    solver: Solver = field(default_factory=ProximalGradient)
    heads: tuple[Head, ...] = (Joint(),)
    title: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    family: str = field(default="", compare=False)
    scaling: str = field(default="", compare=False)
    look: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for what, parts in (("regularizer", self.regularizers), ("head", self.heads)):
            kinds = [part.name for part in parts]
            if len(set(kinds)) < len(kinds):
                raise CompositionError(f"each {what} may stand once", ", ".join(kinds), "drop the double one")
        if not self.heads:
            raise CompositionError("a method needs a head that predicts", "none", f"take one of {', '.join(HEADS)}")
        ordered = sorted(self.regularizers, key=lambda r: list(REGULARIZERS).index(r.name))
        object.__setattr__(self, "regularizers", tuple(ordered))  # so that equal methods compare equal
        self._share_options()

    def _share_options(self) -> None:
        """Give an option of two parts the first part's value in both."""
        values = flatten(part for part in (self.feature_map, self.objective) if part is not None)
        agreed = []
        for part in (self.solver, *self.heads):
            other = {k: values[k] for k, v in part.options().items() if values.get(k, v) != v}
            other = {k: v for k, v in other.items() if _fits(type(part), k, v)}
            agreed.append(part.replace(**other) if other else part)
            values = {**agreed[-1].options(), **values}
        object.__setattr__(self, "solver", agreed[0])
        object.__setattr__(self, "heads", tuple(agreed[1:]))

    @property
    def head(self) -> Head:
        """The head that predicts."""
        return self.heads[0]

    @property
    def two_stage(self) -> bool:
        """Whether the map is learned by itself and every head is fitted afterwards."""
        return self.head.stage != "joint"

    @property
    def bound(self) -> str:
        """The name of its bound in BOUNDS; empty: none."""
        return self.feature_map.bound or self.head.bound

    @property
    def input_scaling(self) -> str:
        """The meaning of the data's scaling "auto" for it; empty: the data's own rule."""
        return self.scaling or self.feature_map.scaling

    @property
    def parts(self) -> tuple[Component, ...]:
        """The components with options of their own; a regularizer's only option is its weight."""
        every = (self.feature_map, self.objective, self.solver, *self.heads)
        return tuple(part for part in every if part is not None)

    def schema(self) -> dict[str, Option]:
        """Every option by its flat key: the choice of each part, then the part's own options."""
        kinds = {
            "feature_map": Option("feature_map", "choice", self.feature_map.name,
                                  "How inputs become features, or the exact kernel.", choices=tuple(REPRESENTATIONS)),
            "learned": Option("learned", "bool", self.learned, "Learn the map's parameters, or leave them as drawn."),
            "objective": Option("objective", "choice", "auto", "What is minimised; auto: the solver's own, or hinge "
                                "for classes and squared for targets.", choices=("auto", *OBJECTIVES)),
            "solver": Option("solver", "choice", self.solver.name, "How the parameters are found.",
                             choices=tuple(SOLVERS)),
            "head": Option("head", "choice", self.head.name, "What predicts from the features.", choices=tuple(HEADS)),
        }  # fmt: skip
        penalties = {
            name: options_of(cls)["weight"]._replace(key=name, help=f"Weight of the penalty: {cls.title}.")
            for name, cls in REGULARIZERS.items()
        }
        own = {key: opt for part in self.parts for key, opt in options_of(type(part)).items()}
        return {**kinds, **own, **penalties}

    def options(self) -> dict[str, Any]:
        """The value of every option by its flat key."""
        return {
            "feature_map": self.feature_map.name,
            "learned": self.learned,
            "objective": self.objective.name if self.objective else "auto",
            "solver": self.solver.name,
            "head": self.head.name,
            **flatten(self.parts),
            **dict.fromkeys(REGULARIZERS, 0.0),
            **{r.name: r.weight for r in self.regularizers},
        }

    def with_options(self, changes: Mapping[str, Any]) -> MethodSpec:
        """A copy with options changed by their flat keys, as in ``--set``, forms and links.

        A regularizer's key adds it with this weight; 0 drops it. A new part keeps the options that it shares with the
        old one. An option of two parts is one option.

        Raises:
            UnknownNameError: no such option (the nearest names are offered).
            OptionError: a value outside its range or of the wrong type.
        """
        left = dict(changes)
        spec = self
        for slot in SLOTS:
            if slot in left:
                spec = spec._switched(slot, left.pop(slot))
        if "learned" in left:
            spec = replace(spec, learned=_boolean("learned", left.pop("learned")))
        weights = {r.name: r for r in spec.regularizers}
        for name in [key for key in left if key in REGULARIZERS]:
            penalty = _penalty(name, left.pop(name))
            weights.pop(name, None)
            if penalty.weight > 0:
                weights[name] = penalty
        spec = replace(spec, regularizers=tuple(weights.values()))
        own = {key for part in spec.parts for key in options_of(type(part))}  # these precede another part's alias
        changed = {
            "feature_map": _changed(spec.feature_map, left, own),
            "objective": spec.objective and _changed(spec.objective, left, own),
            "solver": _changed(spec.solver, left, own),
            "heads": tuple(_changed(head, left, own) for head in spec.heads),
        }
        spec = replace(spec, **changed)
        left = {k: v for k, v in left.items() if not any(_takes(part, k, own) for part in spec.parts)}
        if left:
            raise UnknownNameError.among(f"option of {spec.name}", next(iter(left)), spec.keys())
        return spec

    def switched(self, changes: Mapping[str, Any]) -> MethodSpec:
        """A copy with the parts (SLOTS) that ``changes`` chooses; its other entries are not read."""
        return self.with_options({slot: changes[slot] for slot in SLOTS if slot in changes})

    def keys(self) -> list[str]:
        """The keys that :meth:`with_options` accepts for the present parts: those of the schema, and their aliases."""
        return [*self.schema(), *(alias for part in self.parts for alias in part.aliases)]

    def _switched(self, slot: str, name: Any) -> MethodSpec:
        """With another part. A head that was reported beside the first one is exchanged with it."""
        if slot != "head":
            change: dict[str, Any] = {slot: _switch(getattr(self, slot), slot, name)}
            return replace(self, **change)
        heads = {head.name: head for head in self.heads}
        if name in heads:
            return replace(self, heads=(heads.pop(name), *heads.values()))
        first = _switch(self.head, "head", name)
        rest = [] if first.stage != "features" else [head for head in self.heads[1:] if head.stage == "features"]
        return replace(self, heads=(first, *rest))

    def changed_options(self) -> dict[str, Any]:
        """The options that differ from the named method's own; a link or a command contains them."""
        start = METHODS[self.name] if self.name in METHODS else MethodSpec()
        options, before = self.options(), start.options()
        chosen = {slot: options[slot] for slot in SLOTS if options[slot] != before[slot]}
        # A new part has defaults of its own, also for an option that the old one had too.
        switched = start.switched(chosen).options()
        return {key: value for key, value in options.items() if key in chosen or switched[key] != value}

    def check(self, task: Task) -> None:
        """Refuse parts that make no mathematical sense together, or for this task.

        Raises:
            CompositionError: with the reason.
        """
        chosen: tuple[Objective | Solver | Head | None, ...] = (self.objective, self.solver, *self.heads)
        for part in chosen:
            if part is not None and task not in part.tasks:
                kind = "objective" if isinstance(part, Objective) else "head" if isinstance(part, Head) else "solver"
                raise CompositionError(
                    f"the {part.title.lower()} {kind} is for {' or '.join(part.tasks)}",
                    f"a {task} data set",
                    f"set {kind}={_other(kind, part, task)}",
                )
        self._check_learning()
        self._check_heads()

    def _check_learning(self) -> None:
        """Representation, objective, penalties and solver fit together."""
        solver, what = self.solver, self.feature_map
        if isinstance(solver, FullBatchSolver):
            if solver.learns and what.solved != solver.learns:
                fitting = [name for name, cls in REPRESENTATIONS.items() if cls.solved == solver.learns]
                raise CompositionError(
                    f"the solver {solver.name} learns {' or '.join(fitting)}",
                    f"feature_map={what.name}",
                    f"set feature_map={fitting[0]}, or another solver",
                )
            if self.learned != bool(solver.learns):
                does = "learns the representation" if solver.learns else "leaves everything as it was drawn"
                raise CompositionError(
                    f"the solver {solver.name} {does}",
                    f"learned={str(self.learned).lower()}",
                    f"set learned={str(bool(solver.learns)).lower()}, or another solver",
                )
            if self.objective and self.objective.name not in solver.objectives:
                raise CompositionError(
                    f"the solver {solver.name} has an objective of its own", f"objective={self.objective.name}",
                    "set objective=auto",
                )  # fmt: skip
            if self.regularizers:
                raise CompositionError(
                    f"the solver {solver.name} has a penalty of its own and takes no other",
                    ", ".join(r.name for r in self.regularizers),
                    f"set {self.regularizers[0].name}=0",
                )
            return
        if not isinstance(what, FeatureMap):
            raise CompositionError(
                "gradients learn the parameters of a feature map", f"the exact kernel {what.name}",
                "set solver=assigned, or choose a feature map",
            )  # fmt: skip
        if self.learned and not what.trainable:
            raise CompositionError(
                f"the map {what.name} has nothing that a gradient could learn", "learned=true",
                f"set learned=false{_learners(what)}",
            )  # fmt: skip
        if not self.learned and self.two_stage:
            raise CompositionError(
                f"the head {self.head.name} is fitted to features that nothing changes",
                f"solver={solver.name} with learned=false",
                "set solver=assigned, learned=true, or head=joint",
            )
        on_map = [r.name for r in self.regularizers if r.on_map]
        on_weights = [r.name for r in self.regularizers if not r.on_map]
        if on_map and not self.learned:
            raise CompositionError(
                "a penalty on the features or on the map's parameters only acts where the feature map is learned",
                f"{on_map[0]} with learned=false",
                f"set learned=true or {on_map[0]}=0",
            )
        if isinstance(self.objective, MapObjective):
            if not self.learned:
                raise CompositionError(
                    f"the objective {self.objective.name} learns the feature map", "learned=false",
                    "set learned=true, or solver=assigned with objective=auto",
                )  # fmt: skip
            if on_weights:
                raise CompositionError(
                    f"the objective {self.objective.name} learns the map without weights",
                    f"{on_weights[0]}, a penalty on the weights",
                    f"set {on_weights[0]}=0; the head has a penalty of its own",
                )

    def _check_heads(self) -> None:
        """Representation and solver provide what each head needs."""
        exact = isinstance(self.feature_map, ExactKernel)
        for head in self.heads:
            if head.stage == "joint" and not self.gives_weights:
                why = "only learns the map" if self.learned else "finds no weights"
                raise CompositionError(
                    f"the head {head.name} predicts with weights that the solver finds",
                    f"solver={self.solver.name}"
                    + (f" with objective={self.objective.name}" if self.objective else "") + f", which {why}",
                    f"set head={'kernel_ridge' if exact else 'ridge'}",
                )  # fmt: skip
            if exact != isinstance(head, DualHead) and head.stage == "joint":
                raise CompositionError(
                    f"the head {head.name} works on {'an exact kernel' if not exact else 'features'}",
                    f"feature_map={self.feature_map.name}",
                    f"set head={'expansion' if exact else 'joint'}",
                )
            if head.stage == "kernel" and not exact:
                raise CompositionError(
                    f"the head {head.name} works on an exact kernel", f"the feature map {self.feature_map.name}",
                    "set head=ridge, linear_svm or logistic, or choose an exact kernel",
                )  # fmt: skip
            if head.stage == "features" and exact:
                raise CompositionError(
                    f"the head {head.name} works on features", f"the exact kernel {self.feature_map.name}",
                    "set head=kernel_ridge or svc, or choose a feature map",
                )  # fmt: skip

    @property
    def gives_weights(self) -> bool:
        """Whether the solver finds the weights of the head "joint"."""
        if isinstance(self.solver, FullBatchSolver):
            return self.solver.gives_weights
        return not isinstance(self.objective, MapObjective)

    @property
    def assigned(self) -> MethodSpec:
        """The same map, as it is drawn."""
        return replace(self, learned=False, solver=Assigned())

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; ``from_dict`` gives back an equal spec."""
        return {
            "name": self.name,
            "feature_map": self.feature_map.to_dict(),
            "learned": self.learned,
            "objective": self.objective.to_dict() if self.objective else None,
            "regularizers": [r.to_dict() for r in self.regularizers],
            "solver": self.solver.to_dict(),
            "heads": [head.to_dict() for head in self.heads],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MethodSpec:
        """The spec that ``to_dict`` wrote; parts that are missing are those of the named method.

        Raises:
            UnknownNameError: parts are missing, and the name is not that of a method.
            KernlabError: a part of it is unknown or invalid.
        """
        if not isinstance(values, Mapping):
            raise OptionError("a method must be written as {'name': name, part: {...}, ...}", repr(values))
        parts = [f.name for f in fields(cls) if f.compare]
        if unknown := set(values) - set(parts):
            raise UnknownNameError.among("part of a method", min(unknown), parts)
        name, whole = values.get("name", cls.name), set(parts) <= set(values)
        # A complete method may have any name: a person has composed and named it.
        own = name == cls.name or (whole and isinstance(name, str) and name not in METHODS)
        spec = cls() if own else METHODS[name]
        objective = values.get("objective", spec.objective and spec.objective.to_dict())
        regularizers = values.get("regularizers", [r.to_dict() for r in spec.regularizers])
        if not isinstance(regularizers, list | tuple):
            raise OptionError("regularizers must be a list", repr(regularizers))
        heads = values.get("heads", [head.to_dict() for head in spec.heads])
        if not isinstance(heads, list | tuple):
            raise OptionError("heads must be a list", repr(heads))
        return replace(
            spec,
            name=str(name),
            feature_map=_part("feature_map", values.get("feature_map", spec.feature_map.to_dict())),
            learned=_boolean("learned", values.get("learned", spec.learned)),
            objective=_part("objective", objective) if objective else None,
            regularizers=tuple(_from_kind(REGULARIZERS, r) for r in regularizers),
            solver=_part("solver", values.get("solver", spec.solver.to_dict())),
            heads=tuple(_part("head", head) for head in heads),
        )


def _part(slot: str, values: Any) -> Any:
    return _from_kind(SLOTS[slot], values)


def _from_kind(registry: Registry[Any], values: Any) -> Any:
    if not isinstance(values, Mapping) or "kind" not in values:
        raise OptionError(f"a {registry.kind} must be written as {{'kind': name, option: value, ...}}", repr(values))
    return registry[values["kind"]].from_dict(values)


def _switch(part: Component | None, slot: str, name: Any) -> Any:
    """Another part in the slot, with the options that it shares with the old one."""
    if slot == "objective" and name in (None, "auto"):
        return None
    cls: type[Component] = SLOTS[slot][name]
    if part is None or isinstance(part, cls):
        return part or cls.build()
    shared = {k: v for k, v in part.options().items() if k in options_of(cls) and _fits(cls, k, v)}
    return cls.build(**shared)


def _fits(cls: type[Component], key: str, value: Any) -> bool:
    """Whether an option of another part is valid here: two parts may use one word for different things."""
    try:
        cls.build(**{key: value})
    except OptionError:
        return False
    return True


def _takes(part: Component, key: str, own: Collection[str]) -> bool:
    """Whether the key is the part's option, or an alias that is no part's option (γ: of a frame, a Gaussian)."""
    return key in options_of(type(part)) or (key in part.aliases and key not in own)


def _changed(part: Any, changes: Mapping[str, Any], own: Collection[str]) -> Any:
    """The part with the changes of its own options."""
    values = {key: value for key, value in changes.items() if _takes(part, key, own)}
    if not values:
        return part
    # An alias (gamma) stands for the option it sets, so the option's old value must not be passed beside it.
    replaced = {part.aliases[k][0] for k in values if k in part.aliases}
    kept = {k: v for k, v in part.options().items() if k not in replaced or k in values}
    return part.build(**{**kept, **values})


def _other(kind: str, part: Component, task: Task) -> str:
    """Names of parts of that kind for the task, as advice."""
    if kind == "objective":
        return "auto"
    stage = getattr(part, "stage", "")
    same = [name for name, cls in SLOTS[kind].items() if task in cls.tasks and getattr(cls, "stage", "") == stage]
    return " or ".join(same) or "another"


def _learners(what: Representation) -> str:
    names = [name for name, cls in SOLVERS.items() if what.solved and what.solved == cls.learns]
    return f", or solver={' or '.join(names)}" if names else ""


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


#: Filled in :mod:`kernlab.methods.named`.
METHODS: Registry[MethodSpec] = Registry("method")
