"""Rooms: predictions are counted, replaced, forgotten; nothing is lost when two hundred predict at once."""

import json
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from waiting import PATIENCE

from kernlab.errors import KernlabError, StoreError
from kernlab.lessons import rooms as module
from kernlab.lessons import shelf
from kernlab.lessons.base import POINTS
from kernlab.lessons.rooms import BINS, ROOMS, Rooms
from kernlab.ui import rooms

LESSONS = shelf().lessons
NUMBER, CHOICE, CURVE = LESSONS["random-features"], LESSONS["proof"], LESSONS["density"]
HEADERS = {"x-kernlab": "1"}


def test_predictions_are_counted_and_a_second_replaces_the_first():
    room = Rooms()
    code, key = room.open()
    for who, guess in (("a", "three"), ("b", "four"), ("c", "four"), ("a", "one")):
        room.predict(code, CHOICE, who, guess)
    assert room.tally(code, CHOICE) == {"count": 3, "counts": [1, 0, 0, 2, 0]}
    for who, guess in (("a", "10"), ("b", "100"), ("c", "10000")):
        room.predict(code, NUMBER, who, guess)
    counts = room.tally(code, NUMBER)["counts"]
    assert len(counts) == BINS
    assert [place for place, count in enumerate(counts) if count] == [0, 4, BINS - 1]  # thirds of the powers of ten
    assert room.tally(code, CURVE) == {"count": 0, "bands": []}
    for who, level in (("a", 0), ("b", 50), ("c", 100)):
        room.predict(code, CURVE, who, ".".join([str(level)] * POINTS))
    bands = room.tally(code, CURVE)["bands"]
    assert [row[0] for row in bands] == [10, 25, 50, 75, 90]
    with pytest.raises(StoreError, match="the key must be that of the room"):
        room.reset(code, CHOICE.key, "guessed")
    room.reset(code, CHOICE.key, key)
    assert room.tally(code, CHOICE)["count"] == 0
    assert room.tally(code, NUMBER)["count"] == 3


def test_limits(monkeypatch):
    now = [0.0]
    room = Rooms(lambda: now[0])
    monkeypatch.setattr(module, "MOST_ROOMS", 2)
    monkeypatch.setattr(module, "MOST_PREDICTIONS", 2)
    (code, _), _ = room.open(), room.open()
    with pytest.raises(StoreError, match="at most 2 open rooms"):
        room.open()
    room.predict(code, CHOICE, "a", "one")
    room.predict(code, CHOICE, "b", "one")
    room.predict(code, CHOICE, "b", "two")  # a change is no further one
    with pytest.raises(StoreError, match="at most 2 predictions"):
        room.predict(code, NUMBER, "c", "10")
    with pytest.raises(KernlabError, match="one of one, two"):
        room.predict(code, CHOICE, "a", "seven")
    now[0] = 3600 * module.HOURS + 1
    with pytest.raises(StoreError, match="a room must be open"):
        room.tally(code, CHOICE)
    room.open()  # those that nobody used are gone
    assert len(room._rooms) == 1


@pytest.fixture
def client():
    return TestClient(Starlette(routes=rooms.routes("/base")))


def test_the_routes_answer_in_sentences_and_only_to_our_own_pages(client):
    code, key = ROOMS.open()
    place = f"/base/rooms/{code}/proof"
    assert client.post(place, json={"who": "00ff00ff", "guess": "three"}).status_code == 404  # without our header
    assert client.post(place, json={"who": "00ff00ff", "guess": "three"}, headers=HEADERS).status_code == 204
    assert client.get(place).json()["count"] == 1
    for body, status, words in (
        ({"who": "00ff00ff", "guess": "seven"}, 409, "the prediction must be one of"),
        ({"who": "Ada Lovelace", "guess": "three"}, 400, "hexadecimal"),
        ({"guess": "three"}, 400, "must have the texts who and guess"),
        ({"who": "00ff00ff", "guess": "x" * 5000}, 413, "at most 2000 bytes"),
        ([1], 400, "must have the texts"),
    ):
        answer = client.post(place, json=body, headers=HEADERS)
        assert (answer.status_code, words in answer.json()["error"]) == (status, True)
    assert client.post(place, content=b"\xff", headers=HEADERS).status_code == 400
    assert "a room must be open" in client.get("/base/rooms/AAAAA/proof").json()["error"]
    assert "did you mean" in client.get(f"/base/rooms/{code}/prof").json()["error"].casefold()
    assert client.post(f"{place}/reset", json={"key": "no"}, headers=HEADERS).status_code == 409
    assert client.post(f"{place}/reset", json={"key": key}).status_code == 404
    assert client.get(place).json()["count"] == 1
    assert client.post(f"{place}/reset", json={"key": key}, headers=HEADERS).status_code == 204
    assert client.get(place).json()["count"] == 0


def test_two_hundred_browsers_within_ten_seconds_lose_no_prediction(server):
    def ask(address, **body):
        data = json.dumps(body).encode() if body or address == "rooms" else None
        with urllib.request.urlopen(
            urllib.request.Request(f"{server.url}/{address}", data, HEADERS), timeout=PATIENCE
        ) as answer:
            return json.loads(answer.read() or "null")

    code = ask("rooms")["code"]
    keys = [each.key for each in CHOICE.prediction.choices]
    start = threading.Barrier(40)

    def predict(number):
        if number < 40:
            start.wait(PATIENCE)
        ask(f"rooms/{code}/proof", who=f"{number:012x}", guess=keys[number % len(keys)])

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(predict, range(200)))  # each is answered; a refusal would raise
    assert ask(f"rooms/{code}/proof") == {"count": 200, "counts": [40] * 5}
