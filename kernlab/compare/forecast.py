"""How long a comparison will take, by what earlier cells took: a rough estimate before anything is computed.

    seconds of a cell = training rows · median over the method's earlier cells of (seconds · D/D' · T/T' / rows)

with the features D and epochs T of the new cell and those (D', T') of the earlier one, where the comparison sets them.
The time of most methods grows about like that; exact kernels, which grow faster, take little of it.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from kernlab import devices
from kernlab.compare.base import Comparison, Record, named
from kernlab.compare.records import RecordStore

__all__ = ["Forecast", "forecast"]

READ = 200  # earlier cells that are read, at most
PER_ROW = 2e-3  # seconds a training row of a cell that nothing is known of, with the defaults and one thread
_SCALING = ("n_features", "epochs")


class Forecast(NamedTuple):
    """An estimate.

    Attributes:
        seconds: of the whole comparison, on as many processes as it would have here.
        processes: their number.
        cells: earlier cells that it is based on; 0: it is based on a rule of thumb.
        unknown: the methods of the comparison that have no earlier cells.
    """

    seconds: float
    processes: int
    cells: int
    unknown: tuple[str, ...]


def forecast(comparison: Comparison, rows: Mapping[str, int], store: RecordStore) -> Forecast:
    """Estimate how long the cells of a comparison take together, without reading the data.

    Args:
        comparison: what would be computed.
        rows: training rows of each data set by its name; those of unknown size are left out.
        store: of earlier cells, of which the newest are read.
    """
    paces: dict[str, list[float]] = {method: [] for method in comparison.methods}
    for record in islice(_earlier(comparison, store), READ):
        paces[record.cell["method"]].append(_pace(comparison, record))
    known = {method: statistics.median(found) for method, found in paces.items() if found}
    other = max(known.values(), default=PER_ROW)
    each = sum(known.get(method, 0.0 if method == "constant" else other) for method in comparison.methods)
    if tuning := comparison.tuning:
        each *= 1 + tuning.trials * tuning.folds
    total = each * sum(rows.values()) * comparison.repeats
    if tuning and tuning.seconds:
        total = min(total, len(rows) * comparison.repeats * len(comparison.methods) * 2 * tuning.seconds)
    processes = devices.cores() if comparison.device == "cpu" else 1
    unknown = tuple(method for method in comparison.methods if method not in known and method != "constant")
    return Forecast(total / processes, processes, sum(map(len, paces.values())), unknown)


def _earlier(comparison: Comparison, store: RecordStore) -> Iterable[Record]:
    """Finished cells of its methods, those of the newest comparisons first."""
    seen = set()
    for stored in store.comparisons():
        if not set(stored.comparison.methods) & set(comparison.methods):
            continue
        for key in stored.keys:
            record = store.get(key) if key not in seen else None
            seen.add(key)
            if record and record.status == "done" and record.n_train and record.cell["method"] in comparison.methods:
                yield record


def _pace(comparison: Comparison, record: Record) -> float:
    """Seconds a training row, were the cell one of this comparison."""
    method = record.cell["method"]
    then: Mapping[str, Any] = record.extra.get("options", {})
    known = named(method)
    own = known.options() if known else {}
    now = {**own, **comparison.options, **comparison.own.get(method, {})}
    pace = record.seconds / record.n_train
    for key in _SCALING:
        before, after = _number(then.get(key)), _number(now.get(key))
        if before and after:
            pace *= after / before
    return pace


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):  # "auto", or the method has no such option
        return None
