"""Reproductions that are no comparison of splits, each in a process of its own: ``kernlab reproduce NAME``.

The process writes what it does to its error stream, a line at a time, and its rows to a folder. What is finished is
kept under what was asked for; a stopped one keeps nothing and begins anew:

    HOME/reproductions/<key>.json    the rows, when, and how long they took
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
from kernlab.jobs.queue import Claimed, JobState, Kind, Queue, Status, elsewhere, sentence

__all__ = ["Asked", "ReproductionState", "Reproductions"]


@dataclass(frozen=True)
class Asked:
    """What is reproduced.

    Attributes:
        name: as ``kernlab reproduce`` takes it.
        datasets: which parts; none: all.
        repeats, seed: draws, and the first one's seed.
    """

    name: str
    datasets: tuple[str, ...] = ()
    repeats: int = 1
    seed: int = 0

    @property
    def words(self) -> list[str]:
        """The command's words after ``kernlab``."""
        parts = ["--datasets", ",".join(self.datasets)] if self.datasets else []
        return ["reproduce", self.name, *parts, "--repeats", str(self.repeats), "--seed", str(self.seed)]

    @property
    def key(self) -> str:
        """Names its file."""
        return f"{self.name}-{hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:12]}"


@dataclass(frozen=True, kw_only=True)
class ReproductionState(JobState):
    """How far a reproduction is.

    Attributes:
        said: what its process wrote of its progress, in order.
        rows: the table, once it is finished.
    """

    said: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    pausable: bool = False


class _Reproducing(Claimed):
    kind = "reproduction"

    def __init__(self, owner: Reproductions, asked: Asked, claim: Claim) -> None:
        super().__init__(owner, claim, asked.key, asked.name, "reproductions")
        self._root, self._asked = owner.root, asked
        self._process: subprocess.Popen[str] | None = None
        self._said: list[str] = []

    def pause(self) -> None:
        raise StoreError("a reproduction cannot be paused", self.name, "stop it; it then begins anew")

    def cancel(self) -> None:
        super().cancel()
        if self._process:
            self._process.terminate()

    def work(self) -> None:
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".") as folder:
            self._process = processes.started("kernlab.cli", *self._asked.words, "--out", folder)
            if self.cancelled:  # since it was begun
                self._process.terminate()
            with self._process as process:
                assert process.stderr is not None
                for line in process.stderr:
                    self._said.append(line.strip())
                code = process.wait()
            if code and self.cancelled:
                self.skipped()
            elif code:
                self.error = self._said[-1] if self._said else f"it ended with code {code}"
                self.say("failed")
            else:
                rows = json.loads((Path(folder) / f"{self.name}.json").read_text("utf-8"))
                kept = {**asdict(self._asked), "seconds": self.elapsed, "when": time.time(), "rows": rows}
                with replacing(self._root / f"{self.id}.json") as file:
                    file.write(json.dumps(kept).encode())
                self.say("finished")

    def failed(self, error: BaseException) -> None:
        self.error = (
            f"its table cannot be kept: {error}" if isinstance(error, OSError | ValueError) else sentence(error)
        )
        self.say("failed")

    def state(self) -> ReproductionState:
        return ReproductionState(
            **self.facts, said=tuple(self._said), elapsed=self.elapsed, uses="a process of its own, on the CPU"
        )


class Reproductions(Kind):
    """The reproductions of one folder.

    Args:
        root: the folder of runs and comparisons.
        queue: default: one of its own.
    """

    kind = "reproduction"
    last: dict[str, ReproductionState]

    def __init__(self, root: Path, queue: Queue | None = None) -> None:
        super().__init__(queue)
        self.root = root / "reproductions"

    def start(self, asked: Asked) -> None:
        """Begin; one that is under way here is left as it is.

        Raises:
            StoreError: the folder cannot be written to, or another process works on it.
        """
        if self.jobs.get(asked.key):
            return
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            claim = Claim.take(self.root / f"{asked.key}.lock")
        except OSError as error:
            raise StoreError(f"{self.root} must be writable", error, "point KERNLAB_HOME elsewhere") from error
        if claim is None:
            raise elsewhere(self.kind, asked.name)
        self.last.pop(asked.key, None)
        self.jobs.start(_Reproducing(self, asked, claim))

    def snapshot(self, id: str) -> ReproductionState:
        """How far it is; the table of an earlier time where there is one and nothing is under way."""
        if isinstance(job := self.jobs.get(id), _Reproducing):
            return job.state()
        held, kept, last = Claim.state(self.root / f"{id}.lock"), self._read(id), self.last.get(id)
        facts: dict[str, Any] = {"id": id, "kind": self.kind, "name": id.rpartition("-")[0]}
        if held == "held":
            return ReproductionState(**facts, status="running", uses="another process")
        if last and last.status == "failed":
            return last
        if kept:
            said = last.said if last else ()
            rows = tuple(kept["rows"])
            return ReproductionState(**facts, status="finished", said=said, elapsed=kept["seconds"], rows=rows)
        status: Status = "interrupted" if held == "abandoned" else ""
        return last or ReproductionState(**facts, status=status)

    def _read(self, id: str) -> dict[str, Any] | None:
        with contextlib.suppress(OSError, ValueError):
            kept = json.loads((self.root / f"{id}.json").read_text("utf-8"))
            if isinstance(kept, dict) and isinstance(kept.get("rows"), list):
                return kept
        return None

    def elsewhere(self) -> list[JobState]:
        ids = [path.stem for path in self.root.glob("*.lock") if not self.jobs.get(path.stem)]
        return [self.snapshot(id) for id in ids if Claim.state(self.root / f"{id}.lock") == "held"]
