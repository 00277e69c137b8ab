"""Reproductions that are no comparison of splits, each in a process of its own: ``kernlab reproduce NAME``.

The process writes its progress to its error stream, a line at a time, and its rows to a folder. A finished table is
kept under the key of its request; a stopped reproduction keeps nothing and begins anew:

    HOME/reproductions/<key>.json    the rows, their date, and the seconds that they took
    HOME/reproductions/<key>.lock    locked while a process works on it
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kernlab import processes
from kernlab.errors import StoreError
from kernlab.files import Claim, replacing
from kernlab.jobs.queue import Claimed, JobState, Kind, Queue, Status, sentence

__all__ = ["ReproductionState", "Reproductions", "Request"]


@dataclass(frozen=True)
class Request:
    """The request for a reproduction.

    Attributes:
        name: as ``kernlab reproduce`` takes it.
        datasets: which parts; none: all.
        repeats, seed: number of draws, and the seed of the first.
    """

    name: str
    datasets: tuple[str, ...] = ()
    repeats: int = 1
    seed: int = 0

    @property
    def words(self) -> list[str]:
        """The arguments of the command ``kernlab``."""
        parts = ["--datasets", ",".join(self.datasets)] if self.datasets else []
        return ["reproduce", self.name, *parts, "--repeats", str(self.repeats), "--seed", str(self.seed)]

    @property
    def key(self) -> str:
        """The id of the job and the name of its file."""
        return f"{self.name}-{hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]}"


@dataclass(frozen=True, kw_only=True)
class ReproductionState(JobState):
    """How far a reproduction is.

    Attributes:
        lines: the lines of progress that its process has written.
        rows: the table, once it is finished.
    """

    lines: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    pausable: bool = False


class _Reproducing(Claimed):
    kind = "reproduction"

    def __init__(self, owner: Reproductions, request: Request, claim: Claim) -> None:
        super().__init__(owner, claim, request.key, request.name, "reproductions")
        self._root, self._request = owner.root, request
        self._process: subprocess.Popen[str] | None = None
        self._lines: list[str] = []

    def pause(self) -> None:
        raise StoreError("a reproduction cannot be paused", self.name, "stop it; it then begins anew")

    def cancel(self) -> None:
        super().cancel()
        if self._process:
            self._process.terminate()

    def work(self) -> None:
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".") as folder:
            self._process = processes.started("kernlab.cli", *self._request.words, "--out", folder)
            if self.cancelled:  # while the process was started
                self._process.terminate()
            with self._process as process:
                assert process.stderr is not None
                for line in process.stderr:
                    self._lines.append(line.strip())
                code = process.wait()
            if code and self.cancelled:
                self.skipped()
            elif code:
                self.error = self._lines[-1] if self._lines else f"it ended with code {code}"
                self.set_status("failed")
            else:
                rows = json.loads((Path(folder) / f"{self.name}.json").read_text("utf-8"))
                kept = {**asdict(self._request), "seconds": self.elapsed, "when": time.time(), "rows": rows}
                with replacing(self._root / f"{self.id}.json") as file:
                    file.write(json.dumps(kept).encode())
                self.set_status("finished")

    def failed(self, error: BaseException) -> None:
        self.error = (
            f"its table cannot be kept: {error}" if isinstance(error, OSError | ValueError) else sentence(error)
        )
        self.set_status("failed")

    def state(self) -> ReproductionState:
        return ReproductionState(
            **self.facts, lines=tuple(self._lines), elapsed=self.elapsed, uses="a process of its own, on the CPU"
        )


class Reproductions(Kind[ReproductionState]):
    """The reproductions of one folder.

    Args:
        root: the folder of runs and comparisons.
        queue: default: a new one.
    """

    kind = "reproduction"

    def __init__(self, root: Path, queue: Queue | None = None) -> None:
        super().__init__(queue)
        self.root = root / "reproductions"

    def start(self, request: Request) -> None:
        """Begin, unless this process works on it already.

        Raises:
            StoreError: the folder cannot be written to, or another process works on it.
        """
        if self._goes_on(request.key):
            return
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            claim = Claim.take(self.root / f"{request.key}.lock")
        except OSError as error:
            raise StoreError(f"{self.root} must be writable", error, "point KERNLAB_HOME elsewhere") from error
        job = _Reproducing(self, request, claim or self._refuse(request.name))
        self.last.pop(request.key, None)
        self.jobs.start(job)

    def snapshot(self, id: str) -> ReproductionState:
        """How far it is, whichever process works on it; if none does, the table of an earlier reproduction."""
        if isinstance(job := self.jobs.get(id), _Reproducing):
            return job.state()
        claim, kept, last = Claim.state(self.root / f"{id}.lock"), self._read(id), self.last.get(id)
        facts: dict[str, Any] = {"id": id, "kind": self.kind, "name": id.rpartition("-")[0]}
        if claim == "held":
            return ReproductionState(**facts, status="running", uses="another process")
        if last and last.status == "failed":
            return last
        if kept:
            lines = last.lines if last else ()
            rows = tuple(kept["rows"])
            return ReproductionState(**facts, status="finished", lines=lines, elapsed=kept["seconds"], rows=rows)
        status: Status = "interrupted" if claim == "abandoned" else ""
        return last or ReproductionState(**facts, status=status)

    def _read(self, id: str) -> dict[str, Any] | None:
        with contextlib.suppress(OSError, ValueError):
            kept = json.loads((self.root / f"{id}.json").read_text("utf-8"))
            if isinstance(kept, dict) and isinstance(kept.get("rows"), list):
                return kept
        return None

    def elsewhere(self) -> list[ReproductionState]:
        ids = [path.stem for path in self.root.glob("*.lock") if not self.jobs.get(path.stem)]
        return [self.snapshot(id) for id in ids if Claim.state(self.root / f"{id}.lock") == "held"]
