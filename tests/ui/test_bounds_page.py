"""The Bounds page without a browser: sliders that answer, the address that keeps them, and what has no bound."""

import numpy as np
import pytest
from opening import address, figures, opened, press, ran, sound, words

from kernlab.bounds import with_root
from kernlab.pictures.bound_sliders import read_changes
from kernlab.pictures.recorded import _with_root as with_root_everywhere
from kernlab.runs.store import Curve


@pytest.fixture(autouse=True)
def store(shared):
    """Runs are only looked at here."""


def page(**scene):
    return sound(opened("bounds", **scene))


def slid(app):
    own = "view.whatif."
    return {each.key.removeprefix(own): each for each in app.select_slider if each.key.startswith(own)}


def totals(figure):
    """The numbers at the ends of the bars."""
    (texts,) = [trace for trace in figure["data"] if trace.get("mode") == "text"]
    return dict(zip(texts["y"], (text.strip() for text in texts["text"]), strict=True))


EXPECTED = {
    ("ASKL", "moons"): {"n", "K", "D", "delta", "trace_norm", "feature_norm"},
    ("SK", "diabetes"): {"n", "K", "D", "delta", "frobenius"},
    ("FKS-Fourier", "diabetes"): {"n", "delta", "k", "t"},
    ("LKRF", "moons"): {"radius"},
    ("RFDI", "diabetes"): {"rho"},
    ("NysDI", "digits"): {"rho"},
    ("LKRF-resampled", "moons"): set(),
    ("SVC-rbf", "iris"): set(),
}


@pytest.mark.parametrize(("method", "dataset"), EXPECTED)
def test_every_bound_has_the_sliders_of_its_formula(method, dataset):
    app = page(run=ran(method, dataset))
    assert slid(app).keys() == EXPECTED[method, dataset]
    seen = words(app)
    if method == "SVC-rbf":
        assert "There is no bound here for SVC-rbf" in seen
        return
    assert "acuous" in seen or "says something" in seen or "An equality" in seen or "No number bounds" in seen
    assert ("γ > 1" in seen) == method.startswith("FKS")
    drawn = figures(app)
    assert {"bound_now", "bound_parts"} & drawn.keys()
    if slid(app):
        assert any(key.startswith("whatif_") for key in drawn)


def test_a_slider_is_answered_and_kept_in_the_address():
    app = page(run=ran())
    before = figures(app)
    slider = slid(app)["n"]
    app = sound(slider.set_value(1e9).run())
    assert app.query_params["whatif"] == "n=1000000000"
    after = figures(app)
    assert before["bound_now"] == after["bound_now"]  # what was measured stays
    assert totals(before["whatif_bars"])["paper"] != totals(after["whatif_bars"])["paper"]
    assert before["whatif_rates"] != after["whatif_rates"]
    again = page(run=app.query_params["run"], whatif="n=1000000000")
    assert totals(figures(again)["whatif_bars"]) == totals(after["whatif_bars"])
    back = press(again, "Back to the run")
    assert "whatif" not in address(sound(back))
    assert totals(figures(back)["whatif_bars"])["paper"] == totals(before["whatif_bars"])["paper"]


def test_two_runs_share_the_sliders_and_each_takes_those_it_has():
    app = page(run=ran(), beside=ran("SK", "diabetes"), whatif="trace_norm=0.5")
    assert slid(app).keys() == {"n", "K", "D", "delta", "trace_norm", "feature_norm", "frobenius"}
    drawn = figures(app)
    sound(slid(app)["trace_norm"].set_value(0.001).run())
    moved = figures(app)
    assert moved["whatif_bars"] != drawn["whatif_bars"]
    assert totals(moved["whatif_bars.beside"]) == totals(drawn["whatif_bars.beside"])


def test_the_moment_moves_what_the_sliders_start_from():
    run_id = ran()
    newest, first = (figures(page(run=run_id, **at)) for at in ({}, {"at": "0"}))
    assert totals(newest["whatif_bars"]) != totals(first["whatif_bars"])
    compared = figures(page(run=run_id, reference="0"))
    assert [trace["name"] for trace in compared["bound_now"]["data"]][-1] == "at the other moment"


@pytest.mark.parametrize("method", ["SK", "LKRF", "FKS-Fourier", "RFDI"])
def test_before_the_first_step_nothing_breaks(method):
    app = page(
        run=ran(method, "diabetes" if method != "LKRF" else "moons"), at="0", whatif="n=1000,k=5,radius=0.1,rho=3"
    )
    assert figures(app)
    assert method != "LKRF" or not slid(app)  # the ball has not been looked for yet


def test_a_frame_run_of_an_older_version_is_read_with_the_root():
    stored = {
        "empirical_risk": 0.2, "envelope_constant": 0.5, "envelope_exponent": 1.7, "eigenvalue_sum": 1.0, "norm": 3.0,
        "target_bound": 2.0, "output_bound": 1.5, "total": 40.0, "k": 2.0, "t": 2.0,
    }  # fmt: skip
    steps, epochs = np.array([0, 4]), np.array([0.0, 1.0])
    old = {f"bound/{key}": Curve(steps, epochs, np.array([value, value])) for key, value in stored.items()}
    loss = Curve(np.arange(5), np.arange(5) / 4, np.ones(5))
    read = with_root_everywhere({**old, "train_loss": loss}, 800)
    assert read["train_loss"] is loss
    assert read["bound/total"].steps.tolist() == [0, 4]
    expected = with_root(stored, 800)
    assert expected["total"] != 40
    for key, value in expected.items():
        assert read[f"bound/{key}"].values.tolist() == [value, value], key
    assert with_root_everywhere(read, 800) is read
    # A run that went on with this version: the newer moments stay as they are.
    joined = {key: Curve(np.append(curve.steps, 9), np.append(curve.epochs, 2.0), np.append(curve.values, 7.0))
              for key, curve in old.items()}  # fmt: skip
    joined["bound/printed_total"] = Curve(np.array([9]), np.array([2.0]), np.array([8.0]))
    both = with_root_everywhere(joined, 800)
    assert both["bound/total"].values.tolist() == [expected["total"]] * 2 + [7.0]
    assert both["bound/printed_total"].values.tolist() == [expected["printed_total"]] * 2 + [8.0]


def test_what_an_address_says_of_sliders_is_read_with_care():
    assert read_changes("n=1000,delta=0.01") == {"n": 1000, "delta": 0.01}
    assert read_changes("n=-3,delta=x,k,=,t=nan,K=2") == {"K": 2}
    assert read_changes("") == {}
    assert slid(page(run=ran(), whatif="n=5,delta=7,nonsense=3,D=1e17"))["n"].value >= 10
