"""The first view of a page: its heading and sketches of its pictures, before Streamlit has drawn anything."""

import json
import re
import urllib.request
from urllib.parse import parse_qsl

import browsing
import pytest
from browsing import visit
from opening import ran
from starlette.applications import Starlette
from starlette.testclient import TestClient
from waiting import until

from kernlab.bench.pages import stored
from kernlab.jobs import manager
from kernlab.pictures import frames, gallery
from kernlab.pictures.recorded import RecordedRun
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.ui import firstview, foreseen, landmarks, miniature, setup, sketches
from kernlab.ui.firstview import view_of
from kernlab.ui.live import auto_words
from kernlab.ui.pages import PAGES
from kernlab.ui.previews import made, name_of

FIRST, OWN = "#kl-first", "[data-testid=stMain]"
SMALL = {"dataset": "iris", "method": "SK", "n_features": "30"}


# -- what the server answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_heading_of_a_page_stands_in_its_document(page):
    document = firstview.document(page.name, ())
    assert f'<h1 aria-hidden="true">{page.heading}</h1></div>' in document
    assert (' class="kl-side"' in document) == page.side
    assert document.index("firstview.mjs") < document.index("static/js/index")  # it begins before Streamlit's code
    assert document.count('<div id="root">') == 1


def test_the_sketch_of_home_is_that_of_its_film():
    view = view_of("home", {})
    assert [each.film.picture for each in view.sketches] == list(miniature.SHOWN)
    for film, alt, step, ready in view.sketches:
        assert film.run == miniature.name()
        assert alt
        assert step == film.news["steps"][-1]
        wanted = film.picture, f"{film.picture}/{step}"
        assert [json.loads(each) for each in ready] == [miniature.film()["answers"][each] for each in wanted]


def test_the_sketch_of_train_is_the_preview_of_its_address(home):
    asked = SMALL | {"look": "principal direction 2", "at": "0", "present": "0"}
    assert firstview.VIEWS["train"] is sketches.train
    view = view_of("train", asked)
    spec = setup.spec_from(SMALL)
    assert {each.film.run for each in view.sketches} == {name_of(spec)}
    found = {each.film.picture: each for each in view.sketches}
    assert {"data", "density"} <= found.keys()
    assert found["density"].film.view == "look=principal+direction+2"
    assert view.words.endswith(auto_words(spec, foreseen.preview(spec)))

    # What has been drawn comes with the answer the next time, and is what the browser would be given.
    def again():
        return {each.film.picture: each for each in view_of("train", asked).sketches}["density"].ready

    until(lambda: again() is not None)
    run = made(spec.to_dict())
    view = {"look": "principal direction 2"}
    assert again() == (frames.layout(run, "density", view, 1).decode(), frames.frame(run, "density", view, 0).decode())


def test_the_sketch_of_train_is_the_run_that_its_address_names(shared):
    run = RecordedRun(shared, ran())
    run.refresh()
    asked = {"run": run.id, "method": "ASKL", "look": "principal direction 2", "present": "0"}
    seen = gallery.seen(run, {"look": "principal direction 2"})
    wanted = list(gallery.offered("overview", seen))
    until(lambda: all(each.ready for each in view_of("train", asked).sketches))

    view = view_of("train", asked)
    assert view.heading == f"Train · ASKL on {run.run.dataset}"
    assert (view.words, view.at, list(view.news)) == ("", None, [run.id])
    assert view.news[run.id]["steps"] == run.snapshots.steps.tolist()
    assert [(each.film.run, each.film.picture, each.alt) for each in view.sketches] == [
        (run.id, each.key, each.alt) for each in wanted
    ]
    for shot, _, step, ready in view.sketches:
        switches, of = dict(parse_qsl(shot.view)), len(run.snapshots.steps)
        assert step == (run.version[0] if shot.over_time else run.snapshots.steps[-1])
        made = frames.layout(run, shot.picture, switches, of), frames.frame(run, shot.picture, switches, step)
        assert ready == tuple(map(bytes.decode, made))
    assert any(each.film.view == "look=principal+direction+2" for each in view.sketches)

    # An address may name an earlier moment.
    epoch = float(run.snapshots.epochs[1])
    view = view_of("train", {"run": run.id, "at": str(epoch)})
    assert view.at == epoch
    steps = {each.step for each in view.sketches if not each.film.over_time}
    assert steps == {run.snapshots.steps[1]}


def test_of_a_run_that_goes_on_the_browser_asks_what_is_new_by_then(home):
    jobs = manager().trainings
    run_id = jobs.submit(RunSpec.of("ASKL", "moons", n_features=16, epochs=100_000, batch_size=64, compile="off"))
    assert view_of("train", {"run": run_id}) is None or len(jobs.store.snapshots(run_id).steps)
    until(lambda: len(jobs.store.snapshots(run_id).steps))
    view = view_of("train", {"run": run_id})
    assert view.news[run_id]["live"]
    assert view.sketches
    assert not any(each.ready for each in view.sketches)
    jobs.cancel(run_id)
    jobs.wait(run_id)


