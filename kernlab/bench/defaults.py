"""Every learned method with its defaults against its assigned counterpart, on data that no default was tuned on.

    kernlab bench --only defaults [--datasets a,b] [--methods a,b] [--json]

Both are trained on the same splits; a difference counts as real if it exceeds two standard errors of the paired
differences over the splits. No method may be worse than the constant predictor. Cells are kept like those of a
comparison, so that a stopped benchmark can go on.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.noisy import REAL, SETS
from kernlab.compare import Cell, Record, backends
from kernlab.compare.records import RecordStore
from kernlab.data import SOURCES, Dataset, DataSpec, fingerprint
from kernlab.data.folder import files
from kernlab.errors import CompositionError, UnknownNameError
from kernlab.methods import METHODS

__all__ = ["COUNTERPARTS", "Gain", "available", "defaults", "line", "paired_gain", "summary"]

ROWS = 2000  # of a data set at most
SEEDS = 5
FRAME_INPUTS = 40  # of a data set for frames at most, since their columns grow with the inputs

#: The assigned counterpart of each learned method: a named method with its defaults, or with other options.
COUNTERPARTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "SKL": ("SK", {}),
    "NSKL": ("NSK", {}),
    "ASKL": ("NSK", {}),
    "Deep-ASKL": ("Deep-ASKL", {"learned": False, "feature_norm": 0.0, "trace_norm": 0.0, "frobenius": 1e-5}),
    "RFDI": ("RF", {}),
    "RF-LS": ("RF", {}),
    "RF-CE": ("RF", {}),
    "NysDI": ("Nys", {}),
    "Nys-LS": ("Nys", {}),
    "Nys-CE": ("Nys", {}),
    "LKRF": ("RF", {"n_features": 500, "scaling": "standardize"}),
    "FKS-Fourier": ("FKS-Fourier", {"solver": "assigned", "learned": False, "head": "ridge"}),
}


class Gain(NamedTuple):
    """The difference between a learned method and its assigned counterpart on one data set.

    Attributes:
        dataset, method, counterpart: names.
        metric: "accuracy" (percent) or "rmse".
        learned, assigned, constant: means over the splits.
        gain: mean paired difference in the metric's unit, positive if the learned method is better.
        error: its standard error.
        splits: number of splits that both have finished.
        failed: messages of failed cells.
    """

    dataset: str
    method: str
    counterpart: str
    metric: str
    learned: float
    assigned: float
    constant: float
    gain: float
    error: float
    splits: int
    failed: tuple[str, ...] = ()

    @property
    def worse(self) -> bool:
        """The learned method is worse by more than two standard errors."""
        return self.gain < -2 * self.error

    @property
    def below_constant(self) -> bool:
        """On average worse than the constant predictor."""
        better = self.learned - self.constant if self.metric == "accuracy" else self.constant - self.learned
        return better < 0


def paired_gain(
    dataset: str, method: str, counterpart: str, learned: Sequence[Record], assigned: Sequence[Record]
) -> Gain:
    """The gain of one method on one data set, paired by splits."""
    failed = tuple(dict.fromkeys(record.message for record in (*learned, *assigned) if record.status == "failed"))
    pairs = [(a, b) for a, b in zip(learned, assigned, strict=True) if a.test is not None and b.test is not None]
    if not pairs:
        nothing = math.nan
        return Gain(dataset, method, counterpart, "", nothing, nothing, nothing, nothing, nothing, 0, failed)
    metric = pairs[0][0].metric
    sign = 1.0 if metric == "accuracy" else -1.0
    ours, theirs = np.array([a.test for a, _ in pairs], float), np.array([b.test for _, b in pairs], float)
    gains = sign * (ours - theirs)
    error = float(gains.std(ddof=1) / math.sqrt(len(gains))) if len(gains) > 1 else math.inf
    constant = float(np.mean([a.constant for a, _ in pairs]))
    means = float(ours.mean()), float(theirs.mean()), constant, float(gains.mean())
    return Gain(dataset, method, counterpart, metric, *means, error, len(pairs), failed)


@BENCHMARKS.register("defaults")
def defaults(
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    seeds: int = SEEDS,
    rows: int = ROWS,
    workers: int | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Figures by name, and under ``rows`` one entry for each method and data set.

    Args:
        datasets: names of :data:`kernlab.bench.noisy.SETS`; all that are at hand by default.
        methods: learned methods; all by default.
        seeds: splits of each data set.
        rows: of a data set at most.
        workers: processes; default: one a core.
        progress: called with a line for each finished data set.

    Raises:
        UnknownNameError: no such data set or method.
    """
    for what, names, known in (
        ("data set of this benchmark", datasets, SETS),
        ("learned method", methods, COUNTERPARTS),
    ):
        for name in names:
            if name not in known:
                raise UnknownNameError.among(what, name, list(known))
    found: list[Gain] = []
    for name in datasets or available():
        gains = _on(name, tuple(methods or COUNTERPARTS), seeds, rows, workers)
        progress("\n".join(line(_row(each)) for each in gains))
        found += gains
    return summary(found)


