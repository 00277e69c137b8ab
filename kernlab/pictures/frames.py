"""Layouts and frames of a stored run as compact JSON, drawn by name: what a browser needs to play a run.

    layout(run, "density", {"look": "principal direction 2"}, of=12)     its look over the first 12 snapshots
    frame(run, "density", {"look": "principal direction 2"}, step=300)   the arrays of the snapshot at step 300

A picture over training has one frame a version of the metrics instead of one a snapshot: its step is that version.
"""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from plotly.utils import PlotlyJSONEncoder

from kernlab.errors import UnknownNameError
from kernlab.pictures import film
from kernlab.pictures.base import At
from kernlab.pictures.gallery import picture_for, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.runs.record import LIVE
from kernlab.runs.store import Store

__all__ = ["Films", "frame", "layout", "to_json"]

_RUNS = 6  # runs that are kept in memory with their metrics


class Films:
    """Draws runs of one store; it may live in a process of its own.

    Args:
        store: where the runs are kept.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._runs: OrderedDict[str, RecordedRun] = OrderedDict()

    def layout(self, run_id: str, key: str, view: Mapping[str, str], of: int) -> bytes:
        """The layout of a picture over the first ``of`` snapshots, as JSON.

        Raises:
            UnknownNameError: there is no such run, picture or switch, or the run has not what the picture needs.
        """
        return layout(self._run(run_id, lambda run: len(run.snapshots.steps) >= of), key, view, of)

    def frame(self, run_id: str, key: str, view: Mapping[str, str], step: int) -> bytes:
        """The frame of a picture at the snapshot of a step, as JSON; of one over training, at a version of the metrics.

        Raises:
            UnknownNameError: as :meth:`layout`, or there is no snapshot of that step.
        """
        return frame(self.with_steps(run_id, [step]), key, view, step)

    def with_steps(self, run_id: str, steps: Collection[int]) -> RecordedRun:
        """A run that has the snapshots of these steps, or these versions of the metrics, if the stored one has.

        Raises:
            UnknownNameError: there is no such run.
        """
        return self._run(
            run_id, lambda run: all(step in run.snapshots.steps or run.version[0] >= step for step in steps)
        )

    def _run(self, run_id: str, enough: Any) -> RecordedRun:
        """The run with what is asked of it, fetched anew from the store where it has not."""
        run = self._runs.get(run_id)
        if run is None:
            run = self._runs[run_id] = RecordedRun(self.store, run_id)
            run.refresh()
        elif not enough(run) or run.live:
            run.refresh()
        else:
            self.store.get(run_id)  # it may have been removed since
        run.live = run.run.status in LIVE
        self._runs.move_to_end(run_id)
        while len(self._runs) > _RUNS:
            self._runs.popitem(last=False)
        return run


def layout(run: RecordedRun, key: str, view: Mapping[str, str], of: int) -> bytes:
    """As :meth:`Films.layout`, of a run that has these snapshots."""
    at = seen(run, view)
    return to_json(film.layout(picture_for(key, at), run, at.view, of=of)._asdict())


def frame(run: RecordedRun, key: str, view: Mapping[str, str], step: int) -> bytes:
    """As :meth:`Films.frame`, of a run that has this snapshot."""
    at = seen(run, view)
    picture = picture_for(key, at)
    return to_json(film.frame(picture, at if picture.over_time else _moved(at, step))._asdict())


def _moved(newest: At, step: int) -> At:
    snapshots = newest.run.snapshots
    place = int(np.searchsorted(snapshots.steps, step))
    if place == len(snapshots.steps) or snapshots.steps[place] != step:
        raise UnknownNameError("the run must have a snapshot at that step", step)
    moment = newest.run.moment(float(snapshots.epochs[place]))
    assert moment
    return newest._replace(moment=moment)


#: Names of NumPy's types in Plotly's notation of arrays; a picture needs no more than single precision.
_TYPES = {"f8": "f4", "f4": "f4", "i8": "i4", "i4": "i4", "i2": "i2", "i1": "i1", "u1": "u1", "u2": "u2", "b1": "u1"}


def to_json(value: Any) -> bytes:
    """Layouts and frames as JSON, their arrays as base64 in Plotly's notation."""
    return json.dumps(_packed(value), cls=PlotlyJSONEncoder, separators=(",", ":")).encode()


def _packed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _packed(each) for key, each in value.items()}
    if not (isinstance(value, np.ndarray) and value.size and value.ndim < 3 and value.dtype.str[1:] in _TYPES):
        return value
    kind = _TYPES[value.dtype.str[1:]]
    packed = {"dtype": kind, "bdata": base64.b64encode(np.ascontiguousarray(value, f"<{kind}").tobytes()).decode()}
    return packed | ({"shape": ", ".join(map(str, value.shape))} if value.ndim > 1 else {})
