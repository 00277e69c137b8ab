"""Where cells are computed: in this process, on the cores of this machine, on its GPU, or on a Dask cluster.

    for record in backend(cells, datasets): ...

All backends are called alike and give the same numbers: :func:`kernlab.compare.cells.run_cell` computes every cell on
one thread, or a GPU computes it beside others of its kind. Records arrive as they are finished; workers return them and
write nothing. One cell is drawn from the iterator for each free worker, so that ending the iterator stops the
comparison between cells.
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

__all__ = ["BACKENDS", "Backend", "Here", "Local", "SideBySide", "backend", "compute"]

BACKENDS = ("local", "dask", "here")

DRAWN = 256  # cells at most that wait for one device: each is an open file, and claimed against other processes


class Backend(Protocol):
    """Computes cells."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        """Records of the cells in the order in which they are finished.

        Args:
            cells: drawn as they are needed, perhaps from another thread. If the comparison was stopped, the records of
                some may be missing at the end.
            datasets: each cell's data by its fingerprint.

        Raises:
            DeviceError: the workers cannot be reached any more; earlier records are not affected.
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
    """The backend "local", "dask" or "here", with the arguments of :func:`kernlab.compare.run.compare`.

    On CUDA "local" computes cells of one kind side by side.

    Raises:
        OptionError: they do not go together, or Dask is not installed.
        DeviceError: the cluster does not answer, or this machine has no such device.
    """
    if name not in BACKENDS:
        raise OptionError(f"backend must be one of {', '.join(BACKENDS)}", repr(name))
    if workers is not None and workers < 1:
        raise OptionError("workers must be a whole number of at least 1", workers)
    if (name == "dask") != (address is not None):
        found = "no address" if address is None else f"backend={name} with address {address}"
        advice = "write for example --backend dask --address tcp://127.0.0.1:8786"
        raise OptionError("the backend dask, and no other, has the address of a scheduler", found, advice)
    if address is not None:
        try:
            from kernlab.compare.cluster import Dask
        except ImportError:
            raise OptionError(
                "the backend dask needs the package distributed", "it is not installed", "install kernlab[dask]"
            ) from None
        return Dask(address)
    kind = devices.resolve(device).type
    if name == "local" and kind == "cuda":
        return SideBySide(stop)
    return Local(workers, at_once) if name == "local" and kind == "cpu" else Here()


def compute(cell: Cell, dataset: Dataset) -> Record:
    """The task of a worker."""
    return run_cell(cell, dataset=dataset)


@dataclass(frozen=True)
class Here:
    """One cell after the other in this very process."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        return (run_cell(cell, dataset=datasets[cell.fingerprint]) for cell in cells)


@dataclass(frozen=True)
class SideBySide:
    """Cells of one method on one data set as one computation on their device; cells that cannot be stacked, one by one.

    Attributes:
        stop: called before each computation; the drawn cells that have not begun are then left.
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
        at_once: called before each cell: how many workers may compute now. Where the answer changes, the cells under
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
    """The record of a cell during which two processes died, computed in a process of its own."""
    from joblib import delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        # Of one worker joblib would make this very process.
        (record,) = _parallel(2, iter([delayed(compute)(cell, dataset)]))
        return record
    except BrokenProcessPool:
        return died(cell)