def available() -> list[str]:
    """The data sets whose files are at hand, and the generated ones."""
    missing = set(REAL) - {*SOURCES, *files()}
    return [name for name, table in SETS.items() if missing.isdisjoint(table.needs)]


def summary(found: Sequence[Gain]) -> dict[str, Any]:
    """The totals of the rows, and the rows."""
    measured = [each for each in found if each.splits]
    return {
        "comparisons": len(found),
        "failed": sum(bool(each.failed) for each in found),
        "worse_by_two_standard_errors": sum(each.worse for each in measured),
        "better_by_two_standard_errors": sum(each.gain > 2 * each.error for each in measured),
        "below_constant": sum(each.below_constant for each in measured),
        **{f"mean_gain_{method}": gain for method, gain in _mean_gain(measured).items()},
        "rows": [_row(each) for each in found],
    }


def _row(each: Gain) -> dict[str, Any]:
    return {**each._asdict(), "worse": each.worse, "below_constant": each.below_constant}


def _mean_gain(found: Sequence[Gain]) -> dict[str, float]:
    """By method the mean over the data sets of the gain, in percent of the error of the assigned counterpart."""
    gains: dict[str, list[float]] = {}
    for each in found:
        error = 100 - each.assigned if each.metric == "accuracy" else each.assigned
        gains.setdefault(each.method, []).append(100 * each.gain / max(error, 1e-12))
    return {method: statistics.fmean(values) for method, values in gains.items()}


def line(row: Mapping[str, Any]) -> str:
    """One entry of ``rows`` as a line of text."""
    marks = [word for key, word in (("worse", "WORSE"), ("below_constant", "BELOW THE CONSTANT")) if row[key]]
    return "  ".join(
        [
            f"{row['dataset']:<18}{row['method']:<12}{row['learned']:9.4g} against {row['assigned']:9.4g}",
            f"gain {row['gain']:+9.3g} ± {row['error']:<8.2g}",
            *marks,
            f"({row['counterpart']})",
            *row["failed"][:1],
        ]
    )


def _on(name: str, methods: Sequence[str], seeds: int, rows: int, workers: int | None) -> list[Gain]:
    """All methods on one data set."""
    table = SETS[name]
    dataset = table.make(rows)
    pairs = {method: COUNTERPARTS[method] for method in methods if _fits(method, dataset)}
    wanted: dict[tuple[str, str], tuple[str, Mapping[str, Any]]] = {(method, ""): (method, {}) for method in pairs}
    wanted |= {(other, repr(options)): (other, options) for other, options in pairs.values()}
    records = _computed(wanted, dataset, table.test_size, seeds, workers)
    return [
        paired_gain(name, method, _named(other, options), records[method, ""], records[other, repr(options)])
        for method, (other, options) in pairs.items()
    ]


def _named(method: str, options: Mapping[str, Any]) -> str:
    return ", ".join([method, *(f"{key}={value}" for key, value in options.items())])


def _fits(method: str, dataset: Dataset) -> bool:
    """Whether a method suits the data set: some are for classes only, and a frame grows with the inputs."""
    spec = METHODS[method]
    try:
        spec.check(dataset.task)
    except CompositionError:
        return False
    return not method.startswith("FKS") or dataset.d <= FRAME_INPUTS


def _computed(
    wanted: Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]],
    dataset: Dataset,
    test_size: float,
    seeds: int,
    workers: int | None,
) -> dict[tuple[str, str], list[Record]]:
    """The records of every method on every split; finished cells are read from the store."""
    store, mark = RecordStore(), fingerprint(dataset)
    cells: dict[tuple[tuple[str, str], int], Cell] = {}
    for key, (method, options) in wanted.items():
        own = {k: v for k, v in options.items() if k != "scaling"}
        data = DataSpec.build(dataset=dataset.name, test_size=test_size, scaling=options.get("scaling", "auto"))
        for seed in range(seeds):
            cells[key, seed] = Cell(method, data, mark, seed, own)
    known = {cell.key: record for cell in cells.values() if (record := store.get(cell.key))}

    def missing() -> Iterator[Cell]:
        return (cell for cell in {c.key: c for c in cells.values()}.values() if cell.key not in known)

    for record in backends.backend("local", workers=workers)(missing(), {mark: dataset}):
        store.put(record)
        known[record.key] = record
    return {key: [known[cells[key, seed].key] for seed in range(seeds)] for key in wanted}
