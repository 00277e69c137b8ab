"""The app in a process of its own, and a browser that looks at it: what benchmarks of pages need."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kernlab.errors import AppError

__all__ = ["chromium", "serving"]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def serving() -> Iterator[tuple[str, Path]]:
    """The app as ``kernlab app`` serves it, with a run folder of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "kernlab.cli", "app", "--no-browser", "--port", str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, env={**os.environ, "KERNLAB_HOME": home}, **quiet)  # type: ignore[call-overload]
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                    break
                time.sleep(0.1)
            yield url, Path(home)
        finally:
            process.terminate()
            process.wait(20)


@contextmanager
def chromium() -> Iterator[Any]:
    missing = "this benchmark needs Playwright and Chromium"
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise AppError(missing, "no playwright", "install kernlab[test]") from None
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("KERNLAB_BROWSER") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        except Error as error:
            raise AppError(missing, str(error).splitlines()[0], "install Chromium, or set KERNLAB_BROWSER") from None
        yield browser
        browser.close()
