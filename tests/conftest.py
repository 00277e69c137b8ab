"""Shared by all tests: a running app and a real browser that collects what goes wrong in it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Server(NamedTuple):
    """A running app."""

    url: str
    home: Path
    log: Path

    def trouble(self) -> list[str]:
        """Lines of the server's log that should not be there."""
        return re.findall(r".*(?:Traceback|Error\b|Exception\b|WARNING).*", self.log.read_text("utf-8", "replace"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(app: Path, home: Path, **environment: str) -> Iterator[Server]:
    """Serve ``app`` on a free port, with its own run folder."""
    port, log = free_port(), home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true", f"--server.port={port}"]
    env = {**os.environ, "KERNLAB_HOME": str(home / "runs"), "PYTHONPATH": str(ROOT), **environment}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=home, env=env, stdout=out, stderr=subprocess.STDOUT)
    server = Server(f"http://127.0.0.1:{port}", home, log)
    try:
        until = time.monotonic() + 60
        while True:
            with suppress(OSError), urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2):
                break
            if process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"the app did not start: {log.read_text('utf-8', 'replace')}")
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


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
        path = os.environ.get("KERNLAB_BROWSER") or next(
            filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
        )
        try:
            chromium = driver.chromium.launch(executable_path=path, args=FLAGS)
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
        page.set_default_timeout(15_000)
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
