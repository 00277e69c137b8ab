"""A store that the version before left opens on every page, at the addresses that showed it."""

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest
from opening import address, components, figures, opened, sound, words

from kernlab.compare.records import StoredComparison
from kernlab.jobs import manager
from kernlab.ui.news import comparison_news

TESTS = Path(__file__).parents[1]
STORED = json.loads((TESTS / "core" / "version_1.json").read_text())["comparison"]["stored"]
RUN = "0mwr6ystvtdg"


@pytest.fixture
def earlier(home):
    """The store with one run of that version, and a comparison of it that was begun."""
    home.mkdir()
    with sqlite3.connect(home / "kernlab.db") as connection:
        connection.executescript((TESTS / "runs" / "version_1" / "kernlab.sql").read_text())
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with zipfile.ZipFile(TESTS / "runs" / "version_1" / "run.zip") as pack:
        for name in pack.namelist():
            if name not in ("run.json", "metrics.safetensors"):
                pack.extract(name, home / "runs" / RUN)
    stored = StoredComparison.from_dict(STORED)
    manager().comparisons.store.keep(stored.comparison, "The first", stored.keys)


@pytest.mark.parametrize(
    ("page", "scene"),
    [
        ("train", {"run": RUN}),
        ("train", {"run": RUN, "view": "spectrum", "at": "0", "smooth": "true", "log": "true", "boundlog": "false"}),
        ("train", {"run": RUN, "view": "kernel", "matrix": "exact", "measure": "largest"}),
        ("train", {"dataset": "moons", "method": "SKL", "form": "phase", "n_features": "50", "seed": "3"}),
        ("spectrum", {"run": RUN, "at": "0", "look": "input x", "surface": "true", "frequencies": "0,1"}),
        ("kernel", {"run": RUN, "reference": "0", "points": "3,4", "around": "2"}),
        ("bounds", {"run": RUN, "whatif": "n=1000"}),
        ("runs", {"text": "The first", "method": "ASKL", "dataset": "chirp", "status": "finished"}),
        ("compare", {"id": STORED["id"]}),
        ("compare", {"methods": "SK,SKL", "datasets": "iris", "form": "paired", "test": "corrected", "level": "0.01"}),
        ("papers", {"paper": "fks", "view": "errors", "spectra.gamma": "1"}),
        ("papers", {"result": "lkrf-examples", "datasets": "shell", "repeats": "2"}),
        ("home", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_every_page_opens_at_its_addresses(earlier, page, scene):
    app = sound(opened(page, **scene))
    given = address(app)
    if page in ("train", "spectrum", "kernel", "bounds") and "run" in scene:
        assert scene.items() <= given.items()
        assert figures(app)
    elif page == "runs":
        assert scene.items() <= given.items()
        assert app.dataframe[0].value["name"].tolist() == ["The first"]
    elif page == "train":
        assert given == {**{key: scene[key] for key in ("dataset", "method", "n_features", "seed")}, "phase": "shared"}
    elif "id" in scene:
        assert components(app, "elements")["comparison-progress"]["address"] == f"news/comparison/{scene['id']}"
        assert "0 of 8 cells" in comparison_news(manager().comparisons, scene["id"]).facts["words"]
        assert app.multiselect(key="compare.datasets").value == ["iris"]
        assert (given["n_features"], given["ASKL.phase"]) == ("8", "paired")
    elif page == "compare":
        assert {"methods": "SK,SKL", "datasets": "iris", "form": "paired"}.items() <= given.items()
    elif page == "papers":
        assert words(app, "caption")
        assert {key: text for key, text in scene.items() if key != "result"}.items() <= given.items()
