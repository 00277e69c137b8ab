"""What a run would start from, seen before it: the data, the assigned kernel and what "auto" comes to. Nothing of it is
a run.

A preview is made in the process that draws and sent to the server, which asks of it what the page must know; both keep
the last few. Pictures take it for a run with one snapshot.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kernlab.data import Prepared, folder
from kernlab.pictures.recorded import RecordedRun
from kernlab.runs.record import Run
from kernlab.runs.store import Metrics, Snapshots
from kernlab.spec import RunSpec
from kernlab.training.events import Snapshot, Started

__all__ = ["PREFIX", "Preview", "made", "name_of", "stamp", "stamps"]

PREFIX = "preview"  # of the names of previews; the ids of runs are shorter
_KEPT, _DATA = 12, 2  # previews and prepared data sets in memory


class _Source:
    """What pictures ask of a store, answered from two events."""

    def __init__(self, run: Run, started: Started, snapshot: Snapshot) -> None:
        self._run, self._started, self._snapshot = run, started, snapshot

    def get(self, run_id: str) -> Run:
        return self._run

    def progress(self, run_id: str, after: int = 0) -> tuple[Metrics, Snapshots]:
        return Metrics({}, 0, True), Snapshots(np.zeros(1, np.int64), np.zeros(1))

    def snapshot(self, run_id: str, step: int) -> dict[str, Any]:
        return dict(self._snapshot.arrays)

    def static(self, run_id: str) -> dict[str, Any]:
        return dict(self._started.arrays)


class Preview(RecordedRun):
    """A run before its first step, which is stored nowhere.

    Attributes:
        of_data: names all that pictures of the data alone are drawn from.

    Args:
        spec: what would be trained.
        data: prepared data; otherwise they are loaded.

    Raises:
        KernlabError: it cannot be started.
    """

    def __init__(self, spec: RunSpec, data: Prepared | None = None) -> None:
        from kernlab.training.trainer import begin

        started, snapshot = begin(spec, data)
        name = name_of(spec)
        run = Run(
            id=name, name=PREFIX, method=spec.method.name, dataset=spec.data.dataset, seed=spec.seed,
            device=str(started.facts["device"]), status="queued", created=0.0, updated=0.0, seconds=0.0,
            spec=spec.to_dict(), resolved=dict(started.spec), facts=dict(started.facts), summary={}, versions={},
            fingerprint=str(started.facts["fingerprint"]), note="", error="", starred=False, deleted=False, step=0,
        )  # fmt: skip
        super().__init__(_Source(run, started, snapshot), name)  # type: ignore[arg-type]
        self.refresh()
        self.of_data = _of_data(started)


#: What pictures of the data alone are drawn from: arrays by how their names begin, and facts.
_ROWS, _FACTS = ("row_", "view_", "data_"), ("task", "classes", "class_rows", "feature_names", "image_shape", "n_train",
                                             "target_unit")  # fmt: skip


def _of_data(started: Started) -> str:
    seen = hashlib.sha256(json.dumps([started.facts.get(name) for name in _FACTS], default=str).encode())
    for name, array in sorted(started.arrays.items()):
        if name.startswith(_ROWS):
            seen.update(name.encode() + np.ascontiguousarray(array).tobytes())
    return seen.hexdigest()


def stamps(paths: Iterable[Path]) -> tuple[tuple[str, int, int], ...]:
    """Path, size and time of each file: they change with it."""
    found = []
    for path in paths:
        with suppress(OSError):  # what cannot be opened is reported where it is read
            found.append((str(path), path.stat().st_size, path.stat().st_mtime_ns))
    return tuple(found)


def stamp(name: str) -> tuple[tuple[str, int, int], ...]:
    """The :func:`stamps` of a data set's files; empty for one that has none."""
    return stamps(folder.files().get(name, ()))


def name_of(spec: RunSpec) -> str:
    """The name of a preview, by which the page and the browser ask for its pictures."""
    seen = json.dumps([spec.to_dict(), stamp(spec.data.dataset)], sort_keys=True)
    return PREFIX + hashlib.sha256(seen.encode()).hexdigest()[:24]


def made(spec: Mapping[str, Any]) -> Preview:
    """The preview of a spec as JSON; the last ones are kept, and so are the data behind the last two.

    Raises:
        KernlabError: it cannot be started.
    """
    return _made(json.dumps(spec, sort_keys=True), stamp(spec["data"]["dataset"]))


@lru_cache(maxsize=_KEPT)
def _made(text: str, files: tuple[object, ...]) -> Preview:
    from kernlab.training import rules

    spec = RunSpec.from_dict(json.loads(text))
    source = rules.resolve_data(spec.data, spec.method)
    return Preview(spec, _data(json.dumps(source.options(), sort_keys=True), spec.seed, files))


@lru_cache(maxsize=_DATA)
def _data(options: str, seed: int, files: tuple[object, ...]) -> Prepared:
    from kernlab.data import DataSpec, load, prepare

    source = DataSpec.build(**json.loads(options))
    return prepare(load(source), source, seed)
