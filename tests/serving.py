"""Run the app the way a user does, as a process of its own, and look at it in a browser."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
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


def launch(driver, profile: Path | None = None):
    """Chromium: the one that KERNLAB_BROWSER names, or one of this machine's.

    Args:
        driver: of Playwright.
        profile: a folder for what a browser keeps, compiled scripts above all; then its one context is returned. A
            browser without one compiles Plotly anew for every page.
    """
    path = os.environ.get("KERNLAB_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if profile is None:
        return driver.chromium.launch(executable_path=path, args=FLAGS)
    return driver.chromium.launch_persistent_context(str(profile), executable_path=path, args=FLAGS)


@contextmanager
def served(command: Sequence[str], port: int, home: Path, **environment: str) -> Iterator[Server]:
    """Run ``command``, which serves the app on ``port``, with its own run folder."""
    log = home / "server.log"
    env = {**os.environ, "KERNLAB_HOME": str(home / "runs"), **environment}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=home, env=env, stdout=out, stderr=subprocess.STDOUT)
    server = Server(f"http://127.0.0.1:{port}", home, log)
    try:
        until = time.monotonic() + PATIENCE
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


@contextmanager
def running(app: Path, home: Path, **environment: str) -> Iterator[Server]:
    """Serve ``app`` of this tree on a free port, with its own run folder."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true", f"--server.port={port}"]
    with served(command, port, home, PYTHONPATH=str(ROOT), **environment) as server:
        yield server
