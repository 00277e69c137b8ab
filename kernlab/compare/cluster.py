"""Cells on a Dask cluster: one for each thread of its workers, each data set sent to each worker once.

The scheduler hands the data to every worker as a plugin, also to one that joins later or takes the place of one
that died. Dask submits a cell whose worker dies to another one.
"""

from __future__ import annotations

import asyncio
import queue
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from distributed import Client, KilledWorker, WorkerPlugin
from distributed.comm.core import connect

from kernlab import __version__
from kernlab.compare.base import Cell, Record
from kernlab.compare.cells import died, run_cell
from kernlab.data import Dataset
from kernlab.errors import DeviceError

__all__ = ["Dask"]

ANSWER = 5.0  # seconds within which a scheduler must answer
POLL = 0.5  # seconds between two checks of whether it still runs

_datasets: dict[str, Dataset] = {}  # on a worker: data sets by their ticket


class _Data(WorkerPlugin):
    """Brings a data set to every worker."""

    def __init__(self, ticket: str, dataset: Dataset) -> None:
        self.name, self.ticket, self.dataset = ticket, ticket, dataset

    def setup(self, worker: Any) -> None:
        _datasets[self.ticket] = self.dataset

    def teardown(self, worker: Any) -> None:
        _datasets.pop(self.ticket, None)


def _compute(cell: Cell, ticket: str) -> Record:
    return run_cell(cell, dataset=_datasets[ticket])


class Dask:
    """The workers of a Dask cluster; each is sent a data set once.

    Args:
        address: of its scheduler.

    Raises:
        DeviceError: no scheduler answers within 5 s, it has no worker, or (when cells are computed) the workers have
            another kernlab.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        _connected(address).close(timeout=2)

    def __call__(self, cells: Iterator[Cell], datasets: Mapping[str, Dataset]) -> Iterator[Record]:
        client = _connected(self.address)
        session = _Session(client, self.address, datasets)
        try:
            yield from session.records(cells)
        finally:
            with suppress(Exception):  # the scheduler may have ended
                session.close()
                client.close(timeout=2)


def _connected(address: str) -> Any:
    try:
        # A refused client keeps its process waiting at the end, so the first call is made without one; in a thread of
        # its own, since the caller's may run an event loop (a notebook).
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _call(address)).result()
        client: Any = Client(address, timeout=ANSWER, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception as error:  # another service may answer at this address, with any result
        raise DeviceError(
            f"a Dask scheduler must answer at {address or 'the address'} within {ANSWER:.0f} s",
            f"{type(error).__name__}: {error}",
            "check the address, or start one with: dask scheduler",
        ) from None
    if not client.nthreads():
        with suppress(Exception):
            client.close(timeout=2)
        advice = f"start one with: dask worker {address} --nthreads 1"
        raise DeviceError(f"the Dask cluster at {address} must have a worker", "none", advice)
    return client


async def _call(address: str) -> None:
    comm = await asyncio.wait_for(connect(address, timeout=ANSWER), ANSWER + 1)  # type: ignore[no-untyped-call]
    await comm.close()


class _Session:
    """Cells under way on one cluster."""

    def __init__(self, client: Any, address: str, datasets: Mapping[str, Dataset]) -> None:
        self._client, self._address, self._datasets = client, address, datasets
        self._name = f"kernlab-{uuid.uuid4().hex[:12]}"  # others may work on the same cluster
        self._tickets: dict[str, str] = {}  # of what has been sent, by fingerprint
        self._under_way: dict[Any, Cell] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def records(self, cells: Iterator[Cell]) -> Iterator[Record]:
        """Keep every thread of the cluster busy until no cells are left."""
        more = True
        while more or self._under_way:
            while more and len(self._under_way) < max(1, self._threads()):
                cell = next(cells, None)
                more = cell is not None
                if cell is not None:
                    self._submit(cell)
            if self._under_way:
                with suppress(queue.Empty):
                    future = self._ended.get(timeout=POLL)
                    yield self._record(self._under_way.pop(future), future)
                self._threads()

    def close(self) -> None:
        """Remove the data from the cluster, unless it has ended."""
        if self._client.status != "running":
            return
        for ticket in self._tickets.values():
            self._client.unregister_worker_plugin(ticket)

    def _threads(self) -> int:
        """Threads of the workers that are connected now."""
        if self._client.status != "running":
            raise DeviceError(
                f"the Dask scheduler at {self._address} must keep running",
                "it has ended",
                "start it again and repeat the command: what is finished is kept",
            )
        return sum(self._client.nthreads().values())

    def _submit(self, cell: Cell) -> None:
        ticket = self._ticket(cell.fingerprint)
        key = f"{self._name}-{cell.key}"
        future = self._client.submit(_compute, cell, ticket, key=key, pure=False)
        self._under_way[future] = cell
        future.add_done_callback(self._ended.put)

    def _ticket(self, fingerprint: str) -> str:
        """The name by which workers find the data set; it is sent with its first cell."""
        if fingerprint not in self._tickets:
            ticket = f"{self._name}-{fingerprint[:16]}"
            try:
                self._client.register_plugin(_Data(ticket, self._datasets[fingerprint]))
            except Exception as error:  # a worker without kernlab raises anything
                raise self._unlike(f"{type(error).__name__}: {error}") from None
            self._tickets[fingerprint] = ticket
        return self._tickets[fingerprint]

    def _record(self, cell: Cell, future: Any) -> Record:
        if future.status == "error" and isinstance(future.exception(), KilledWorker):
            return died(cell)
        try:
            record: Record = future.result(timeout=60)
        except Exception as error:
            self._threads()  # raises if the scheduler has ended
            raise self._unlike(f"{type(error).__name__}: {error}") from None
        if record.versions["kernlab"] != __version__:
            raise self._unlike(f"kernlab {record.versions['kernlab']} on a worker, {__version__} here")
        return record

    def _unlike(self, found: str) -> DeviceError:
        return DeviceError(
            f"the workers of {self._address} must have the same kernlab, with all it needs",
            found,
            "install it on the workers and start them again",
        )
