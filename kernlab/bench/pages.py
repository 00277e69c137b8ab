"""The pages in a real browser: the delay of the first point, the cost to a training, and the delay behind the slider.

watching     Train is pressed, timed until a picture of the run has been painted, as a sketch or by Plotly, and until
             the first point of its objective has. Then a run whose step is compiled is shown in tabs that are hidden
             and seen in turns; a hidden one asks for nothing. One run has two points of its curves a second, in one
             tab and in five, and one a point every 14 s (seldom). The pages of the model's inside show a third
             run, which has a snapshot every two seconds. The browser has no GPU, and draws on the cores of the
             training.
scrubbing    A run of ASKL with 2000 features of 784 inputs. Each page is opened from another one, timed until its first
             picture is drawn. Then the keyboard changes its slider, timed until the first picture has been redrawn
             (the answer) and until the last one has.

The server is a process of its own; the browser is Chromium through Playwright, of the extra ``test``.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet
from sklearn.datasets import make_classification

from kernlab.bench.base import BENCHMARKS
from kernlab.data import known
from kernlab.errors import AppError
from kernlab.runs.store import Store
from kernlab.training.trainer import milestones
from kernlab.ui import landmarks

__all__ = ["VIEWPORT", "VISITS", "button", "chromium", "profiled", "scrubbing", "serving", "stored", "watching"]

#: Of Streamlit without the configuration of kernlab: it asks nobody, opens no browser and watches no files.
_ALONE = ("--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]

VIEWPORT = {"width": 1440, "height": 900}  # of a desk
VISITS = 3  # after which a browser with a profile keeps the compiled scripts of a page

INSIDE = ("spectrum", "kernel", "bounds")  # the pages of a model's inside

# of watching
TURNS, SECONDS = 15, 3.0  # turns with and without a page, and the length of each: what else a machine does changes
SELDOM_TURNS = 4  # of a run with a point every 14 seconds: each of its speeds takes two points
SEVERAL = 5  # tabs that show the same run, as if all were seen at once
SETTLED = 1.0  # seconds in which the browser ends what it begins when a page is hidden or seen again
INSIDE_TURNS, INSIDE_SECONDS = 3, 16.0  # for pages that poll the less often, the longer they take to draw
CLICKS = 5
#: What is trained while the first picture is waited for: a small table, the same with a compiled step, a larger table.
FIRST = {
    "": "dataset=digits&method=ASKL&epochs=400",
    "_compiled": "dataset=digits&method=ASKL&epochs=400&compile=on",
    "_letter": "dataset=letter&method=ASKL&epochs=400",
}
CURVE = f"{landmarks.points('objective')} > 0"
LIVELY = "dataset=digits&method=ASKL&epochs=6000&validation=0"  # at 1100 steps a second 4000 ended too early
LONG = "dataset=digits&method=ASKL&epochs=100000&validation=0"
SHOWN = "dataset=shell&method=ASKL&n_samples=10000&epochs=100000&validation=0"  # it outlasts the measurement

# of scrubbing
CHANGES, OPENED = 7, 3
EPOCHS, STEPS = 190, 1875  # of an hour on 60 000 rows in batches of 32, at 10 ms a step


@contextmanager
def serving(script: str = "", **environment: str) -> Iterator[tuple[str, Path]]:
    """The app as ``kernlab app`` serves it, or a page of Streamlit alone, with a run folder of its own.

    Args:
        script: the source of that page.
        environment: further variables of the server.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "kernlab.cli", "app", "--no-browser", "--port", str(port)]
        if script:
            (Path(home) / "page.py").write_text(script, "utf-8")
            command = [sys.executable, "-m", "streamlit", "run", f"{home}/page.py", f"--server.port={port}", *_ALONE]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env={**os.environ, "KERNLAB_HOME": home, **environment}, **quiet)  # type: ignore[call-overload]
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                    break
                time.sleep(0.1)
            yield url, Path(home)
        finally:
            process.terminate()
            process.wait(60)  # what is being drawn ends first


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    missing = "this benchmark needs Playwright and Chromium"
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise AppError(missing, "no playwright", "install kernlab[test]") from None
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=_installed(), args=FLAGS)
        except Error as error:
            raise AppError(missing, str(error).splitlines()[0], "install Chromium, or set KERNLAB_BROWSER") from None
        yield browser
        browser.close()


@contextmanager
def profiled(browser: Any, **options: Any) -> Iterator[Any]:
    """The one context of another browser, with a profile on the disk as a person's has.

    From the third visit on such a browser does not compile the scripts of a page again, of which Plotly's take a
    second; a browser without a profile compiles them at every visit.

    Args:
        options: of the context.
    """
    with tempfile.TemporaryDirectory() as folder:
        start = browser.browser_type.launch_persistent_context
        context = start(folder, executable_path=_installed(), args=FLAGS, **options)
        yield context
        context.close()


