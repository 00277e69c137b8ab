"""Run the app the way a user does, as a process of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
def running(app: Path | None, home: Path, package: Path = ROOT) -> Iterator[Server]:
    """Serve ``app`` on a free port, with its own run folder.

    Args:
        app: a script with an ``st.App``; None: what ``kernlab app`` serves.
        home: an empty folder to run in.
        package: the folder in which the kernlab package lies.
    """
    port, log = free_port(), home / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true", f"--server.port={port}"]
    if app is None:
        call = f"from kernlab.ui.server import serve; serve(port={port}, open_browser=False)"
        command = [sys.executable, "-c", call]
    env = {**os.environ, "KERNLAB_HOME": str(home / "runs"), "PYTHONPATH": str(package)}
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
