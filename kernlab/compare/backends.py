"""Where cells are computed: in this process, on the cores of this machine, on its GPU, or on a Dask cluster.

    for record in backend(cells, datasets): ...

The same call, and the same numbers: every cell is computed by :func:`kernlab.compare.cells.run_cell` on one
thread, or on a GPU beside others like it. Records come as they are finished; workers return them and write nothing.
Cells are drawn from the iterator one for each free worker, so whoever stops the iterator stops between cells.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

from kernlab import devices, processes
from kernlab.compare.base import Cell, Record
from kernlab.compare.cells import died, run_cell, run_cells, stackable
from kernlab.data import Dataset
from kernlab.errors import OptionError

__all__ = ["BACKENDS", "Backend", "Dask", "Here", "Local", "SideBySide", "backend", "compute"]

BACKENDS = ("local", "dask", "here")

DRAWN = 256  # cells at most that wait for one device: each is an open file, and nobody else's meanwhile


class Backend(Protocol):
    """Computes cells."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        """Records of the cells in the order in which they are finished.

        Args:
            cells: drawn as they are needed, perhaps from another thread. Records of some may be missing at the end,
                if the comparison was stopped.
            datasets: each cell's data by its fingerprint.

        Raises:
            DeviceError: the workers cannot be reached any more; what was given out before is not affected.
        """
        ...


def backend(
    name: str = "local",
    *,
    workers: int | None = None,
    address: str | None = None,
    device: str = "cpu",
    stop: Callable[[], bool] = lambda: False,
    at_once: Callable[[], int] | None = None,
) -> Backend:
    """The backend of that name.

    Args:
        name: "local", "dask" or "here".
        workers: processes of "local" on the CPU; default: one a core.
        address: of the scheduler, for "dask": "tcp://host:8786".
        device: of the cells. On CUDA "local" computes those that are alike side by side.
        stop: asked where many cells are drawn at once, whether the next of them are still to be begun.
        at_once: asked by "local" on the CPU before each cell: how many cells may be computed at a time.

    Raises:
        OptionError: they do not go together, or Dask is not installed.
        DeviceError: the cluster does not answer, or this machine has no such device.
    """
    if name not in BACKENDS:
        raise OptionError(f"backend must be one of {', '.join(BACKENDS)}", repr(name))
    if workers is not None and workers < 1:
        raise OptionError("workers must be a whole number of at least 1", workers)
    if (name == "dask") != (address is not None):
        given = "no address" if address is None else f"backend={name} with address {address}"
        raise OptionError("the backend dask, and no other, has the address of a scheduler", given, "write for example "
                          "--backend dask --address tcp://127.0.0.1:8786")  # fmt: skip
    if address is not None:
        cluster = Dask(address)
        cluster.check()
        return cluster
    kind = devices.resolve(device).type
    if name == "local" and kind == "cuda":
        return SideBySide(stop)
    return Local(workers, at_once) if name == "local" and kind == "cpu" else Here()


def compute(cell: Cell, dataset: Dataset) -> Record:
    """What a worker does."""
    return run_cell(cell, dataset=dataset)


@dataclass(frozen=True)
class Here:
    """One cell after the other in this very process."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        return (run_cell(cell, dataset=datasets[cell.fingerprint]) for cell in cells)


@dataclass(frozen=True)
class SideBySide:
    """Cells of one method on one data set as one computation on their device; what cannot be stacked, one by one.

    Attributes:
        stop: asked before each computation; those that were drawn and not begun are then left.
    """

    stop: Callable[[], bool] = lambda: False

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        while first := next(cells, None):
            if not stackable(first):
                yield run_cell(first, dataset=datasets[first.fingerprint])
                continue
            groups: dict[Hashable, list[Cell]] = defaultdict(list)
            for cell in itertools.chain([first], itertools.islice(cells, DRAWN - 1)):
                alike = (cell.method, cell.fingerprint, cell.device)
                groups[alike if stackable(cell) else cell.key].append(cell)
            for group in groups.values():
                if self.stop():
                    return
                dataset = datasets[group[0].fingerprint]
                if stackable(group[0]):
                    yield from run_cells(group, dataset)
                else:
                    yield run_cell(group[0], dataset=dataset)


@dataclass(frozen=True)
class Local:
    """One single-threaded process a core, kept by loky; large arrays are shared by mapping them.

    Attributes:
        workers: processes; None: one a core.
        at_once: asked before each cell: how many of them may compute now. Where the answer changes, the cells under
            way are finished first.
    """

    workers: int | None = None
    at_once: Callable[[], int] | None = None

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        from joblib import delayed
        from joblib.externals.loky.process_executor import BrokenProcessPool

        workers = self.workers or devices.cores()
        if workers == 1:
            yield from Here()(cells, datasets)
            return
        under_way: dict[str, Cell] = {}
        deaths: dict[str, int] = {}
        exhausted = False

        def allowed() -> int:
            return min(workers, self.at_once()) if self.at_once else workers

        def drawn(now: int) -> Iterator[Any]:
            nonlocal exhausted
            for cell in itertools.chain(list(under_way.values()), cells):
                under_way[cell.key] = cell
                yield delayed(compute)(cell, datasets[cell.fingerprint])
                if allowed() != now:
                    return
            exhausted = True

        while not exhausted or under_way:
            now = allowed()
            try:
                with closing(_parallel(workers, drawn(now), now)) as records:
                    for record in records:
                        del under_way[record.key]
                        yield record
            except BrokenProcessPool:  # one of those under way killed its process; the others died with it
                for cell in list(under_way.values()):
                    deaths[cell.key] = deaths.get(cell.key, 0) + 1
                    if deaths[cell.key] > 1:
                        yield _alone(under_way.pop(cell.key), datasets[cell.fingerprint])


def _parallel(workers: int, tasks: Iterator[Any], at_once: int = 2) -> Generator[Record, None, None]:
    """Results of the tasks as they come, never more of them under way than ``at_once``."""
    return processes.results(tasks, workers, pre_dispatch=at_once)


def _alone(cell: Cell, dataset: Dataset) -> Record:
    """The record of a cell that has seen two processes die, in one that it shares with nobody."""
    from joblib import delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        # Of one worker joblib would make this very process.
        (record,) = _parallel(2, iter([delayed(compute)(cell, dataset)]))
        return record
    except BrokenProcessPool:
        return died(cell)


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster; each is sent a data set once.

    Attributes:
        address: of its scheduler.
    """

    address: str

    def check(self) -> None:
        """Make sure that the cluster answers, before anything else is done.

        Raises:
            OptionError: Dask is not installed.
            DeviceError: nobody answers, or there is no worker.
        """
        try:
            from kernlab.compare import cluster
        except ImportError:
            raise OptionError(
                "the backend dask needs the package distributed", "it is not installed", "install kernlab[dask]"
            ) from None
        cluster.check(self.address)

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        from kernlab.compare import cluster

        return cluster.computed(self.address, cells, datasets)
