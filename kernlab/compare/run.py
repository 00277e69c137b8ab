"""A comparison as a generator of events; what is finished is kept, and is never computed twice.

    Planned → Computed* → Done

Several processes may work on the same comparison: each claims the cells that it computes and takes what the
others have finished.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from kernlab.compare import backends
from kernlab.compare.backends import Backend
from kernlab.compare.base import Cell, Comparison, Record
from kernlab.compare.records import RecordStore
from kernlab.compare.rivals import RIVALS
from kernlab.compare.tuning import check as check_tuning
from kernlab.data import Dataset, fingerprint, load, prepare
from kernlab.errors import UnknownNameError
from kernlab.files import Claim
from kernlab.methods import METHODS, MethodSpec
from kernlab.options import options_of

__all__ = ["Computed", "Done", "Event", "Plan", "Planned", "check", "compare", "plan"]

POLL = 0.2  # seconds between two looks at what another process computes


@dataclass(frozen=True)
class Planned:
    """The data are loaded and the cells are known.

    Attributes:
        cells: all of them, split by split.
        records: what was known before, by key.
        id: under which the comparison is kept.
    """

    cells: tuple[Cell, ...]
    records: Mapping[str, Record]
    id: str


@dataclass(frozen=True)
class Computed:
    """A cell is finished and its record kept; ``elsewhere``: another process computed it."""

    cell: Cell
    record: Record
    elsewhere: bool = False


@dataclass(frozen=True)
class Done:
    """The last event.

    Attributes:
        records: in the order of the cells; those that were not computed are missing.
        complete: every cell has a record.
    """

    records: tuple[Record, ...]
    complete: bool


Event: TypeAlias = Planned | Computed | Done


@dataclass(frozen=True)
class Plan:
    """A comparison with its data.

    Attributes:
        cells: all of them, split by split.
        datasets: by fingerprint.
    """

    cells: tuple[Cell, ...]
    datasets: Mapping[str, Dataset]


def compare(
    comparison: Comparison,
    *,
    backend: str | Backend = "local",
    address: str | None = None,
    workers: int | None = None,
    store: RecordStore | None = None,
    name: str = "",
    retry: bool = False,
    stop: Callable[[], bool] = lambda: False,
    at_once: Callable[[], int] | None = None,
) -> Iterator[Event]:
    """Compute what is missing of a comparison and yield what happens.

    Args:
        comparison: what to compare.
        backend: "local", "dask", "here", or one of your own.
        address: of a Dask scheduler.
        workers: processes of "local"; default: one a core.
        store: where records are kept; default: the user's.
        name: what the user calls it.
        retry: compute cells again that have failed before.
        stop: asked before each cell; once it says True no more cells are begun, and those under way are finished.
        at_once: cells that "local" may compute at a time on the CPU, asked before each; default: one for each worker.

    Yields:
        Planned, a Computed for every cell that had no record, and Done.

    Raises:
        UnknownNameError: no such method, data set or option.
        OptionError: a bad value.
        DataError: the data cannot be used, or not be split so.
        DeviceError: the device or the cluster is not there.
        StoreError: a record cannot be kept.
    """
    store = store or RecordStore()
    if isinstance(backend, str):
        backend = backends.backend(
            backend, workers=workers, address=address, device=comparison.device, stop=stop, at_once=at_once
        )
    made = plan(comparison)
    keys = tuple(cell.key for cell in made.cells)
    stored = store.keep(comparison, name, keys)
    records = {key: record for key in keys if (record := store.get(key)) and _settled(record, retry)}
    yield Planned(made.cells, dict(records), stored.id)

    claims: dict[str, Claim] = {}
    mark = None  # one of the processes that work on the comparison shows it to the others
    try:
        while (left := [cell for cell in made.cells if cell.key not in records]) and not stop():
            mark = mark or store.work(stored.id)
            drawn, before = _Drawn(left, store, claims, retry, stop), len(records)
            for record in backend(drawn, made.datasets):
                store.put(record)
                claims.pop(record.key).release()
                records[record.key] = record
                yield Computed(drawn.given[record.key], record)
            for cell, record in drawn.elsewhere:
                records[record.key] = record
                yield Computed(cell, record, elsewhere=True)
            if len(records) == before and not stop():
                time.sleep(POLL)  # another process is on all that is left
    finally:
        for claim in claims.values():
            claim.release()
        if mark:
            mark.release()
    yield Done(tuple(records[key] for key in keys if key in records), all(key in records for key in keys))


def _settled(record: Record, retry: bool) -> bool:
    return record.status == "done" or not retry


class _Drawn:
    """Cells to compute, each claimed when it is drawn; those that another process is on are left out."""

    def __init__(
        self, cells: Sequence[Cell], store: RecordStore, claims: dict[str, Claim], retry: bool, stop: Callable[[], bool]
    ) -> None:
        self.given: dict[str, Cell] = {}
        self.elsewhere: list[tuple[Cell, Record]] = []
        self._cells, self._store, self._claims, self._retry, self._stop = iter(cells), store, claims, retry, stop

    def __iter__(self) -> Iterator[Cell]:
        return self

    def __next__(self) -> Cell:
        for cell in self._cells:
            if self._stop():
                break
            claim = self._store.claim(cell.key)
            if claim is None:
                continue
            record = self._store.get(cell.key)  # finished by another process since the plan was made
            if record and _settled(record, self._retry):
                claim.release()
                self.elsewhere.append((cell, record))
                continue
            self._claims[cell.key], self.given[cell.key] = claim, cell
            return cell
        raise StopIteration


def plan(comparison: Comparison) -> Plan:
    """Load the data and write out the cells.

    Raises:
        KernlabError: as :func:`compare`.
    """
    methods = check(comparison)
    datasets, fingerprints = {}, {}
    for data in comparison.datasets:
        dataset = load(data)
        prepare(dataset, data, comparison.seed)  # what cannot be split is told before anything is computed
        fingerprints[data.dataset] = fingerprint(dataset)
        datasets[fingerprints[data.dataset]] = dataset
    takes = {name: keys for name, (keys, _) in methods.items()}
    cells = comparison.cells(fingerprints, takes)
    return Plan(tuple(replace(cell, options=methods[cell.method][1]) for cell in cells), datasets)


def check(comparison: Comparison) -> dict[str, tuple[list[str], dict[str, Any]]]:
    """By method: the option keys that it has, and its options where they differ from its own. Reads no data.

    Raises:
        UnknownNameError: no such method or option.
        OptionError: a bad value.
    """
    methods = {name: _checked(comparison, name) for name in comparison.methods}
    if comparison.tuning:
        check_tuning(comparison.tuning)
    if unused := set(comparison.options) - {key for takes, _ in methods.values() for key in takes}:
        known = sorted({key for takes, _ in methods.values() for key in takes})
        raise UnknownNameError.among("option of the compared methods", min(unused), known)
    return methods


def _checked(comparison: Comparison, name: str) -> tuple[list[str], dict[str, Any]]:
    """The option keys that a method or baseline has, and its options where they differ from its own.

    The same options written otherwise (a word for a number, a default said aloud) give the same cell. Where settings
    are searched, what was said aloud stays as it is, and so makes a difference.
    """
    own = dict(comparison.own.get(name, {}))
    if name in METHODS:
        spec: MethodSpec = METHODS[name]
        takes = spec.switched({**comparison.options, **own}).keys()
        options = {k: v for k, v in comparison.options.items() if k in takes} | own
        before = {}
        if comparison.version == 1:  # what was said of phases stays in the words of then, see kernlab.compare.cells
            before = {k: options.pop(k) for k in ("form", "phase") if k in options}
        told = _told(spec.with_options(options).options(), spec.options(), options if comparison.tuning else {})
        if comparison.version == 1:
            told.pop("phase", None)
            told |= {k: v for k, v in before.items() if v not in ("phase", "shared") or comparison.tuning}
        return takes, told
    if name in RIVALS:
        rival = RIVALS[name]
        takes = list(options_of(rival))
        options = {k: v for k, v in comparison.options.items() if k in takes} | own
        default = rival.build().options()
        return takes, _told(rival.build(**options).options(), default, options if comparison.tuning else {})
    raise UnknownNameError.among("method", name, [*METHODS, *RIVALS])


def _told(values: Mapping[str, Any], default: Mapping[str, Any], said: Collection[str]) -> dict[str, Any]:
    """The options that differ from the default ones, or are to be kept for having been said."""
    return {key: value for key, value in values.items() if key in said or default.get(key) != value}
