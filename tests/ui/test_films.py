"""Films: what the browser asks of a run is what Python draws, is kept, and is a sentence where it cannot be had."""

import gzip
import json
import shutil
import subprocess
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from waiting import PATIENCE, until

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.pictures import film, frames
from kernlab.pictures.frames import Films, to_json
from kernlab.pictures.gallery import offered, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.spec import RunSpec
from kernlab.ui import drawing, films, following
from kernlab.ui.drawn import parts
from kernlab.ui.news import News

MODULES = Path(__file__).parent / "film"
node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    root = tmp_path_factory.mktemp("films")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNLAB_HOME", str(root))
        yield manager().trainings


@pytest.fixture(scope="module")
def run(jobs):
    spec = RunSpec.of("ASKL", "moons", n_features=16, epochs=3, batch_size=64, device="cpu", compile="off")
    run_id = jobs.submit(spec)
    assert jobs.wait(run_id).status == "finished"
    return run_id


class Here:
    """Draws in this very process, so that its errors are seen; ``work`` is what was asked of it."""

    def __init__(self):
        self.work = []

    def submit(self, function, *work):
        self.work.append(work)
        future = Future()
        try:
            future.set_result(function(*work))
        except KernlabError as error:
            future.set_exception(error)
        return future


@pytest.fixture
def here(monkeypatch):
    here = Here()
    monkeypatch.setattr(drawing, "pool", lambda: here)
    return here


@pytest.fixture
def client(jobs, here):
    return TestClient(Starlette(routes=films.routes("")))


