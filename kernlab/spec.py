"""One run's configuration: a method, data, a seed and a device.

    RunSpec = MethodSpec × DataSpec × seed × device × changes

It is frozen, round-trips through JSON, and prints the command line and the Python lines that repeat it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kernlab.data import SOURCES, DataSpec
from kernlab.errors import OptionError, UnknownNameError
from kernlab.methods import METHODS, SYMBOLS, MethodSpec
from kernlab.methods.changes import Change, check
from kernlab.options import Option, options_of

__all__ = ["RunSpec"]

_NAMED = 4  # changed options that the title of a run has
_DATA_KEYS = tuple(key for key in options_of(DataSpec) if key not in ("dataset", "source"))


@dataclass(frozen=True)
class RunSpec:
    """What to train, on what, from which seed, where.

    Attributes:
        method: the method and its options.
        data: the data set, its generator's options, split and scaling.
        seed: decides the split, the drawn frequencies and the order of the mini-batches.
        device: "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1", "mps".
        changes: of options while the method is trained, in the order of their steps; see
            :mod:`kernlab.methods.changes`.
    """

    method: MethodSpec = field(default_factory=lambda: METHODS["ASKL"])
    data: DataSpec = field(default_factory=DataSpec)
    seed: int = 0
    device: str = "auto"
    changes: tuple[Change, ...] = ()

    def __post_init__(self) -> None:
        changes = tuple(sorted(map(Change.of, self.changes), key=lambda each: each.step))
        object.__setattr__(self, "changes", changes)
        for each in changes:
            check(self.method, each)
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed < 2**31:
            raise OptionError("seed must be a whole number from 0 to 2147483647", repr(self.seed))

    @classmethod
    def of(
        cls,
        method: str,
        dataset: str,
        *,
        seed: int = 0,
        device: str = "auto",
        changes: Iterable[Change | tuple[int, str, float]] = (),
        **options: Any,
    ) -> RunSpec:
        """The named method ("Custom": a plain one to compose from) on the named data, with options by their flat keys.

        Args:
            method, dataset: their names.
            seed, device: as of the class.
            changes: of options while the method is trained, each as (step, option, value).
            options: by their flat keys.

        Raises:
            UnknownNameError: no such method or option; an unknown data set is refused when it is loaded.
            OptionError: a bad value.
        """
        start = MethodSpec() if method == MethodSpec.name else METHODS[method]
        spec = cls(start, DataSpec.build(dataset=dataset), seed, device).with_options(options)
        return replace(spec, changes=tuple(map(Change.of, changes)))

    def schema(self) -> dict[str, Option]:
        """Every option by its flat key: the method's, then the data's, then the generator's."""
        data = {key: opt for key, opt in options_of(DataSpec).items() if key in _DATA_KEYS}
        return {**self._source_schema(), **data, **self.method.schema()}

    def _source_schema(self) -> dict[str, Option]:
        return options_of(SOURCES[self.data.dataset]) if self.data.dataset in SOURCES else {}

    def with_options(self, changes: Mapping[str, Any]) -> RunSpec:
        """A copy with options changed by their flat keys, as in ``--set KEY=VALUE``.

        ``data.KEY`` is the generator's option KEY, also where the method has one of the same name.
        """
        source, data, method = dict(self.data.source), {}, {}
        generator = self._source_schema()
        settable = {*self.method.keys(), *self.method.switched(changes).keys()}
        for key, value in changes.items():
            bare = key.removeprefix("data.")
            if bare != key or (key in generator and key not in self.method.schema()):
                source[bare] = value
            elif key in _DATA_KEYS:
                data[key] = value
            elif key in settable:
                method[key] = value
            else:
                raise UnknownNameError.among(f"option of {self.method.name}", key, [*self.schema(), *settable])
        if source and self.data.dataset in SOURCES:
            built = SOURCES[self.data.dataset].build(**source)  # checks names and values
            source = {key: built.options()[key] for key in source}
        elif source:
            raise UnknownNameError.among(f"option of the data set {self.data.dataset}", next(iter(source)), _DATA_KEYS)
        return replace(self, method=self.method.with_options(method), data=self.data.replace(source=source, **data))

    def with_change(self, step: int, option: str, value: float) -> RunSpec:
        """A copy in which an option changes after so many steps; it replaces another change of it at the same step.

        Raises:
            KernlabError: the method has no such option, or the value makes no sense.
        """
        others = tuple(each for each in self.changes if (each.step, each.option) != (step, option))
        return replace(self, changes=(*others, Change(step, option, value)))

    def changed_options(self) -> dict[str, Any]:
        """The flat options that differ from the defaults; a command or a link contains them."""
        start = DataSpec()
        data = {k: getattr(self.data, k) for k in _DATA_KEYS if getattr(self.data, k) != getattr(start, k)}
        source = {f"data.{k}" if k in self.method.schema() else k: v for k, v in self.data.source.items()}
        return {**source, **data, **self.method.changed_options()}

    @property
    def title(self) -> str:
        """What a run is called: method, data set and the first changes, "ASKL on digits, D = 50, λ₁ = 0"."""
        changes = self.changed_options() | ({"seed": self.seed} if self.seed else {})
        words = [
            f"{SYMBOLS.get(key) or key.removeprefix('data.').replace('_', ' ')} = "
            + (f"{value:g}" if isinstance(value, float) else _text(value))
            for key, value in changes.items()
        ]
        words += [f"{SYMBOLS.get(c.option, c.option)} = {c.value:g} from step {c.step}" for c in self.changes]
        more = ["…"] * (len(words) > _NAMED)
        return ", ".join([f"{self.method.name} on {self.data.dataset}", *words[:_NAMED], *more])

    def command(self) -> str:
        """The command line that repeats this run."""
        words = ["kernlab", "train", "--method", self.method.name, "--dataset", self.data.dataset]
        words += ["--seed", str(self.seed)]
        if self.device != "auto":
            words += ["--device", self.device]
        for key, value in self.changed_options().items():
            words += ["--set", f"{key}={_text(value)}"]
        for change in self.changes:
            words += ["--at", str(change)]
        return shlex.join(words)

    def python(self) -> str:
        """Python lines that repeat this run."""
        options = "".join(f", {k}={v!r}" for k, v in self.changed_options().items() if "." not in k)
        dotted = {k: v for k, v in self.changed_options().items() if "." in k}
        device = "" if self.device == "auto" else f", device={self.device!r}"
        extra = f", **{dotted!r}" if dotted else ""
        changes = ", ".join(repr((each.step, each.option, each.value)) for each in self.changes)
        extra = (f", changes=[{changes}]" if changes else "") + extra
        call = f"RunSpec.of({self.method.name!r}, {self.data.dataset!r}, seed={self.seed}{device}{options}{extra})"
        return f"from kernlab import RunSpec, fit\n\nresult = fit({call})\nprint(result.summary)"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; ``from_dict`` gives back an equal spec."""
        data = self.data.options()
        whole = {"method": self.method.to_dict(), "data": data, "seed": self.seed, "device": self.device}
        changes = [[each.step, each.option, each.value] for each in self.changes]
        return whole | ({"changes": changes} if changes else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RunSpec:
        """The spec that ``to_dict`` wrote.

        Raises:
            KernlabError: a part of it is unknown or invalid.
        """
        data = values.get("data", {}) if isinstance(values, Mapping) else None
        if not isinstance(data, Mapping):
            raise OptionError("a run must be written as {'method': {...}, 'data': {...}, ...}", repr(values))
        parts = [each.name for each in fields(cls)]
        if unknown := set(values) - set(parts):
            raise UnknownNameError.among("part of a run", min(unknown), parts)
        changes = values.get("changes", ())
        if not isinstance(changes, list | tuple):
            raise OptionError("the changes of a run must be a list of [step, option, value]", repr(changes))
        return cls(
            MethodSpec.from_dict(values.get("method", {})),
            DataSpec.build(**data),
            values.get("seed", 0),
            str(values.get("device", "auto")),
            tuple(map(Change.of, changes)),
        )


def _text(value: Any) -> str:
    """The value of an option as a command has it."""
    return value if isinstance(value, str) else json.dumps(value)
