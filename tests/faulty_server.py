"""A server on this machine that is slow, breaks off, lies, redirects or sends wrong bytes, as a test asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Served:
    """One address: its bytes, and how the server misbehaves.

    Attributes:
        breaks: after so many bytes each of the first connections ends, one entry each.
        ranges: whether parts are sent when they are asked for.
        tag: its ETag.
        length: what Content-Length says, instead of the truth; "" sends none.
        pause: seconds before each block of ``block`` bytes.
        statuses: of the first answers, instead of 200.
        redirect: where it leads.
        wrong: how many of the first answers have wrong bytes.
    """

    def __init__(self, body: bytes, **how: Any) -> None:
        self.body, self.requests = body, []
        self.breaks: list[int] = list(how.pop("breaks", ()))
        self.statuses: list[int] = list(how.pop("statuses", ()))
        self.wrong: int = how.pop("wrong", 0)
        defaults = {"ranges": True, "tag": '"one"', "length": None, "pause": 0.0, "block": 2**16, "redirect": ""}
        for key, value in {**defaults, **how}.items():
            setattr(self, key, value)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        served: Served | None = self.server.pages.get(self.path)
        self.close_connection = True
        if served is None:
            self.send_error(404)
            return
        served.requests.append(dict(self.headers))
        status = served.statuses.pop(0) if served.statuses else 200
        if served.redirect:
            self.send_response(302)
            self.send_header("Location", served.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body, first = served.body, 0
        wanted = self.headers.get("Range", "")
        if status == 200 and served.ranges and wanted.startswith("bytes="):
            matching = self.headers.get("If-Range", served.tag) == served.tag
            if matching:
                first = int(wanted[6:].split("-")[0])
                status = 206 if first < len(body) else 416
        if served.wrong:
            served.wrong -= 1
            body = bytes(len(body))
        part = body[first:] if status in (200, 206) or served.body.startswith(b"{") else b""
        self.send_response(status)
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        if served.tag:
            self.send_header("ETag", served.tag)
        length = len(part) if served.length is None else served.length
        if length != "":
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if served.breaks:
            part = part[: served.breaks.pop(0)]
        for start in range(0, len(part), served.block):
            time.sleep(served.pause)
            try:
                self.wfile.write(part[start : start + served.block])
            except OSError:
                return


@contextmanager
def faulty_server(**pages: Served) -> Iterator[Any]:
    """The server with its pages by path (underscores are slashes); ``server.at(path)`` is an address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.pages = {"/" + path.replace("__", "/"): served for path, served in pages.items()}
    server.at = lambda path: f"http://127.0.0.1:{server.server_port}/{path}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
