"""Where cells are computed: in this process, on the cores of this machine, or on a Dask cluster.

    for record in backend(cells, datasets): ...

The same call, and the same numbers: every cell is computed by :func:`kernlab.compare.cells.run_cell` on one
thread. Records come as they are finished; workers return them and write nothing. Cells are drawn from the
iterator one for each free worker, so whoever stops the iterator stops between cells.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from kernlab import __version__, devices
from kernlab.compare.base import Cell, Record
from kernlab.compare.cells import run_cell, versions
from kernlab.data import Dataset
from kernlab.errors import DeviceError, OptionError

__all__ = ["BACKENDS", "Backend", "Dask", "Here", "Local", "backend"]

BACKENDS = ("local", "dask", "here")
DEATHS = 3  # of workers that a cell may see before it is held to be the cause
ANSWER = 6.0  # seconds that a cluster has to answer
LOOK = 0.5  # seconds between two looks at whether the cluster is still there


class Backend(Protocol):
    """Computes cells."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        """Records of the cells in the order in which they are finished.

        Args:
            cells: drawn one for each free worker, perhaps from another thread.
            datasets: each cell's data by its fingerprint.

        Raises:
            DeviceError: the workers cannot be reached any more; what was given out before is not affected.
        """
        ...


def backend(name: str = "local", *, workers: int | None = None, address: str | None = None) -> Backend:
    """The backend of that name.

    Args:
        name: "local", "dask" or "here".
        workers: processes of "local"; default: one a core.
        address: of the scheduler, for "dask": "tcp://host:8786".

    Raises:
        OptionError: they do not go together.
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
        return Dask(address)
    return Local(workers) if name == "local" else Here()


