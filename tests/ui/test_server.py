"""The shell: configuration, port, addresses."""

import platform
import socket
import subprocess
import sys
import tomllib
from contextlib import asynccontextmanager

import pytest
import streamlit as st
from browsing import visit
from serving import ROOT, running
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient

from kernlab.errors import AppError
from kernlab.ui import serving
from kernlab.ui.pages import PAGES
from kernlab.ui.server import check_port


def test_no_collection_after_a_run_and_nothing_phones_home():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["runner"]["postScriptGC"] is False
    assert config["browser"]["gatherUsageStats"] is False
    assert st.get_option("runner.postScriptGC") is not None  # the hidden option is still there


def test_no_element_is_sent_as_a_reference():
    """Streamlit keeps references when it drops the containers they belong into (ForwardMsgQueue.clear)."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["global"]["minCachedMessageSize"] > 2**31  # no message may be longer
    assert st.get_option("global.minCachedMessageSize") is not None  # the hidden option is still there


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_threads_take_their_memory_from_the_same_two_heaps():
    program = """
import ctypes, sys, threading
from kernlab.ui.server import share_heaps

if sys.argv[1] == "shared":
    share_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
together = threading.Barrier(8)

def work():
    together.wait()
    libc.malloc(ctypes.c_size_t(1000))
    together.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
stream = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, stream)
libc.fflush(stream)
"""

    def heaps(how):
        done = subprocess.run([sys.executable, "-c", program, how], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.count("<heap nr=")

    assert heaps("shared") <= 2 < heaps("each its own")


def test_every_page_is_listed_and_has_its_file():
    assert {page.name for page in PAGES} == {path.stem for path in (ROOT / "pages").glob("*.py")}


def test_a_page_asks_at_once_for_the_modules_that_it_needs_and_for_no_others():
    client = TestClient(Starlette(routes=serving.routes(), middleware=serving.middleware()))
    frames = {page.name: client.get(f"/{page.name if page.name != 'home' else ''}").text for page in PAGES}
    for name in ("chart.js", "film.mjs", "frames.mjs", "elements.js", "page.mjs"):  # with what they import
        assert all(f"/{name}" in frame for frame in frames.values())
    assert {name for name, frame in frames.items() if "/lab.js" in frame} == {"lab"}
    assert "/cholesky.mjs" in frames["lab"]
    assert "/cholesky.mjs" not in frames["train"]


def test_what_pages_ask_often_passes_nothing_of_streamlit_and_everything_else_does(home):
    passed, began = [], []

    class Streamlit:
        def __init__(self, app):
            self.app = app

        async def __call__(self, scope, receive, send):
            passed.append((scope["type"], scope.get("path")))
            await self.app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(app):
        began.append(app)
        yield

    async def word(socket):
        await socket.accept()
        await socket.send_text("here")
        await socket.close()

    app = Starlette(
        routes=[*serving.routes(), WebSocketRoute("/socket", word)],
        middleware=[*serving.middleware(), Middleware(Streamlit)],
        lifespan=lifespan,
    )
    with TestClient(app) as client:
        assert client.get("/jobs").status_code == 200
        assert client.get("/film/unknown").status_code == 404
        assert client.get("/film/unknown/density").status_code == 404
        assert client.post("/film/unknown").status_code == 405
        assert client.get("/jobs/unknown/cancel").status_code == 405
        assert passed == [("lifespan", None)]
        assert client.get("/nothing").status_code == 404
        with client.websocket_connect("/socket") as socket:
            assert socket.receive_text() == "here"
    assert passed[1:] == [("http", "/nothing"), ("websocket", "/socket")]
    assert began == [app]


def test_a_taken_port_is_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AppError, match=f"already taken.*--port {port + 1}"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "port"), [("127.0.0.1", 0), ("127.0.0.1", 70000), ("no.such.host.invalid", 8501), ("192.0.2.1", 8501)]
)
def test_an_impossible_address_is_a_sentence(host, port):
    with pytest.raises(AppError):
        check_port(host, port)


@pytest.mark.browser
def test_a_cold_server_answers_a_deep_link_inside_the_app(tmp_path, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    with running(ROOT / "app.py", tmp_path) as cold:
        for name, title, *_ in reversed(PAGES[1:]):  # the first request is the one that could go wrong
            visit(page, cold, name)
            assert title in page.get_by_role("heading", level=1).first.inner_text()
            for each in PAGES:
                page.get_by_role("link", name=each.title).first.wait_for()
        page.goto("about:blank")  # before its server goes
        # It knows where its server is, and does not look for it below the page.
        assert {url.partition("/_stcore")[0] for url in asked if "/_stcore/health" in url} == {cold.url}
        assert cold.trouble() == []
