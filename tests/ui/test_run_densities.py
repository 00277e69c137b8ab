"""The density of a stored run on the grids of the Kernel lab, and the page without a browser."""

import numpy as np
import pytest
from opening import opened, ran, sound
from starlette.applications import Starlette
from starlette.testclient import TestClient
from test_lab_arithmetic import square

from kernlab.errors import KernlabError, UnknownNameError
from kernlab.pictures.gallery import seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.spectrum import frequencies_at, nonstationarity
from kernlab.ui import densities
from kernlab.ui.densities import HALF, NODES, learned


@pytest.fixture
def run(shared):
    return shared, ran("ASKL", "moons")


def along(store, run, look):
    recorded = RecordedRun(store, run)
    recorded.refresh()
    j = [f"input {name}" for name in recorded.facts["feature_names"]].index(look)
    return [each[j] for each in frequencies_at(seen(recorded))[0].both]


def test_the_density_of_a_run_has_the_mass_and_the_moments_of_its_frequencies(run):
    store, run_id = run
    look = learned(store, run_id)["looks"][-1]
    found, (first, second) = learned(store, run_id, look), along(store, run_id, look)
    both = np.concatenate([first, second])
    assert found["look"] == look
    line, values = found["line"], np.array(found["line"]["values"])
    step = line["range"] / NODES
    assert (np.abs(both) <= line["range"]).mean() >= 0.99
    mass = step * (2 * values.sum() - values[0])
    assert mass == pytest.approx(1, abs=0.03)
    omega = step * np.arange(NODES)
    # A kernel density estimate is wider than the frequencies, by its bandwidth.
    spread = np.sqrt(2 * step * (values * omega**2).sum() / mass)
    assert np.sqrt((both**2).mean()) * 0.95 < spread < np.sqrt((both**2).mean()) * 1.3
    s, w = square(np.array(found["pairs"]["values"])), found["pairs"]["range"] / HALF * np.arange(-HALF, HALF + 1)
    nu = (s * (w[:, None] - w) ** 2).sum() / (2 * (s * (w[:, None] ** 2 + w**2)).sum())
    assert nu == pytest.approx(nonstationarity(first, second), abs=0.1)


def test_runs_without_frequencies_are_not_offered_and_refused_with_a_sentence(shared):
    with_them, stationary, other = (ran(method, "moons") for method in ("ASKL", "SKL", "NysDI"))
    offered = [each["id"] for each in densities.runs(shared)]
    assert {with_them, stationary} <= set(offered)
    assert other not in offered
    assert learned(shared, stationary)["pairs"] is None
    with pytest.raises(KernlabError, match="must have frequencies"):
        learned(shared, other)
    with pytest.raises(UnknownNameError):
        learned(shared, with_them, "input nothing")


def test_the_server_answers_with_the_density_or_a_sentence(run):
    _, run_id = run
    client = TestClient(Starlette(routes=densities.routes("")))
    assert run_id in [each["id"] for each in client.get("/densities").json()]
    found = client.get(f"/densities/{run_id}").json()
    assert len(found["line"]["values"]) == NODES
    assert "frequencies in rad per scaled unit" in found["words"]
    gone = client.get("/densities/nobody")
    assert gone.status_code == 404
    assert "nobody" in gone.json()["error"]


def test_the_page_opens_without_a_browser(home):
    app = sound(opened("lab"))
    assert app.title[0].value == "Kernel lab"
    assert "Yaglom" in app.expander[0].markdown[0].value
