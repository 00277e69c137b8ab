"""Shared by all tests: a running app and a real browser that collects what goes wrong in it."""

from __future__ import annotations

import os

# Before NumPy and torch are loaded: tests run side by side, and threads that wait for each other's cores cost more than
# they bring. What a test is about threads sets them itself.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as kernlab does, which some tests import after torch

from collections.abc import Callable, Iterator
from pathlib import Path

import jaxtyping
import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("drawn")  # its assertions are shared by tests and explain themselves like theirs

from serving import ROOT, Server, launch, running
from waiting import PATIENCE

#: Folders of the tests whose subject is the mathematics. Elsewhere the checks of shapes would take a fifth of the time.
SHAPES = {"conformance", "core", "training"}


# How long an example takes says how busy the machine is. The same code is tested with the same examples; a long run
# of its own looks for others.
LONG = int(os.environ.get("KERNLAB_FUZZ", "0")) >= 50_000
settings.register_profile("kernlab", deadline=None, derandomize=not LONG, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kernlab")


#: Folders whose files take longest. They come first, so that no worker is left alone with one of them at the end.
LONGEST = ("ui", "cli", "runs", "training")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest folders first; within a folder nothing changes."""
    items.sort(key=lambda item: [*LONGEST, folder := item.path.parent.name].index(folder))


@pytest.fixture(autouse=True)
def shapes(request: pytest.FixtureRequest) -> None:
    """Check every annotated shape where the mathematics is tested."""
    checked = request.path.parent.name in SHAPES and request.path.stem != "test_real_data"
    jaxtyping.config.update("jaxtyping_disable", not checked)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app itself, one for all browser tests."""
    with running(ROOT / "app.py", tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture(scope="session")
def started() -> Iterator[Callable[..., object]]:
    """Starts Chromium; where there is none the test is skipped, or fails if KERNLAB_REQUIRE_BROWSER=1."""

    def missing(why: str) -> None:
        if os.environ.get("KERNLAB_REQUIRE_BROWSER") == "1":
            pytest.fail(f"a browser is required: {why}")
        pytest.skip(why)

    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        missing("playwright is not installed")
    with sync_playwright() as driver:

        def start(profile: Path | None = None):
            try:
                return launch(driver, profile)
            except Error as error:
                missing(f"Chromium does not start: {str(error).splitlines()[0]}")

        yield start


@pytest.fixture(scope="session")
def browser(started) -> Iterator[object]:
    """Where devices are opened that differ from a desk."""
    chromium = started()
    yield chromium
    chromium.close()


@pytest.fixture(scope="session")
def desktop(started, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Where pages are opened that need no device of their own: the app's files are fetched and compiled once."""
    context = started(tmp_path_factory.mktemp("profile"))
    yield context
    context.close()


@pytest.fixture
def new_page(request: pytest.FixtureRequest, desktop) -> Iterator[Callable[..., object]]:
    """Opens pages of visitors, each with its own session; at the end none may have seen an error in its console."""
    pages, own, trouble = [], [], []

    def open_page(width: int = 1440, height: int = 900, scheme: str = "light", **device: object):
        context = desktop
        if device:
            browser = request.getfixturevalue("browser")
            context = browser.new_context(viewport={"width": width, "height": height}, **device)
            own.append(context)
        page = context.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        return page

    open_page.pages = pages
    yield open_page
    for page in pages:
        if page.context is desktop and page.url.startswith("http") and not page.is_closed():
            page.evaluate("localStorage.clear()")
        page.close()
    for context in own:
        context.close()
    assert trouble == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that fails in the browser reports what stood on its pages: nobody can look at them afterwards."""
    report = yield
    visitors = getattr(item, "funcargs", {}).get("new_page")
    if report.when == "call" and report.failed and visitors:
        for page in visitors.pages:
            try:
                words = page.locator("body").inner_text(timeout=5000)
            except Exception as error:  # a page that does not answer says so
                words = str(error)
            report.sections.append((page.url, words[:4000]))
    return report


@pytest.fixture
def page(new_page):
    """One visitor at a desk."""
    return new_page()
