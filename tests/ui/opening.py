"""Open a page without a browser, press its buttons, and read what is on it."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest
from waiting import PATIENCE

from kernlab import paths
from kernlab.jobs import manager
from kernlab.pictures.frames import Films
from kernlab.pictures.recorded import RecordedRun
from kernlab.spec import RunSpec
from kernlab.ui.news import news, values
from kernlab.ui.watch import Watch

SMALL = {"n_features": 20, "epochs": 3, "order": 4, "j_min": -1, "j_max": 1, "max_turns": 2, "batch_size": 50}
RUNS: dict[tuple[object, ...], str] = {}


def opened(name, **address):
    """The page as the address shows it."""
    # What main.py does, with the wanted page as the first: AppTest cannot follow an address.
    app = AppTest.from_string(
        f"from kernlab.ui import jobs, pages; pages.show(jobs.head, {name!r})", default_timeout=PATIENCE
    )
    for key, value in address.items():
        app.query_params[key] = value
    return app.run()


def errors(app):
    """The sentences of what went wrong; no page ever ends with an exception."""
    assert not app.exception
    return [error.value for error in app.error]


def sound(app):
    assert errors(app) == []
    return app


def address(app):
    """What the address of the page says."""
    return {key: value[0] if isinstance(value, list) else value for key, value in app.query_params.items()}


def button(app, label):
    return next(each for each in app.button if each.label == label)


def press(app, label):
    return button(app, label).click().run()


def components(app, name):
    """What kernlab's own elements of that name were given, by their keys."""
    assert not app.exception
    found = [each.proto for each in app.get("bidi_component") if each.proto.component_name == f"kernlab_{name}"]
    return {each.id.split("-", 2)[2]: json.loads(each.json)[0] for each in found}


def figures(app):
    """The figures on the page, by the keys of their pictures; of films, those that the browser would draw now."""
    at = components(app, "elements").get("timeline", {}).get("at")
    shown = components(app, "chart").items()
    found = {
        key: filmed(at=at, **data["film"]) if "film" in data else json.loads(data["figure"]) for key, data in shown
    }
    return {key: figure for key, figure in found.items() if figure}


def filmed(run, picture, view, over_time, at, **_):
    """A picture as film/figure.mjs makes it of what the server answers."""
    store = manager().trainings.store
    films = Films(store)
    recorded = RecordedRun(store, run)
    recorded.refresh()
    moment, switches = recorded.moment(at), dict(parse_qsl(view))
    if moment is None:
        return {}
    step = recorded.version[0] if over_time else moment.step
    fixed = json.loads(films.layout(run, picture, switches, len(recorded.snapshots.steps)))
    shot = json.loads(films.frame(run, picture, switches, step))
    data = []
    for key, parts in shot["traces"].items():
        trace = {"type": key.split(":")[0]}
        for path, value in {**fixed["traces"].get(key, {}), **parts}.items():
            *parents, last = path.split(".")
            inner = trace
            for each in parents:
                inner = inner.setdefault(each, {})
            inner[last] = value
        data.append(trace)
    return {"data": data, "layout": {**fixed["layout"], **shot["layout"]}}


def numbers(app):
    """The numbers beside the pictures, by their labels."""
    elements = components(app, "elements")
    watch = Watch(manager().trainings, elements["values"]["run"])
    watch.refresh()
    return dict(values(watch, watch.moment(elements["timeline"]["at"]).step)["numbers"])


def news_of(app, key="progress"):
    """The news of the job whose line of progress is on the page, as the browser gets them."""
    data = components(app, "elements")[key]
    watch = Watch(manager().trainings, data["runs"][0] if "runs" in data else data["run"])
    watch.refresh()
    return json.loads(json.dumps(news(watch).facts))


def words(app, *kinds):
    """All that the page says in texts of these kinds."""
    return " ".join(each.value for kind in kinds or ("markdown", "caption", "info") for each in getattr(app, kind))


def finished(spec):
    """The id of a run of the spec that has just been trained in the store of this test."""
    run_id = manager().trainings.submit(spec)
    assert manager().trainings.wait(run_id, PATIENCE).status == "finished"
    return run_id


def ran(method="ASKL", dataset="moons", **options):
    """A small finished run in the store of this test; of equal ones in one store there is one."""
    key = (paths.home(), method, dataset, *options.items())
    if key not in RUNS:
        known = RunSpec.of(method, dataset).schema()
        rows = {"n_samples": 100} if dataset in ("moons", "chirp") else {}
        chosen = {name: value for name, value in {**SMALL, **rows, **options}.items() if name in known}
        RUNS[key] = finished(RunSpec.of(method, dataset, **chosen))
    return RUNS[key]


def store_of(folder):
    return manager(folder).trainings.store
