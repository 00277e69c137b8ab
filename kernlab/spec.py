"""One run's configuration: a method, data, a seed and a device.

    RunSpec = MethodSpec × DataSpec × seed × device

It is frozen, round-trips through JSON, and knows the command line and the Python lines that repeat it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from kernlab.data import SOURCES, DataSpec
from kernlab.errors import OptionError, UnknownNameError
from kernlab.methods import METHODS, MethodSpec
from kernlab.options import Option, options_of

__all__ = ["RunSpec"]

_DATA_KEYS = tuple(key for key in options_of(DataSpec) if key not in ("dataset", "source"))


@dataclass(frozen=True)
class RunSpec:
    """What to train, on what, from which seed, where.

    Attributes:
        method: the method and its options.
        data: the data set, its generator's options, split and scaling.
        seed: decides the split, the drawn frequencies and the order of the mini-batches.
        device: "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1", "mps".
    """

    method: MethodSpec = field(default_factory=lambda: METHODS["ASKL"])
    data: DataSpec = field(default_factory=DataSpec)
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed < 2**31:
            raise OptionError("seed must be a whole number from 0 to 2147483647", repr(self.seed))

    @classmethod
    def of(cls, method: str, dataset: str, *, seed: int = 0, device: str = "auto", **options: Any) -> RunSpec:
        """The named method ("Custom": a plain one to compose from) on the named data, with options by their flat keys.

        Raises:
            UnknownNameError: no such method or option; an unknown data set is told when it is loaded.
            OptionError: a bad value.
        """
        start = MethodSpec() if method == MethodSpec.name else METHODS[method]
        return cls(start, DataSpec.build(dataset=dataset), seed, device).with_options(options)

    def schema(self) -> dict[str, Option]:
        """Every option by its flat key: the method's, then the data's, then the generator's."""
        data = {key: opt for key, opt in options_of(DataSpec).items() if key in _DATA_KEYS}
        return {**self._source_schema(), **data, **self.method.schema()}

    def _source_schema(self) -> dict[str, Option]:
        return options_of(SOURCES[self.data.dataset]) if self.data.dataset in SOURCES else {}

    def with_options(self, changes: Mapping[str, Any]) -> RunSpec:
        """A copy with options changed by their flat keys, as ``--set KEY=VALUE`` gives them.

        ``data.KEY`` always means the generator's option KEY, where a method has one of the same name.
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

    def changed_options(self) -> dict[str, Any]:
        """The flat options that differ from the defaults: what a command or a link has to say."""
        start = DataSpec()
        data = {k: getattr(self.data, k) for k in _DATA_KEYS if getattr(self.data, k) != getattr(start, k)}
        source = {f"data.{k}" if k in self.method.schema() else k: v for k, v in self.data.source.items()}
        return {**source, **data, **self.method.changed_options()}

    def command(self) -> str:
        """The command line that repeats this run."""
        words = ["kernlab", "train", "--method", self.method.name, "--dataset", self.data.dataset]
        words += ["--seed", str(self.seed)]
        if self.device != "auto":
            words += ["--device", self.device]
        for key, value in self.changed_options().items():
            text = value if isinstance(value, str) else json.dumps(value)
            words += ["--set", f"{key}={text}"]
        return shlex.join(words)

    def python(self) -> str:
        """Python lines that repeat this run."""
        options = "".join(f", {k}={v!r}" for k, v in self.changed_options().items() if "." not in k)
        dotted = {k: v for k, v in self.changed_options().items() if "." in k}
        device = "" if self.device == "auto" else f", device={self.device!r}"
        extra = f", **{dotted!r}" if dotted else ""
        call = f"RunSpec.of({self.method.name!r}, {self.data.dataset!r}, seed={self.seed}{device}{options}{extra})"
        return f"from kernlab import RunSpec, fit\n\nresult = fit({call})\nprint(result.summary)"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; ``from_dict`` gives back an equal spec."""
        data = self.data.options()
        return {"method": self.method.to_dict(), "data": data, "seed": self.seed, "device": self.device}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RunSpec:
        """The spec that ``to_dict`` wrote.

        Raises:
            KernlabError: something in it is not what it must be.
        """
        data = values.get("data", {}) if isinstance(values, Mapping) else None
        if not isinstance(data, Mapping):
            raise OptionError("a run must be written as {'method': {...}, 'data': {...}, ...}", repr(values))
        parts = [each.name for each in fields(cls)]
        if unknown := set(values) - set(parts):
            raise UnknownNameError.among("part of a run", min(unknown), parts)
        return cls(
            MethodSpec.from_dict(values.get("method", {})),
            DataSpec.build(**data),
            values.get("seed", 0),
            str(values.get("device", "auto")),
        )
