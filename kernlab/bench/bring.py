"""A large table of one's own: how soon it is understood, how fast it is imported, and in how much memory.

A CSV file of a million rows and 50 columns as people have them (about 450 MB): numbers with gaps, whole numbers, dates,
words, yes and no. The baseline is PyArrow's parsing of the same file into the same columns. Each is a process of its
own, so that its memory is its own. Where a browser is installed, the page's own preview is timed as well: from the
path of the file to the pictures of what a model would be given, in a server that nobody has asked anything else.

seconds   of wall time; what else the machine does lengthens it
cpu       seconds of processor time, of all threads
memory    MB: the most that the process had (on Linux)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from kernlab.bench.base import BENCHMARKS
from kernlab.bench.pages import VIEWPORT, button, chromium, serving
from kernlab.errors import AppError

__all__ = ["bring"]

ROWS, NUMBERS, PART = 1_000_000, 44, 50_000
WARMS = 20.0  # seconds in which a server loads what its first visitors would wait for

_BEGIN = """
import json, os, re, sys, time
from kernlab.data import tables
path = sys.argv[1]
begun, cpu = time.perf_counter(), time.process_time()
"""
#: Linux's own count; getrusage begins with that of the process that started this one.
_END = """
spent = {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}
if os.path.exists("/proc/self/status"):
    spent["memory"] = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps(spent))
"""
_WORK = {
    "preview": "tables.look(path)",
    "import": "seen = tables.look(path); tables.prepare(path, seen.recipe, 'brought')",
    "pyarrow": "import pyarrow.csv\nfor batch in pyarrow.csv.open_csv(path): pass",
}


@BENCHMARKS.register("bring")
def bring(rows: int = ROWS, page: bool = True) -> dict[str, Any]:
    """Seconds, processor time and memory of a preview, of a whole import (with its preview), and of PyArrow alone.

    Args:
        rows: of the table.
        page: also open it on the Data page, where a browser is installed.
    """
    with tempfile.TemporaryDirectory(prefix="kernlab-bench-") as folder:
        path = Path(folder) / "large.csv"
        _table(path, rows)
        size = path.stat().st_size / 1e6
        figures: dict[str, Any] = {"table_rows": rows, "table_columns": NUMBERS + 6, "file_mb": size}
        for name, work in _WORK.items():
            figures |= {f"{name}_{key}": value for key, value in _measured(work, path).items()}
        if page:
            with suppress(AppError):  # no browser
                figures["page_preview_seconds"] = _on_page(path)
    figures["import_mb_per_second"] = size / figures["import_seconds"]
    figures["import_mb_per_cpu_second"] = size / figures["import_cpu"]
    figures["import_over_pyarrow"] = figures["import_cpu"] / figures["pyarrow_cpu"]
    return figures


def _measured(work: str, path: Path) -> dict[str, float]:
    # PyArrow takes its number of threads from OMP_NUM_THREADS.
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    environment |= {"KERNLAB_HOME": str(path.parent / "home")}
    done = subprocess.run([sys.executable, "-c", _BEGIN + work + _END, str(path)], env=environment, check=True,
                          stdout=subprocess.PIPE, text=True)  # fmt: skip
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _on_page(path: Path) -> float:
    """Seconds from the path of a file on the Data page to the button that imports it."""
    with chromium() as browser, serving() as (url, _):
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(f"{url}/data?part=bring")
        page.wait_for_timeout(1000 * WARMS)
        box = page.get_by_role("textbox", name="or the path of a file on this machine")
        box.fill(str(path))
        begun = time.perf_counter()
        box.press("Enter")
        button(page, "Import").wait_for(timeout=120_000)
        return time.perf_counter() - begun


def _table(path: Path, rows: int) -> None:
    """Write the table, part by part."""
    import pyarrow as pa
    import pyarrow.csv as csv

    random = np.random.default_rng(0)
    writer = None
    with path.open("wb") as file:
        for begin in range(0, rows, PART):
            n = min(PART, rows - begin)
            X = random.normal(size=(NUMBERS, n)).round(6)
            gaps = random.random((4, n)) < 0.1  # in the first four columns
            columns = {f"x{j + 1}": pa.array(X[j], mask=gaps[j] if j < len(gaps) else None) for j in range(NUMBERS)} | {
                "count": pa.array(random.integers(0, 500, n)),
                "day": pa.array(np.datetime64("2015-01-01") + random.integers(0, 3650, n)),
                "town": pa.array(random.choice(["Bath", "Ely", "Leeds", "York"], n)),
                "ward": pa.array(random.choice(["heart", "lungs", "surgery"], n), mask=random.random(n) < 0.05),
                "smoker": pa.array(random.choice(["yes", "no"], n)),
                "target": pa.array(np.where(X[0] + X[1] > 0, "ill", "well")),
            }
            part = pa.table(columns)
            writer = writer or csv.CSVWriter(file, part.schema)
            writer.write(part)
        if writer:
            writer.close()