@pytest.mark.parametrize(("page", "address"), [
    ("train", SMALL | {"run": "20260101-000000-aaaa"}), ("train", SMALL | {"second": "method=ASKL"}),
    ("train", SMALL | {"view": "spectrum"}),
    ("train", {"scene": "learned"}), ("train", {"dataset": "no such"}), ("train", SMALL | {"n_features": "-1"}),
    ("train", SMALL | {"look": "no such"}), ("train", {"nobody": "knows"}), ("papers", {}), ("no such page", {}),
], ids=str)  # fmt: skip
def test_without_a_run_or_a_preview_there_is_no_sketch(home, page, address):
    assert view_of(page, address) is None


def test_a_server_that_has_not_loaded_previews_answers_at_once_that_it_has_none(monkeypatch):
    monkeypatch.delitem(firstview.VIEWS, "train")
    client = TestClient(Starlette(routes=firstview.routes("/lab")))
    assert client.get("/lab/first/train").status_code == 204
    answer = client.get("/lab/first/home")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in answer.headers
    assert len(answer.json()["sketches"]) == len(miniature.SHOWN)


# -- what the browser shows ------------------------------------------------------------------------------------

_BOXES = """where => [...document.querySelectorAll(where)].map(each => {
  const { left, top, width, height } = each.getBoundingClientRect();
  return each.matches("h1") ? [left, top] : [left, top, width, height]; })"""


def boxes(page, root, count):
    """Places of the heading and of the first pictures."""
    return page.evaluate(_BOXES, f"{root} h1, {root} .kl-chart")[: count + 1]


def waiting(page, server, address):
    """Open a page whose Streamlit waits for its server until the function that is returned is called."""
    kept, questions = [], "**/_stcore/**"
    page.route(questions, lambda request: kept.append(request))
    page.goto(f"{server.url}/{address}")

    def go_on():
        for request in kept:
            request.continue_()
        page.unroute(questions)

    return go_on


def alone(page, server, address):
    """Open a page whose Streamlit never finds its server: the first view stays."""
    waiting(page, server, address)
    page.locator(f"{FIRST} h1").wait_for()
    return page


@pytest.fixture(scope="module")
def run(server):
    """A run whose pictures the server has drawn: until then its first view waits for none of them."""
    return drawn_run(server, "ASKL", n_features=40, epochs=3, validation=0)


@pytest.fixture(scope="module")
def judged(server):
    """The same of a run whose length rows chose that did not train: the page has a sentence about them."""
    return drawn_run(server, "ASKL", n_features=40, epochs=3, validation=0.25)


@pytest.fixture(scope="module")
def solved(server):
    """The same of a run that has no slider."""
    return drawn_run(server, "KRR")


def drawn_run(server, method, **options):
    name = stored(server.home / "runs", method, "moons", n_samples=120, **options)

    def drawn():
        with urllib.request.urlopen(f"{server.url}/first/train?run={name}") as answer:
            return answer.status == 200 and all(each["ready"] for each in json.load(answer)["sketches"])

    until(drawn, pause=0.2)
    return name


@pytest.mark.browser
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize(("address", "count"), [
    ("", 2), (f"train?{'&'.join(map('='.join, SMALL.items()))}", 3),
    ("train?run={judged}", 5), ("train?run={solved}", 2),
])  # fmt: skip
def test_the_page_comes_where_its_first_view_stood(app, new_page, judged, solved, address, count, width):
    address = address.format(judged=judged, solved=solved)
    loaded = visit(new_page(width), app, address)  # the server has what previews are made by
    browsing.until(loaded, lambda: loaded.locator(FIRST).count() == 0)
    loaded.wait_for_function(landmarks.RESTED)
    first = alone(new_page(width), app, address)
    first.locator(f"{FIRST} .kl-chart[data-sketched]").first.wait_for()
    seen = boxes(loaded, OWN, count)
    assert boxes(first, FIRST, count) == [pytest.approx(box, abs=6) for box in seen]
    if width == 1440:  # function, density, objective, accuracy and bound, but for the legends of the last two
        assert all(top + 0.8 * height < 900 for _, top, _, height in seen[1:])
    assert first.locator(f"{FIRST} .kl-chart[data-drawn]").count() == 0
    assert not first.evaluate("'Plotly' in window")  # its code would keep the page waiting
    for words in first.locator(f"{FIRST} :is(h1, p)").all_inner_texts():
        assert words in loaded.locator(OWN).inner_text()


@pytest.mark.browser
def test_a_run_is_seen_at_its_moment_before_the_page_comes_and_its_frames_are_asked_for_once(app, new_page, run):
    with Store(app.home / "runs") as store:
        epochs, steps = store.snapshots(run).epochs, store.snapshots(run).steps
    page, asked = new_page(), []
    visit(page, app, f"train?run={run}")  # the server has drawn its newest moment
    page.wait_for_function(landmarks.WHOLE)
    page = new_page()
    page.on("request", lambda request: asked.append(request.url.partition("/film/")[2]))
    go_on = waiting(page, app, f"train?run={run}&at={epochs[1]}")
    page.locator(f"{FIRST} .kl-chart[data-sketched]").first.wait_for()
    go_on()
    page.wait_for_function(landmarks.WHOLE)
    page.wait_for_function(landmarks.RESTED)
    assert page.locator(landmarks.MOMENT).inner_text() == f"epoch {epochs[1]:.2f}"
    frames = [each for each in asked if each.partition("?")[0].count("/") == 2 and "values" not in each]
    assert len(frames) == len(set(frames))
    one = {each.split("/")[1] for each in frames if each.split("/")[2].startswith(f"{steps[1]}?")}
    assert "density" not in one  # it came with the first view


