"""Shared by all tests: a running app and a real browser that collects what goes wrong in it."""

from __future__ import annotations

import os

# Before NumPy and torch are loaded: tests run side by side, and threads that wait for each other's cores cost more than
# they bring. What a test is about threads sets them itself.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from collections.abc import Callable, Iterator

import pytest

pytest.register_assert_rewrite("drawn")  # its assertions are shared by tests and explain themselves like theirs

from browsing import PATIENCE
from serving import ROOT, Server, launch, running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app itself, one for all browser tests."""
    with running(ROOT / "app.py", tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium; where there is none the test is skipped, or fails if KERNLAB_REQUIRE_BROWSER=1."""

    def missing(why: str) -> None:
        if os.environ.get("KERNLAB_REQUIRE_BROWSER") == "1":
            pytest.fail(f"a browser is required: {why}")
        pytest.skip(why)

    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        missing("playwright is not installed")
    with sync_playwright() as driver:
        try:
            chromium = launch(driver)
        except Error as error:
            missing(f"Chromium does not start: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser) -> Iterator[Callable[..., object]]:
    """Opens pages of separate visitors; at the end none may have seen an error in its console."""
    contexts, trouble = [], []

    def open_page(width: int = 1440, height: int = 900, scheme: str = "light", **options: object):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.fixture
def page(new_page):
    """One visitor at a desk."""
    return new_page()
