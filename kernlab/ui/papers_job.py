"""Reproductions that are no comparison of splits, each in a process of its own: ``kernlab reproduce NAME``.

The process writes what it does to its error stream, a line at a time, and its rows to a folder. What is finished is
kept under what was asked for:

    HOME/reproductions/<key>.json    the rows, when, and how long they took
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from kernlab import paths
from kernlab.errors import StoreError

__all__ = ["Asked", "Progress", "Reproductions", "reproductions"]


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


@dataclass(frozen=True)
class Progress:
    """How far it is.

    Attributes:
        status: "" where it was never asked for here.
        said: what the process said it was doing, in order.
        seconds: since it began, or that it took.
        rows: the table, once it is finished.
        error: the sentence that a failed one ended with.
    """

    status: Literal["", "running", "finished", "stopped", "failed"] = ""
    said: tuple[str, ...] = ()
    seconds: float = 0.0
    rows: tuple[Mapping[str, Any], ...] = ()
    error: str = ""


@dataclass
class _Job:
    process: subprocess.Popen[str]
    began: float = field(default_factory=time.monotonic)
    said: list[str] = field(default_factory=list)
    stopped: bool = False
    ended: float | None = None
    error: str = ""


class Reproductions:
    """Those that one process of the app has under way, and those finished in a folder.

    Args:
        root: the folder of runs and comparisons.
    """

    def __init__(self, root: Path) -> None:
        self.root = root / "reproductions"
        self._jobs: dict[Asked, _Job] = {}
        self._lock = threading.Lock()

    def start(self, asked: Asked) -> None:
        """Begin; one that is under way is left as it is.

        Raises:
            StoreError: the folder cannot be written to, or no process can be started.
        """
        with self._lock:
            if (job := self._jobs.get(asked)) and job.ended is None:
                return
            try:
                self.root.mkdir(parents=True, exist_ok=True)
                folder = tempfile.TemporaryDirectory(dir=self.root, prefix=".")
                process = subprocess.Popen(
                    [sys.executable, "-m", "kernlab.cli", *asked.words, "--out", folder.name],
                    env={**os.environ, "PYTHONPATH": _import_path()},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                )
            except OSError as error:
                raise StoreError(f"{self.root} must be writable", error, "point KERNLAB_HOME elsewhere") from error
            job = self._jobs[asked] = _Job(process)
        threading.Thread(target=self._follow, args=(asked, job, folder), daemon=True).start()

    def _follow(self, asked: Asked, job: _Job, folder: tempfile.TemporaryDirectory[str]) -> None:
        with folder:
            assert job.process.stderr is not None
            for line in job.process.stderr:
                job.said.append(line.strip())
            try:
                if job.process.wait() == 0:
                    rows = json.loads((Path(folder.name) / f"{asked.name}.json").read_text("utf-8"))
                    self._keep(asked, rows, time.monotonic() - job.began)
                elif not job.stopped:
                    job.error = job.said[-1] if job.said else f"it ended with code {job.process.returncode}"
            except (OSError, ValueError) as error:
                job.error = f"its table cannot be kept: {error}"
            finally:
                job.ended = time.monotonic()

    def _keep(self, asked: Asked, rows: list[Mapping[str, Any]], seconds: float) -> None:
        part = self.root / f".{asked.key}.part"
        part.write_text(json.dumps({**asdict(asked), "seconds": seconds, "when": time.time(), "rows": rows}), "utf-8")
        os.replace(part, self.root / f"{asked.key}.json")

    def stop(self, asked: Asked) -> None:
        """End it at once; there is nothing that could be kept."""
        job = self._jobs.get(asked)
        if job and job.ended is None:
            job.stopped = True
            job.process.terminate()

    def look(self, asked: Asked) -> Progress:
        """How far it is; the table of an earlier time where there is one and nothing goes on."""
        job = self._jobs.get(asked)
        if job and job.ended is None:
            return Progress("running", tuple(job.said), time.monotonic() - job.began)
        kept = self._read(asked)
        if job and job.error:
            return Progress("failed", tuple(job.said), (job.ended or 0.0) - job.began, error=job.error)
        if kept:
            return Progress("finished", tuple(job.said) if job else (), kept["seconds"], tuple(kept["rows"]))
        return Progress("stopped", tuple(job.said), (job.ended or 0.0) - job.began) if job else Progress()

    def _read(self, asked: Asked) -> dict[str, Any] | None:
        with contextlib.suppress(OSError, ValueError):
            kept = json.loads((self.root / f"{asked.key}.json").read_text("utf-8"))
            if isinstance(kept, dict) and isinstance(kept.get("rows"), list):
                return kept
        return None

    def shutdown(self) -> None:
        """End all that are under way."""
        for asked in list(self._jobs):
            self.stop(asked)


def _import_path() -> str:
    """Where a new process finds the kernlab that runs here, first of all."""
    here = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))


@cache
def _of(root: Path) -> Reproductions:
    made = Reproductions(root)
    atexit.register(made.shutdown)
    return made


def reproductions() -> Reproductions:
    """The one of this process, for the folder of runs."""
    return _of(paths.home().resolve())
