"""A comparison as a user writes it: names, and KEY=VALUE for everything else; and the command that repeats it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from kernlab.compare.base import Comparison, Tuning, named
from kernlab.data import DataSpec
from kernlab.feature_maps.spectral import from_version_1
from kernlab.options import options_of
from kernlab.spec import RunSpec

__all__ = ["assemble", "command", "settings_of"]


def assemble(
    methods: Sequence[str],
    datasets: Sequence[str],
    settings: Mapping[str, Any],
    *,
    repeats: int = 10,
    tuning: Tuning | None = None,
    seed: int = 0,
    device: str = "cpu",
) -> Comparison:
    """The comparison, with each setting in its place.

    Args:
        methods: names of methods and baselines.
        datasets: names.
        settings: by key: of the data (``test_size``, ``data.n_samples``), of one method (``ASKL.epochs``), else of
            every method that has the option.
        repeats, tuning, seed, device: as :class:`Comparison`.

    Raises:
        OptionError: a bad value, or nothing to compare.
        UnknownNameError: no such option of the data.
    """
    own: dict[str, dict[str, Any]] = {}
    data: dict[str, Any] = {}
    common: dict[str, Any] = {}
    for key, value in settings.items():
        method, dot, rest = key.rpartition(".")
        if dot and method in methods:
            own.setdefault(method, {})[rest] = value
        elif method == "data" or key in options_of(DataSpec):
            data[key] = value
        else:
            common[key] = value
    specs = tuple(RunSpec(data=DataSpec.build(dataset=each)).with_options(data).data for each in datasets)
    return Comparison(tuple(methods), specs, repeats, common, own, tuning, seed, device)


def settings_of(comparison: Comparison) -> dict[str, str]:
    """The settings from which ``assemble`` makes it; of the data those that all data sets share."""
    found = dict(comparison.options)
    if comparison.version == 1 and any("phase" in m.schema() for m in map(named, comparison.methods) if m):
        found = from_version_1({"phase": "shared", **found})
    found |= {f"{method}.{key}": value for method, own in comparison.own.items() for key, value in own.items()}
    each = [_data_settings(data) for data in comparison.datasets]
    found |= {key: value for key, value in each[0].items() if all(other.get(key) == value for other in each)}
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in found.items()}


def _data_settings(data: DataSpec) -> dict[str, Any]:
    schema = options_of(DataSpec)
    values = {key: value for key, value in data.options().items() if key not in ("dataset", "source")}
    changed = {key: value for key, value in values.items() if value != schema[key].default}
    return changed | {f"data.{key}": value for key, value in data.source.items()}


def command(comparison: Comparison) -> str:
    """The command line that repeats the comparison, or resumes it."""
    words = ["kernlab", "compare", "--methods", ",".join(comparison.methods)]
    words += ["--datasets", ",".join(data.dataset for data in comparison.datasets)]
    words += ["--repeats", str(comparison.repeats), "--seed", str(comparison.seed)]
    if comparison.device != "cpu":
        words += ["--device", comparison.device]
    if tuning := comparison.tuning:
        words += ["--tune", "--trials", str(tuning.trials), "--search", tuning.search, "--folds", str(tuning.folds)]
        words += [] if tuning.seconds is None else ["--budget", f"{tuning.seconds:g}"]
    for key, value in settings_of(comparison).items():
        words += ["--set", f"{key}={value}"]
    return shlex.join(words)
