"""Start the dashboard from a terminal."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from kernlab.errors import AppError
from kernlab.paths import LESSONS, bundle

__all__ = ["check_port", "serve", "share_heaps"]

_M_ARENA_MAX = -8  # glibc's number for it, as mallopt takes it
_HEAPS = 2


def share_heaps() -> None:
    """Let all threads that begin from now on take their memory from the same few heaps.

    Linux's C library (glibc) gives a thread a heap of its own, up to eight for each core, and keeps there what the
    thread has freed. Each training and each run of a page's script is a thread: after thirty trainings of digits a
    server had 1250 MB in memory, with two heaps it has 840. Other C libraries have no such heaps, and are left alone.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)


def check_port(host: str, port: int) -> None:
    """Raise AppError unless a server may listen at ``host:port``."""
    if not 1 <= port <= 65535:
        raise AppError("the port must be a whole number from 1 to 65535", port, "leave --port out to use 8501")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise AppError("the host must be an address of this machine", repr(host), "try --host 127.0.0.1") from None
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":  # a port that was left a moment ago is free; on Windows this flag would share it
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                must, fix = "the port must be free", f"it is already taken: stop what uses it, or try --port {port + 1}"
            elif error.errno == errno.EACCES:
                must, fix = "the port must be one you may use", "ports below 1024 belong to the system: try --port 8501"
            else:
                must, fix = "the host must be an address of this machine", "try --host 127.0.0.1"
            raise AppError(must, f"{host}:{port}", fix) from None


def serve(host: str = "127.0.0.1", port: int = 8501, open_browser: bool = True, lessons: str | None = None) -> None:
    """Serve the dashboard at ``http://host:port`` until it is interrupted.

    Args:
        host: address to listen at; 127.0.0.1 keeps it on this machine, 0.0.0.0 opens it to the network.
        port: 1 to 65535.
        open_browser: open the page in the default browser.
        lessons: a folder of lessons that the Learn page adds to its own.

    Raises:
        AppError: the port is taken, the host is not this machine's, or the folder is not there.
    """
    if lessons:
        folder = Path(lessons).expanduser().resolve()
        if not folder.is_dir():
            raise AppError("--lessons must name a folder", repr(lessons), "name the folder that holds your .toml files")
        os.environ[LESSONS] = str(folder)
    share_heaps()  # before Streamlit is imported, which starts threads
    check_port(host, port)
    from streamlit.web import cli

    print(
        f"kernlab is at http://{'localhost' if host in ('0.0.0.0', '::') else host}:{port} (Ctrl-C ends it)", flush=True
    )
    # The same path as `streamlit run app.py`, so that the configuration beside app.py is read.
    cli.main(
        [
            "run",
            str(bundle() / "app.py"),
            f"--server.address={host}",
            f"--server.port={port}",
            f"--server.headless={str(not open_browser).lower()}",
            # Streamlit's greeting, and on a developer's machine a card for its own tools that covers the page.
            "--logger.hideWelcomeMessage=true",
        ],
        prog_name="kernlab app",
        standalone_mode=False,
    )