@node
def test_the_modules_of_films():
    """The browser's own tests, which need no browser."""
    done = subprocess.run(["node", "--test", str(MODULES)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout


def test_news_tell_the_snapshots_and_nothing_twice(client, jobs, run):
    news = client.get(f"/film/{run}")
    body = news.json()
    shots = jobs.store.snapshots(run)
    assert (body["steps"], body["epochs"]) == (shots.steps.tolist(), shots.epochs.tolist())
    assert (body["live"], body["done"]) == (False, 1.0)
    assert "finished" in body["words"].lower()
    assert client.get(f"/film/{run}", params={"version": body["version"]}).status_code == 204
    assert client.get(f"/film/{run}", params={"version": "another"}).status_code == 200


def test_a_frame_is_what_python_draws_and_is_drawn_once(client, jobs, run, here):
    recorded = RecordedRun(jobs.store, run)
    recorded.refresh()
    step = int(recorded.snapshots.steps[1])
    answer = client.get(f"/film/{run}/density/{step}")
    at = seen(recorded)._replace(moment=recorded.moment(float(recorded.snapshots.epochs[1])))
    picture = next(each for each in offered("overview", at) if each.key == "density")
    assert answer.json() == json.loads(to_json(film.frame(picture, at)._asdict()))
    assert "immutable" in answer.headers["Cache-Control"]
    drawn = len(here.work)
    assert client.get(f"/film/{run}/density/{step}").json() == answer.json()
    assert len(here.work) == drawn


def test_whoever_asks_for_a_picture_that_ends_with_stop_iteration_gets_an_answer(client, run, monkeypatch):
    failed = Future()
    failed.set_exception(StopIteration())
    monkeypatch.setattr(films, "_drawing", lambda *_: failed)
    with pytest.raises(RuntimeError, match="could not be drawn"):  # asyncio would wait for StopIteration for ever
        films._parts(run, "frame", "metric", {}, [1])
    assert TestClient(client.app, raise_server_exceptions=False).get(f"/film/{run}/metric/1").status_code == 500


def test_what_several_tabs_ask_for_at_once_is_drawn_once(client, jobs, run, here, monkeypatch):
    version, drawing = client.get(f"/film/{run}").json()["metrics"], films._drawing
    here.work.clear()
    all_asked, drawn = threading.Barrier(4), threading.Lock()

    def asked(*what):
        with drawn:
            found = drawing(*what)
        all_asked.wait(PATIENCE)  # nobody has the drawing before all have asked for it
        return found

    monkeypatch.setattr(films, "_drawing", asked)
    with ThreadPoolExecutor(4) as tabs:
        answers = list(tabs.map(lambda _: client.get(f"/film/{run}/metric/{version}").json(), range(4)))
    assert len(here.work) == 1
    assert all("layout" in answer and answer == answers[0] for answer in answers)
    # Curves are not kept: who asks for them later gets those of then.
    monkeypatch.setattr(films, "_drawing", drawing)
    assert client.get(f"/film/{run}/metric/{version}").json() == answers[0]
    assert len(here.work) == 2


def test_several_frames_come_in_one_answer_and_only_those_that_are_missing_are_drawn(client, jobs, run, here):
    steps = jobs.store.snapshots(run).steps.tolist()
    assert len(steps) > 2
    alone = [client.get(f"/film/{run}/lengths/{step}").text for step in steps[:2]]
    here.work.clear()
    answer = client.get(f"/film/{run}/lengths/{steps[1]},{steps[2]},{steps[0]}")
    assert [work[-2] for work in here.work] == [[steps[2]]]
    lines = answer.text.split("\n")
    assert [lines[0], lines[2]] == alone[::-1]
    assert lines[1] == client.get(f"/film/{run}/lengths/{steps[2]}").text
    assert len(here.work) == 1
    # Of a snapshot that cannot be drawn the line is empty, and the others come nevertheless.
    assert client.get(f"/film/{run}/lengths/{steps[0]},999999").text.split("\n") == [alone[0], ""]


def test_curves_end_where_time_does_though_their_layout_is_of_earlier_snapshots(client, jobs, run):
    steps, epochs = jobs.store.snapshots(run)
    last = float(epochs[-1])
    version = client.get(f"/film/{run}").json()["metrics"]
    for picture in ("objective", "metric"):
        axis = client.get(f"/film/{run}/{picture}/{version}").json()["layout"]["xaxis"]
        assert axis["range"][1] == pytest.approx(last)
        assert axis["title"] == client.get(f"/film/{run}/{picture}?of=2").json()["layout"]["xaxis"]["title"]
    assert "xaxis" not in client.get(f"/film/{run}/density/{steps[-1]}").json()["layout"]


def test_a_run_that_goes_on_after_its_end_has_news_again(client, jobs):
    run_id = jobs.submit(RunSpec.of("ASKL", "moons", n_features=8, epochs=100_000, compile="off", device="cpu"))
    until(lambda: jobs.snapshot(run_id).step > 3)
    jobs.cancel(run_id)
    assert jobs.wait(run_id).status == "stopped"
    until(lambda: not client.get(f"/film/{run_id}").json()["live"])
    jobs.resume_run(run_id)
    until(lambda: client.get(f"/film/{run_id}").json()["live"])
    jobs.cancel(run_id)
    jobs.wait(run_id)


def test_switches_make_another_frame(client, run, jobs):
    step = int(jobs.store.snapshots(run).steps[-1])
    looks = ("principal direction 1", "principal direction 2")
    first, second = (client.get(f"/film/{run}/density/{step}", params={"look": look}).json() for look in looks)
    assert first["traces"] != second["traces"]


def test_numbers_are_those_of_the_snapshot(client, jobs, run):
    steps = jobs.store.snapshots(run).steps
    curve = jobs.store.metrics(run).curves["test_metric"]
    for step in (steps[0], steps[-1]):
        numbers = dict(client.get(f"/film/{run}/values/{step}").json()["numbers"])
        value = curve.values[curve.steps <= step][-1]
        assert next(text for label, text in numbers.items() if label.startswith("Test")) == f"{value:.1f} %"


NOWHERE = """nosuchrun nosuchrun/density/0 {run}/nosuchpicture/0 {run}/density/999999 {run}/density/0?look=nowhere
{run}/density/0?nosuchswitch=1 {run}/density/undefined {run}/density/0,x
{run}/density/1,2,3,4,5,6,7,8,9 {run}/values/999999 ..%2F..%2Fetc/density/0 {run}/nosuchpicture?of=x"""


@pytest.mark.parametrize("address", NOWHERE.split())
def test_what_cannot_be_had_is_a_sentence(client, run, address):
    answer = client.get("/film/" + address.format(run=run))
    assert answer.status_code == 404
    assert answer.text == "Not Found" if "%2F" in address else "error" in answer.json()


def test_a_run_that_is_removed_takes_its_frames_along(client, jobs):
    run_id = jobs.submit(RunSpec.of("SK", "moons", n_features=8, epochs=1, batch_size=64, device="cpu"))
    assert jobs.wait(run_id).status == "finished"
    assert client.get(f"/film/{run_id}/density/0").status_code == 200
    assert list(jobs.store.folder(run_id).films.rglob("*.gz"))
    jobs.store.purge(run_id)
    assert not jobs.store.folder(run_id).films.exists()
    assert client.get(f"/film/{run_id}/density/0").status_code == 404


def test_no_other_site_may_read_an_answer(client, run):
    answer = client.get(f"/film/{run}", headers={"Origin": "http://localhost:1"})
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_a_run_that_goes_on_from_a_checkpoint_has_no_frames_of_its_past(jobs, run):
    found = Films(jobs.store)
    with pytest.raises(KernlabError, match="snapshot at that step"):
        found.frame(run, "density", {}, 10**6)
    assert gzip.decompress(parts(str(jobs.store.root), "layout", run, "density", {}, [2], True)[0])


def test_an_answer_waits_for_the_first_snapshot_of_a_run_that_begins_and_for_nothing_else(monkeypatch, client):
    looks = []

    def look(status, steps):
        snapshots = SimpleNamespace(steps=steps)
        watch = SimpleNamespace(state=SimpleNamespace(status=status), snapshots=snapshots, in_memory=len(looks) % 2)
        return following.Seen(0.0, watch, News(f"v{len(steps)}", {"steps": steps}))

    def grows(run_id):
        looks.append(run_id)
        following._looks[run_id] = look("running", [0] if len(looks) > 3 else [])
        return following._looks[run_id]

    monkeypatch.setattr(following, "_looks", OrderedDict())
    monkeypatch.setattr(following, "look", grows)
    monkeypatch.setattr(following, "_BEGINNING", PATIENCE)
    assert client.get("/film/begins?version=v0").json() == {"steps": [0]}
    assert len(looks) == 4
    for status, steps in (("queued", []), ("running", [0])):
        looks.clear()

        def stays(run_id, status=status, steps=steps):
            looks.append(run_id)
            following._looks[run_id] = look(status, steps)
            return following._looks[run_id]

        monkeypatch.setattr(following, "look", stays)
        assert client.get(f"/film/stays?version=v{len(steps)}").status_code == 204
        assert len(looks) == 1


def lines_of(answer):
    """The news, and by their names what was drawn with them."""
    first, *lines = answer.text.split("\n")
    news = json.loads(first)
    return news, dict(zip(news["drawn"], lines, strict=True))


def test_what_is_new_of_the_pictures_comes_with_the_news(client, jobs, run, here):
    newest, metrics = int(jobs.store.snapshots(run).steps[-1]), client.get(f"/film/{run}").json()["metrics"]
    look = "density?look=principal+direction+2"
    shown = [look, "metric?", "nothing?", "gram?"]
    alone = {
        look: f"/film/{run}/density/{newest}?look=principal+direction+2",
        "metric?": f"/film/{run}/metric/{metrics}",
        "gram?": f"/film/{run}/gram/{newest}",
        "values": f"/film/{run}/values/{newest}",
    }
    alone = {name: client.get(address).json() for name, address in alone.items()}
    assert not any("error" in each for each in alone.values()), alone
    here.work.clear()
    asked = {"version": "older", "metrics": 0, "step": 0, "draw": shown}
    news, lines = lines_of(client.get(f"/film/{run}", params=asked))
    assert all(lines.values()), [name for name, line in lines.items() if not line]
    assert {name: json.loads(line) for name, line in lines.items()} == alone
    assert {key: news[key] for key in ("metrics", "live")} == {"metrics": metrics, "live": False}
    assert len(here.work) == 1
    # For another page that shows the same it is not drawn again.
    assert lines_of(client.get(f"/film/{run}", params=asked))[1] == lines
    assert len(here.work) == 1
    # What the browser has does not come again.
    _, lines = lines_of(client.get(f"/film/{run}", params=asked | {"metrics": metrics}))
    assert set(lines) == {"values", look, "gram?"}
    _, lines = lines_of(client.get(f"/film/{run}", params=asked | {"step": newest}))
    assert set(lines) == {"metric?"}
    here.work.clear()
    _, lines = lines_of(client.get(f"/film/{run}", params=asked | {"metrics": metrics, "step": newest}))
    assert not lines
    assert not here.work


def test_a_page_hears_which_of_those_that_follow_the_run_it_is(client, run, monkeypatch):
    monkeypatch.setattr(following, "_following", {})

    def place(by, of=run):
        facts, _ = lines_of(client.get(f"/film/{of}", params={"version": "older", "by": by, "draw": "metric?"}))
        return facts["page"], facts["pages"]

    following._following["another", "a"] = time.monotonic()
    assert [place(by) for by in "cca"] == [(0, 1), (0, 1), (0, 2)]
    assert [place(by) for by in "bcab"] == [(1, 3), (2, 3), (0, 3), (1, 3)]
    following._following[run, "a"] -= following._LEFT
    assert place("c") == (1, 2)
    assert ("another", "a") in following._following


def test_several_runs_are_asked_for_in_one_question(client, run):
    old = {"version": "older", "metrics": 0, "step": 0, "draw": ["density?", "metric?"]}
    alone, gone = client.get(f"/film/{run}", params=old), client.get("/film/nosuchrun")
    same = {"version": client.get(f"/film/{run}").json()["version"]}
    asked = [f"{run}?{urlencode(old, doseq=True)}", f"{run}?{urlencode(same)}", "nosuchrun", f"{run}?"]
    sizes, *lines = client.get("/news/runs", params={"ask": asked}).text.split("\n")
    assert json.loads(sizes) == [[200, 4], [204, 0], [404, 1], [200, 1]]
    assert lines[:4] == alone.text.split("\n")
    assert json.loads(lines[4]) == gone.json()
    assert json.loads(lines[5]) == client.get(f"/film/{run}").json()


def test_what_is_new_of_several_runs_is_drawn_in_one_go(client, run, here):
    asked = [
        {"version": "older", "metrics": 0, "step": step, "draw": name}
        for step, name in enumerate(("density?", "gram?"))
    ]
    alone = [client.get(f"/film/{run}", params=each).text.split("\n") for each in asked]
    here.work.clear()
    whole = {"ask": [f"{run}?{urlencode(each)}" for each in asked]}
    sizes, *lines = client.get("/news/runs", params=whole).text.split("\n")
    assert len(here.work) == 1
    assert json.loads(sizes) == [[200, 3], [200, 3]]  # facts, numbers, and a picture
    assert [json.loads(line) for line in lines] == [json.loads(line) for each in alone for line in each]


def test_a_layout_that_fails_does_not_take_the_others_along(client, run, monkeypatch):
    def broken(run, key, view, of):
        return 1 / 0 if key == "metric" else whole(run, key, view, of)

    whole = frames.layout
    monkeypatch.setattr(frames, "layout", broken)
    asked = {"ask": [f"{run}/metric?of=2", f"{run}/objective?of=2"]}
    sizes, line = client.get("/news/layouts", params=asked).text.split("\n")
    assert json.loads(sizes) == [[404, 0], [200, 1]]
    assert json.loads(line)["traces"]


def test_layouts_that_are_renewed_at_one_moment_are_drawn_in_one_go(client, run, here):
    asked = [("density", {"of": 2, "look": "principal direction 2"}), ("metric", {"of": 1}), ("gram", {"of": 3})]
    alone = [client.get(f"/film/{run}/{key}", params=view).json() for key, view in asked]
    here.work.clear()
    several = [f"{run}/{key}?{urlencode(view)}" for key, view in asked]
    wrong = ["nosuchrun/density?of=1", "no.run/density?of=1", f"{run}/nothing?of=1", run, ""]
    answer = client.get("/news/layouts", params={"ask": [*several, *wrong, f"{run}/density?of=x"]})
    assert len(here.work) == 1
    sizes, *lines = answer.text.split("\n")
    assert json.loads(sizes) == [*[[200, 1]] * 3, *[[404, 0]] * 5, [200, 1]]
    assert [json.loads(line) for line in lines] == [*alone, client.get(f"/film/{run}/density").json()]
    assert answer.headers["cache-control"] == "no-store"


def test_what_cannot_be_drawn_of_the_newest_moment_is_an_empty_line(client, run):
    asked = {"version": "older", "metrics": 0, "step": 0, "draw": ["density?look=nowhere", "density?"]}
    _, lines = lines_of(client.get(f"/film/{run}", params=asked))
    assert lines["density?look=nowhere"] == ""
    assert json.loads(lines["density?"])["traces"]


def test_a_picture_that_fails_takes_neither_the_news_nor_the_others_along(client, run, monkeypatch):
    def broken(run, key, view, step):
        return 1 / 0 if key == "metric" else whole(run, key, view, step)

    whole = frames.frame
    monkeypatch.setattr(frames, "frame", broken)
    monkeypatch.setattr(following, "_newest_of", OrderedDict())
    asked = {"version": "older", "metrics": 0, "step": 0, "draw": ["metric?", "objective?"]}
    news, lines = lines_of(client.get(f"/film/{run}", params=asked))
    assert news["steps"]
    assert lines["metric?"] == ""
    assert json.loads(lines["objective?"])["traces"]


def test_news_do_not_wait_for_pictures_that_take_long(client, run, here, monkeypatch):
    monkeypatch.setattr(following, "_DRAWING", 0.01)
    monkeypatch.setattr(here, "submit", lambda *_: Future())
    monkeypatch.setattr(following, "_newest_of", OrderedDict())
    asked = {"version": "older", "metrics": 0, "step": 0, "draw": ["density?"]}
    news, lines = lines_of(client.get(f"/film/{run}", params=asked))
    assert not lines
    assert news["steps"]
