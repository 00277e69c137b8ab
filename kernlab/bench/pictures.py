"""How long pictures take to be drawn, on one thread: those of a run, of the papers' errors, and of a table.

A run of ASKL on digits with 2000 features; every place of every slider of the papers' errors; what the Data page finds
out about 20 000 rows of 50 columns. A picture that follows a slider should take no longer than 0.3 s.
"""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, medians
from kernlab.bench.pages import stored
from kernlab.data import DataSpec, make_dataset, prepare
from kernlab.papers import PAPERS
from kernlab.pictures.gallery import PICTURES, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.runs.store import Store

__all__ = ["pictures"]

ROUNDS, ROWS, COLUMNS = 3, 20_000, 50


@BENCHMARKS.register("pictures")
def pictures() -> dict[str, Any]:
    """Seconds of the median and of the slowest picture of a run, and of the places of sliders; seconds of a table."""
    from kernlab.ui.data import found

    with tempfile.TemporaryDirectory() as folder, devices.one_thread():
        run_id = stored(Path(folder), "ASKL", "digits", n_features=2000, epochs=20, compile="off")
        with Store(Path(folder)) as store:
            run = RecordedRun(store, run_id)
            run.refresh()
            shown = seen(run, {})
            fitting = [each for each in PICTURES.values() if each.fits(shown)]
            of_run = medians(in_turns({each.key: partial(each.make, shown) for each in fitting}, ROUNDS))
        sliders = {}
        for mistake in (each for paper in PAPERS.values() for each in paper.mistakes):
            usual = {slider.key: slider.default for slider in mistake.sliders}
            for slider in mistake.sliders:
                for value in slider.values:
                    place = usual | {slider.key: value}
                    sliders[f"{mistake.key}.{slider.key}={value}"] = partial(mistake.make, **place)
        X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(np.float32)
        table = make_dataset("large", X, (X[:, 3] > 0).astype(int), "classification")
        return {
            **_summary("run", of_run),
            **_summary("errors", medians(in_turns(sliders, ROUNDS))),
            **medians(in_turns({"table": partial(found, prepare(table, DataSpec(), 0))}, ROUNDS)),
        }


def _summary(name: str, seconds: dict[str, float]) -> dict[str, Any]:
    slowest = max(seconds, key=seconds.__getitem__)
    return {
        f"{name}_pictures": len(seconds),
        f"{name}_seconds": statistics.median(seconds.values()),
        f"{name}_longest": seconds[slowest],
        f"{name}_slowest": slowest.removesuffix("_seconds"),
    }