def _compute(cell: Cell, dataset: Dataset) -> Record:
    """What a worker does. Ctrl-C reaches every process of a terminal, and is the caller's to answer."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run_cell(cell, dataset=dataset)


def _died(cell: Cell, times: int) -> Record:
    message = (
        f"The process that computed it died {times} times (most likely it ran out of memory). "
        "Set a smaller n_features or batch_size, or fewer workers."
    )
    return Record(cell.key, cell.to_dict(), "failed", message, versions=versions())


@dataclass(frozen=True)
class Here:
    """One cell after the other in this very process."""

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        return (run_cell(cell, dataset=datasets[cell.fingerprint]) for cell in cells)


@dataclass(frozen=True)
class Local:
    """One single-threaded process a core, kept by loky; large arrays are shared by mapping them.

    Attributes:
        workers: processes; None: one a core.
    """

    workers: int | None = None

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        workers = self.workers or devices.cores()
        if workers == 1:
            yield from Here()(cells, datasets)
            return
        under_way: dict[str, Cell] = {}
        deaths: dict[str, int] = {}

        def drawn() -> Iterator[Any]:
            for cell in _again(list(under_way.values()), cells):
                under_way[cell.key] = cell
                yield delayed(_compute)(cell, datasets[cell.fingerprint])

        while True:
            with parallel_config("loky", n_jobs=workers, inner_max_num_threads=1):
                records = Parallel(return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)(drawn())
            try:
                with closing(records):
                    for record in records:
                        del under_way[record.key]
                        yield record
                return
            except TerminatedWorkerError:
                for cell in list(under_way.values()):  # one of them killed its worker; the others died with it
                    deaths[cell.key] = deaths.get(cell.key, 0) + 1
                    if deaths[cell.key] == DEATHS:
                        yield _died(under_way.pop(cell.key), DEATHS)


def _again(first: list[Cell], then: Iterator[Cell]) -> Iterator[Cell]:
    yield from first
    yield from then


@dataclass(frozen=True)
class Dask:
    """The workers of a Dask cluster; each is sent a data set once.

    Attributes:
        address: of its scheduler.
    """

    address: str

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        client = _connected(self.address)
        try:
            yield from _Session(client, self.address, datasets).records(cells)
        finally:
            with suppress(Exception):  # a scheduler that has gone cannot be said goodbye to
                client.close(timeout=2)


def _connected(address: str) -> Any:
    """A client of the cluster, which has a worker.

    Raises:
        DeviceError: nobody answers there, or there is no worker.
        OptionError: Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise OptionError(
            "the backend dask needs the package distributed", "it is not installed", "run pip install 'kernlab[dask]'"
        ) from None
    try:
        client = Client(address, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise DeviceError(
            f"a Dask scheduler must answer at {address} within {ANSWER:.0f} s",
            f"{type(error).__name__}: {error}",
            "check the address, or start one with: dask scheduler",
        ) from None
    if not _workers(client):
        with suppress(Exception):
            client.close(timeout=2)
        raise DeviceError(
            f"the Dask cluster at {address} must have a worker", "none",
            f"start one with: dask worker {address} --nthreads 1",
        )  # fmt: skip
    return client


def _workers(client: Any) -> int:
    """Threads of the cluster's workers."""
    return sum(client.nthreads().values())


class _Session:
    """Cells under way on one cluster."""

    def __init__(self, client: Any, address: str, datasets: Mapping[str, Dataset]) -> None:
        self._client, self._address, self._datasets = client, address, datasets
        self._sent: dict[str, Any] = {}  # data sets on the cluster, by fingerprint
        self._under_way: dict[Any, Cell] = {}
        self._tries: dict[str, int] = {}

    def records(self, cells: Iterator[Cell]) -> Iterator[Record]:
        from distributed import wait

        more = True
        while more or self._under_way:
            while more and len(self._under_way) < max(1, self._threads()):
                cell = next(cells, None)
                more = cell is not None
                if cell is not None:
                    self._submit(cell)
            if not self._under_way:
                continue
            with suppress(TimeoutError):
                wait(list(self._under_way), timeout=LOOK, return_when="FIRST_COMPLETED")
            self._check()
            for future in [each for each in self._under_way if each.done()]:
                yield from self._finished(future)

    def _threads(self) -> int:
        self._check()
        return _workers(self._client)

    def _check(self) -> None:
        if self._client.status != "running":
            raise self._gone()

    def _gone(self) -> DeviceError:
        return DeviceError(
            f"the Dask scheduler at {self._address} must stay there",
            "it has gone",
            "start it again and repeat the command: what is finished is kept",
        )

    def _submit(self, cell: Cell) -> None:
        tries = self._tries[cell.key] = self._tries.get(cell.key, 0) + 1
        key = f"kernlab-{cell.key}-{tries}-{id(self)}"
        data = self._data(cell.fingerprint)
        self._under_way[self._client.submit(_compute, cell, data, key=key, pure=False, retries=DEATHS)] = cell

    def _data(self, fingerprint: str) -> Any:
        """The data set on the workers: sent to those there are; one that comes later fetches it from them."""
        if fingerprint not in self._sent or self._sent[fingerprint].status in ("lost", "cancelled"):
            dataset = self._datasets[fingerprint]
            self._sent[fingerprint] = self._client.scatter(dataset, broadcast=True, hash=False)
        return self._sent[fingerprint]

    def _finished(self, future: Any) -> Iterator[Record]:
        """The future's record; none where its data died with the workers that had them: then it is sent again."""
        from distributed import KilledWorker

        cell = self._under_way.pop(future)
        if future.status == "finished":
            record = future.result()
            if record.versions["kernlab"] != __version__:
                raise self._other(f"kernlab {record.versions['kernlab']} there, {__version__} here")
            yield record
        elif future.status == "error":
            error = future.exception()
            if not isinstance(error, KilledWorker):
                raise self._other(f"{type(error).__name__}: {error}")
            yield _died(cell, DEATHS + 1)
        elif self._tries[cell.key] > DEATHS:
            yield _died(cell, self._tries[cell.key])
        else:
            self._sent.pop(cell.fingerprint, None)
            self._submit(cell)

    def _other(self, found: str) -> DeviceError:
        return DeviceError(
            f"the workers of {self._address} must have the same kernlab with what it needs", found,
            "install it there and start them again",
        )  # fmt: skip
