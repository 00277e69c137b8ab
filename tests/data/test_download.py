"""Downloads from a server that misbehaves: resumed, verified, and in place only when they are whole."""

from __future__ import annotations

import hashlib
import socket
import threading
import time

import numpy as np
import pytest
from faulty_server import Served, faulty_server

from kernlab.data import download as module
from kernlab.data.download import Remote, download, git_blob
from kernlab.errors import DataError, StoreError
from kernlab.files import Claim

BODY = np.random.default_rng(0).bytes(700_000)
SHA = "sha256:" + hashlib.sha256(BODY).hexdigest()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "WAIT", 0.01)
    monkeypatch.setattr(module, "SILENCE", 2.0)


def left(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("how", "requests"),
    [
        ({}, 1),
        ({"breaks": [100_000, 1, 300_000]}, 4),
        ({"breaks": [100_000], "ranges": False}, 2),
        ({"breaks": [100_000], "tag": ""}, 2),
        ({"statuses": [503, 429]}, 3),
        ({"length": ""}, 1),
        ({"length": 900_000, "ranges": True}, 2),
        ({"pause": 0.01}, 1),
    ],
)
def test_a_file_arrives_whole(tmp_path, how, requests):
    served, seen = Served(BODY, **how), []
    with faulty_server(data=served) as server:
        path = download(Remote(server.at("data"), SHA), tmp_path, progress=seen.append)
    assert path.read_bytes() == BODY
    assert left(tmp_path) == ["data"]
    assert len(served.requests) == requests
    assert seen[-1].done == seen[-1].total == len(BODY)
    assert seen[-1].share == 1


def test_a_break_asks_for_the_rest_alone(tmp_path):
    served = Served(BODY, breaks=[123_456])
    with faulty_server(data=served) as server:
        download(Remote(server.at("data"), SHA), tmp_path)
    (first, second) = served.requests
    assert "Range" not in first
    assert (second["Range"], second["If-Range"]) == ("bytes=123456-", '"one"')


def test_another_process_goes_on_where_one_was_cancelled(tmp_path):
    served, seen = Served(BODY, pause=0.005), []
    with faulty_server(data=served) as server:
        address = Remote(server.at("data"), SHA)
        assert download(address, tmp_path, progress=seen.append, cancelled=lambda: len(seen) > 0) is None
        arrived = (tmp_path / "data.part").stat().st_size
        assert 0 < arrived < len(BODY)
        assert not (tmp_path / "data").exists()
        assert download(address, tmp_path).read_bytes() == BODY
    assert served.requests[-1]["Range"] == f"bytes={arrived}-"


def test_a_file_that_changed_meanwhile_is_taken_anew(tmp_path):
    with faulty_server(data=Served(BODY[::-1], pause=0.005, tag='"old"')) as server:
        seen = []
        download(Remote(server.at("data")), tmp_path, progress=seen.append, cancelled=lambda: len(seen) > 0)
        server.pages["/data"] = Served(BODY, tag='"new"')
        assert download(Remote(server.at("data")), tmp_path).read_bytes() == BODY


@pytest.mark.parametrize("how", [{"wrong": 9}, {"length": 500_000}, {"length": 0}])
def test_wrong_bytes_are_refused_and_not_kept(tmp_path, how):
    with faulty_server(data=Served(BODY, **how)) as server, pytest.raises(DataError, match=r"checksum .*nothing of it"):
        download(Remote(server.at("data"), SHA), tmp_path)
    assert left(tmp_path) == []


def test_a_resumed_file_with_wrong_bytes_is_tried_once_from_the_start(tmp_path):
    served = Served(BODY)
    with faulty_server(data=served) as server:
        (tmp_path / "data.part").write_bytes(bytes(1000))
        (tmp_path / "data.part.json").write_text(
            '{"url": "%s", "checksum": "%s", "tag": "\\"one\\""}' % (server.at("data"), SHA)  # noqa: UP031
        )
        assert download(Remote(server.at("data"), SHA), tmp_path).read_bytes() == BODY
    assert len(served.requests) == 2


def test_redirects_are_followed_but_not_in_a_circle_and_not_elsewhere(tmp_path):
    with faulty_server(data=Served(BODY)) as server:
        server.pages |= {"/a": Served(b"", redirect=server.at("b")), "/b": Served(b"", redirect="/data"),
                         "/round": Served(b"", redirect=server.at("round")),
                         "/file": Served(b"", redirect="file:///etc/hostname")}  # fmt: skip
        assert download(Remote(server.at("a"), SHA), tmp_path).read_bytes() == BODY
        for path in ("round", "file", "absent"):
            with pytest.raises(DataError):
                download(Remote(server.at(path), SHA), tmp_path)
    with pytest.raises(DataError, match="begin with http"):
        download(Remote("file:///etc/hostname"), tmp_path)


def test_a_silent_server_is_given_up_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SILENCE", 0.2)
    monkeypatch.setattr(module, "ATTEMPTS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/data"
        began = time.monotonic()
        with pytest.raises(DataError, match=r"must be reachable.*what has arrived is kept"):
            download(Remote(url), tmp_path)
        assert time.monotonic() - began < 60
    with pytest.raises(DataError, match="must be reachable"):
        download(Remote(url), tmp_path)


def test_more_bytes_than_allowed_are_refused(tmp_path):
    for how in ({}, {"length": ""}):
        with faulty_server(data=Served(BODY, **how)) as server, pytest.raises(DataError, match="at most 1000 bytes"):
            download(Remote(server.at("data"), SHA), tmp_path, most=1000)
        assert not (tmp_path / "data").exists()


def test_one_process_at_a_time(tmp_path):
    claim = Claim.take(tmp_path / ".data.lock")
    with faulty_server(data=Served(BODY)) as server:
        with pytest.raises(StoreError, match="one process at a time"):
            download(Remote(server.at("data"), SHA), tmp_path)
        claim.release()
        found = []
        threads = [threading.Thread(target=lambda: found.append(download(Remote(server.at("data"), SHA), tmp_path)))]
        for thread in threads:
            thread.start()
            thread.join()
    assert found[0].read_bytes() == BODY


def test_names_cannot_leave_the_folder(tmp_path):
    with faulty_server(data=Served(BODY)) as server:
        server.pages["/x/..%2F..%2Fpasswd"] = server.pages["/data"]
        path = download(Remote(server.at("x/..%2F..%2Fpasswd"), SHA), tmp_path / "in")
        assert path == tmp_path / "in" / "passwd"
        assert download(Remote(server.at("data"), SHA), tmp_path / "in", name="../../.b").parent == tmp_path / "in"


def test_git_names_files_by_their_length_and_bytes():
    digest = git_blob(14)
    digest.update(b"Hello, World!\n")
    assert digest.hexdigest() == "8ab686eafeb1f44702738c8b0f24f2567c36da6d"
