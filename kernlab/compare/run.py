"""A comparison as a generator of events; finished cells are stored and never computed twice.

    Planned → Computed* → Done

Several processes may work on the same comparison: each claims the cells that it computes and reads the records that the
others have stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from kernlab.compare import backends
from kernlab.compare.backends import Backend
from kernlab.compare.base import Cell, Comparison, Record, named
from kernlab.compare.baselines import BASELINES
from kernlab.compare.records import RecordStore
from kernlab.compare.tuning import check as check_tuning
from kernlab.data import Dataset, fingerprint, load, prepare
from kernlab.errors import UnknownNameError
from kernlab.files import Claim
from kernlab.methods import METHODS
from kernlab.options import options_of

__all__ = ["Computed", "Done", "Event", "Plan", "Planned", "check", "compare", "plan"]

POLL = 0.2  # seconds between two checks of what another process computes


@dataclass(frozen=True)
class Planned:
    """The data are loaded and the cells are known.

    Attributes:
        cells: all of them, split by split.
        records: those computed before, by key.
        id: of the comparison in the store.
    """

    cells: tuple[Cell, ...]
    records: Mapping[str, Record]
    id: str


@dataclass(frozen=True)
class Computed:
    """A cell is finished and its record stored; ``elsewhere``: another process computed it."""

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


class Plan(NamedTuple):
    """The cells of a comparison, split by split, and its data by fingerprint."""

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
    """Compute the missing cells of a comparison and yield what happens.

    Args:
        comparison: what to compare.
        backend: "local", "dask", "here", or another callable of this kind.
        address: of a Dask scheduler: "tcp://host:8786".
        workers: processes of "local" on the CPU; default: one for each core.
        store: of the records; default: the user's.
        name: the user's name for it.
        retry: compute cells again that have failed before.
        stop: called before each cell; once it returns True no more cells are begun, and those under way are finished.
        at_once: called before each cell: how many "local" may compute at a time on the CPU; default: one for each
            worker.

    Yields:
        Planned, a Computed for every cell that had no record, and Done.

    Raises:
        UnknownNameError: no such method, data set or option.
        OptionError: a bad value.
        DataError: the data cannot be used, or not be split so.
        DeviceError: the device or the cluster cannot be used.
        StoreError: a record cannot be stored.
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

    by_key = {cell.key: cell for cell in made.cells}
    claims: dict[str, Claim] = {}
    elsewhere: list[Record] = []

    def claimed(cells: Sequence[Cell]) -> Iterator[Cell]:
        """Cells to compute, each claimed when it is drawn; those that another process computes are left out."""
        for cell in cells:
            if stop():
                return
            claim = store.claim(cell.key)
            if claim is None:
                continue
            record = store.get(cell.key)
            if record and _settled(record, retry):  # finished by another process since the comparison was planned
                claim.release()
                elsewhere.append(record)
                continue
            claims[cell.key] = claim
            yield cell

    mark = None  # the claim by which one of the processes that work on the comparison shows this to the others
    try:
        while (left := [cell for cell in made.cells if cell.key not in records]) and not stop():
            mark, before = mark or store.work(stored.id), len(records)
            for record in backend(claimed(left), made.datasets):
                store.put(record)
                claims.pop(record.key).release()
                records[record.key] = record
                yield Computed(by_key[record.key], record)
            for record in elsewhere:
                records[record.key] = record
                yield Computed(by_key[record.key], record, elsewhere=True)
            elsewhere.clear()
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


def plan(comparison: Comparison) -> Plan:
    """Load the data and write out the cells.

    Raises:
        KernlabError: as :func:`compare`.
    """
    methods = check(comparison)
    datasets, fingerprints = {}, {}
    for data in comparison.datasets:
        dataset = load(data)
        prepare(dataset, data, comparison.seed)  # data that cannot be split are refused before anything is computed
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

    The same options written otherwise (a word for a number, a default that is written out) give the same cell. Where
    settings are searched, every option that is written out stays fixed, and so makes a difference.
    """
    written = {**comparison.options, **comparison.own.get(name, {})}
    before: dict[str, Any] = {}
    method = named(name)
    if method:
        takes = method.switched(written).keys()
    elif name in BASELINES:
        takes = list(options_of(BASELINES[name]))
    else:
        raise UnknownNameError.among("method", name, [*METHODS, *BASELINES])
    own = comparison.own.get(name, {})
    options = {key: value for key, value in written.items() if key in takes or key in own}
    if method:
        if comparison.version == 1:  # the options of phases keep their old words, see kernlab.compare.cells
            before = {key: options.pop(key) for key in ("form", "phase") if key in options}
        values, defaults = method.with_options(options).options(), method.options()
    else:
        values, defaults = BASELINES[name].build(**options).options(), BASELINES[name].build().options()
    fixed = options if comparison.tuning else {}
    found = {key: value for key, value in values.items() if key in fixed or defaults.get(key) != value}
    if method and comparison.version == 1:
        found.pop("phase", None)
        found |= {k: v for k, v in before.items() if v not in ("phase", "shared") or comparison.tuning}
    return takes, found