@pytest.mark.browser
def test_a_run_is_scrubbed_before_the_page_comes_and_stays_where_it_was_moved_to(app, new_page, run):
    page = new_page()
    go_on = waiting(page, app, f"train?run={run}")
    slider = page.locator(f"{FIRST} .kl-time input")
    slider.press("Home")
    slider.press("ArrowRight")
    page.wait_for_function(
        "kernlabReel.clock.index === 1 && [...kernlabReel.seen].every(({ picture }) => picture.layout)"
    )
    go_on()
    browsing.until(page, lambda: page.locator(FIRST).count() == 0)
    page.wait_for_function(landmarks.RESTED)
    assert page.evaluate("kernlabReel.clock.index") == 1
    page.wait_for_url(lambda url: "at=" in url)  # the page's script hears of it
    assert page.locator(landmarks.TIME).evaluate("slider => slider === document.activeElement")


@pytest.mark.browser
@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_slider_of_a_page_that_comes_late_gets_the_focus_of_the_first_view(app, new_page, run, elsewhere):
    page = new_page()
    page.add_init_script(f"""const find = Document.prototype.querySelector;
      window.late = true;
      Document.prototype.querySelector = function (what) {{
        return window.late && what === "{landmarks.TIME}" ? null : find.call(this, what); }};""")
    go_on = waiting(page, app, f"train?run={run}")
    page.locator(f"{FIRST} .kl-time input").press("Home")
    # In the page: on a busy machine more time lies between two commands than the slider is waited for.
    page.evaluate(
        f"""elsewhere => {{
      const soon = (call, frames) => requestAnimationFrame(frames ? () => soon(call, frames - 1) : call);
      const look = () => {{
        const [slider] = document.querySelectorAll("{landmarks.TIME}");
        if (document.querySelector("{FIRST}") || !slider) return soon(look, 0);
        const before = document.activeElement === slider;
        if (elsewhere) document.querySelector("{OWN} select[aria-label=Speed]").focus();
        window.late = false;
        soon(() => {{ window.focused = [before, document.activeElement === slider]; }}, 2);
      }};
      look();
    }}""",
        elsewhere,
    )
    go_on()
    assert page.wait_for_function("window.focused").json_value() == [False, not elsewhere]


@pytest.mark.browser
def test_the_first_view_goes_when_the_page_stands_also_where_it_has_no_pictures(app, page):
    for address in ("papers", "runs", "train?dataset=nobody", ""):
        visit(page, app, address)
        browsing.until(page, lambda: page.locator(FIRST).count() == 0)
        assert "kl-first" not in page.evaluate("document.documentElement.className")  # nor does its background stay
        assert page.locator("h1").count() == 1


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "chosen", "dark"), [
    ("light", "", False), ("dark", "", True), ("light", "Dark", True), ("dark", "Light", False),
])  # fmt: skip
def test_the_first_view_has_the_theme_of_the_page(app, new_page, scheme, chosen, dark):
    page = new_page(scheme=scheme)
    if chosen:
        page.add_init_script(f"localStorage.setItem('stActiveTheme-/papers-v2', '\"{chosen}\"')")
    alone(page, app, "papers")
    page.locator(FIRST + (".kl-dark" if dark else ".kl-light")).wait_for()
    page.locator("[data-testid=stApp]").wait_for()
    shades = "where => getComputedStyle(document.querySelector(where)).backgroundColor"
    shade = page.evaluate(shades, FIRST)
    assert page.evaluate(shades, "[data-testid=stApp]") == shade  # beside it Streamlit has no other
    assert (sum(map(int, re.findall(r"\d+", shade)[:3])) < 200) == dark


@pytest.mark.browser
def test_a_lecture_begins_without_a_first_view(app, page):
    page.route("**/_stcore/**", lambda route: None)  # no answer ever comes
    page.goto(f"{app.url}/?present=1")
    page.locator(FIRST).wait_for(state="attached")
    assert page.locator(FIRST).is_hidden()


@pytest.mark.browser
def test_without_its_module_the_first_view_goes_after_a_while(app, page):
    page.route("**/firstview.mjs", lambda route: route.fulfill(content_type="text/javascript", body=""))
    visit(page, app, "papers")
    going = f"document.querySelector('{FIRST}').getAnimations()[0]"
    page.evaluate(f"{going}.currentTime = 0")  # the page may have taken longer than it
    assert page.locator(FIRST).is_visible()
    page.evaluate(f"{going}.finish()")
    assert page.locator(FIRST).is_hidden()