def _installed() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("KERNLAB_BROWSER") or next(filter(None, map(shutil.which, names)), None)


@BENCHMARKS.register("watching")
def watching() -> dict[str, Any]:
    """Training speed with and without a page, and seconds from the click to the first picture and the first point.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with _letters() as folders, serving(KERNLAB_DATA=folders) as (url, home), chromium() as browser:
        context = browser.new_context(viewport=VIEWPORT)
        first = {f"first_{what}{name}": values for name, form in FIRST.items()
                 for what, values in _starts(context, url, form).items()}  # fmt: skip
        pages = [context.new_page() for _ in range(SEVERAL)]
        speeds = _speeds(pages[:1], url, home, LIVELY, ("train",), TURNS, SECONDS)["train"]
        five = _speeds(pages, url, home, LIVELY, ("train",), TURNS, SECONDS)["train"]
        seldom = _speeds(pages[:1], url, home, LONG, ("train",), SELDOM_TURNS, SECONDS)["train"]
        inside = _speeds(pages[:1], url, home, SHOWN, INSIDE, INSIDE_TURNS, INSIDE_SECONDS)
        context.close()
    alone, watched = (statistics.median(values) for values in speeds)
    return {
        **{f"{name}_seconds": statistics.median(values) for name, values in first.items()},
        "first_point_slowest": max(first["first_point"]),
        "alone_steps_per_second": alone,
        "watched_steps_per_second": watched,
        "slowed_by_percent": _slowed(*speeds),
        "five_slowed_by_percent": _slowed(*five),
        "seldom_slowed_by_percent": _slowed(*seldom),
        **{f"{name}_slowed_by_percent": _slowed(*values) for name, values in inside.items()},
    }


def _slowed(alone: list[float], watched: list[float]) -> float:
    return 100 * (1 - statistics.median(w / a for a, w in zip(alone, watched, strict=True)))


@contextmanager
def _letters() -> Iterator[str]:
    """KERNLAB_DATA with a table called letter: where there is none, a generated one of its shape and classes."""
    folders = os.environ.get("KERNLAB_DATA", "")
    with tempfile.TemporaryDirectory() as own:
        if not any(each.name == "letter" and each.available for each in known()):
            X, y = make_classification(20_000, 16, n_informative=12, n_classes=26, random_state=0)
            columns = {f"x{place}": column for place, column in enumerate(X.T)}
            parquet.write_table(
                pyarrow.table({**columns, "target": [f"class {each}" for each in y]}), f"{own}/letter.parquet"
            )
            folders = os.pathsep.join(filter(None, [folders, own]))
        yield folders


def _starts(context: Any, url: str, form: str) -> dict[str, list[float]]:
    found = [_started(context, url, f"{form}&seed={seed}") for seed in range(CLICKS + 1)][1:]  # the first one warms
    return {what: [each[what] for each in found] for what in found[0]}


def _started(context: Any, url: str, form: str) -> dict[str, float]:
    """Seconds from the click on Train to the first picture of the run, and to a point of its objective."""
    page = context.new_page()
    page.goto(f"{url}/train?{form}")
    page.wait_for_function(f"{landmarks.draws('density')} > 0", timeout=60_000)
    page.wait_for_timeout(1500)
    page.evaluate(landmarks.STARTED)
    button(page, "Train").click()
    page.wait_for_function("Object.keys(kernlabStarted).length === 2", timeout=30_000)
    seconds = {what: value / 1000 for what, value in page.evaluate("kernlabStarted").items()}
    button(page, "Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    page.close()
    return seconds


def _speeds(
    pages: Sequence[Any], url: str, home: Path, form: str, names: tuple[str, ...], turns: int, seconds: float
) -> dict[str, tuple[list[float], list[float]]]:
    """Steps per second of one run that is open on the page of each name: its tabs hidden before and after, and seen."""
    page = pages[0]
    page.goto(f"{url}/train?{form}")
    button(page, "Train").click()
    page.wait_for_function(CURVE, timeout=30_000)
    address = page.url
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    with Store(home) as store:
        (run,) = store.list(status="running")
        while store.get(run.id).step < store.get(run.id).facts.get("compiled_from", 0):
            time.sleep(0.2)
        for name in names:
            for tab in pages:
                tab.goto(f"{url}/{name}?run={run.id}")
                tab.locator(landmarks.DRAWN).first.wait_for(timeout=30_000)
                tab.wait_for_function(landmarks.RESTED, timeout=60_000)
            before = _speed(store, run.id, pages, True, seconds)
            for _ in range(turns):
                watched = _speed(store, run.id, pages, False, seconds)
                after = _speed(store, run.id, pages, True, seconds)
                for values, value in zip(found[name], ((before + after) / 2, watched), strict=True):
                    values.append(value)
                before = after
    page.goto(address)
    button(page, "Stop").click()
    page.get_by_text("Stopped").first.wait_for()
    return found


def _speed(store: Any, run_id: str, pages: Sequence[Any], hidden: bool, seconds: float) -> float:
    for page in pages:
        page.evaluate(landmarks.HIDE, hidden)
    time.sleep(SETTLED)
    before = _committed(store, run_id)
    time.sleep(seconds)
    after = _committed(store, run_id)
    return float((after.step - before.step) / (after.updated - before.updated))


def _committed(store: Any, run_id: str) -> Any:
    """The run at its next commit, since its stored step and time are those of the last one.

    Raises:
        AppError: the run is over.
    """
    before = now = store.get(run_id)
    while now.status == "running" and now.updated == before.updated:
        time.sleep(0.1)
        now = store.get(run_id)
    if now.status != "running":
        raise AppError("the run must go on while it is measured", f"it is {now.status}", "give it more epochs")
    return now


def button(page: Any, name: str) -> Any:
    """A button of the page itself."""
    return page.locator(landmarks.BUTTONS).get_by_role("button", name=name, exact=True)


@BENCHMARKS.register("scrubbing")
def scrubbing() -> dict[str, Any]:
    """Megabytes of a run, and on each of its pages the seconds to open it and to change its slider.

    Raises:
        AppError: Playwright or Chromium is not installed.
    """
    with serving() as (url, home), chromium() as browser:
        shape: dict[str, Any] = {"dimension": 784, "n_samples": 4000, "n_features": 2000}
        run_id = stored(home, "ASKL", "shell", **shape, epochs=4, batch_size=64)
        figures: dict[str, Any] = _sizes(home, run_id)
        page = browser.new_page(viewport=VIEWPORT)
        for name in INSIDE:
            opened = [_opened(page, url, name) for _ in range(OPENED + 1)][1:]  # the first one loads code
            page.goto(f"{url}/{name}?run={run_id}&at=1")
            page.locator(landmarks.DRAWN).first.wait_for(timeout=60_000)
            page.wait_for_timeout(4000)
            changes = _changes(page)
            figures[f"{name}_first_picture_seconds"] = statistics.median(opened)
            figures[f"{name}_answers_seconds"] = statistics.median(first for first, _ in changes)
            figures[f"{name}_all_drawn_seconds"] = statistics.median(last for _, last in changes)
        page.close()
    return figures


def stored(home: Path, method: str, dataset: str, **options: Any) -> str:
    """Train a run into the store of a folder; returns its id."""
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import train

    spec = RunSpec.of(method, dataset, **options)
    with Store(home) as store:
        run_id = store.create(spec.to_dict())
        with store.writer(run_id) as writer:
            for event in train(spec):
                writer.write(event)
    return run_id


def _sizes(home: Path, run_id: str) -> dict[str, Any]:
    """Megabytes of a snapshot, and of all files of a run of an hour."""
    with Store(home) as store:
        folder = store.folder(run_id)
        shots = [file.stat().st_size for file in (folder.path / "snapshots").iterdir()]
        rest = sum(file.stat().st_size for file in folder.path.iterdir() if file.is_file())
    from kernlab.training.measure import RUN_BYTES, SNAPSHOT_BYTES

    snapshots = len(milestones(EPOCHS * STEPS, STEPS))
    each = statistics.mean(shots) - SNAPSHOT_BYTES + min(SNAPSHOT_BYTES, RUN_BYTES // snapshots)
    return {
        "snapshot_megabytes": statistics.mean(shots) / 1e6,
        "hour_snapshots": snapshots,
        "hour_megabytes": (each * snapshots + rest) / 1e6,
    }


def _opened(page: Any, url: str, name: str) -> float:
    """Seconds from a click on the page's name to its first picture."""
    page.goto(f"{url}/runs")
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_timeout(1500)
    begun = time.perf_counter()
    page.get_by_role("link", name=name.capitalize(), exact=True).click()
    page.wait_for_function(f"document.querySelector('{landmarks.DRAWN}')", polling="raf", timeout=60_000)
    return time.perf_counter() - begun


def _changes(page: Any) -> list[tuple[float, float]]:
    """Seconds from every change of the slider to the first and to the last redrawn picture."""
    slider = page.get_by_role("slider").first
    found = []
    for number in range(CHANGES + 1):
        slider.focus()
        following = page.evaluate_handle(f"() => ({{ done: ({landmarks.FOLLOW})() }})")
        slider.press("PageUp" if number % 2 else "PageDown")  # between two snapshots
        first, last = page.evaluate("handle => handle.done", following)
        if number and last is not None:  # the first one loads data
            found.append((first / 1000, last / 1000))
    return found or [(float("nan"), float("nan"))]
