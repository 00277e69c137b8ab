"""The terms of bounds, as bars and over training, and the pictures that hold them on both kinds of axes."""

import math

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.bounds import ALIGNMENT, BOUNDS, DISCRIMINANT, FRAME, SPECTRAL, Bound, Term
from kernlab.pictures.bound_rates import (
    against_n,
    plot_against_n,
    plot_sweep,
    plot_weight_guarantee,
    sweep,
    weight_guarantee,
)
from kernlab.pictures.bound_sliders import Given, bars_if, ridge_spectrum, what_if
from kernlab.pictures.bound_terms import (
    bound_history,
    bound_now,
    bound_stack,
    newest,
    plot_bound_history,
    plot_bound_now,
    plot_bound_stack,
)

FACTOR = 4 * math.sqrt(2) * 3.0
VALUES = {
    "empirical_risk": 0.5, "weight_norm": 7.0, "lipschitz": 3.0, "rademacher": 0.02, "dual_norm": 0.01,
    "dual_norm_se": 0.001, "worst_case": 0.04, "confidence": 0.05, "complexity": FACTOR * 0.02,
    "total": FACTOR * 0.02 + 0.05, "gap": 0.03,
}  # fmt: skip


#: a + b = whole, and the "measured" value to compare with it.
PLAIN = Bound(
    "plain", "Some bound", "", "", tuple(
        Term(key, title, "", "", "")
        for key, title in (("a", "First"), ("b", "Rademacher part"), ("whole", "The sum"), ("seen", "Measured"))
    ),
    stack=("a", "b"), beside=("seen",), over_time=("whole", "a", "seen"), total="whole", measured="seen", unit="metres",
)  # fmt: skip


def history(**series):
    return {f"bound/{k}": (np.arange(len(v)), np.arange(len(v)) / 2, np.array(v, float)) for k, v in series.items()}


def test_bars_are_complexity_and_confidence_with_three_estimates():
    bars = {bar.name: bar for bar in bound_now(VALUES).bars}
    assert list(bars) == ["empirical risk", "measured gap", "exact", "paper", "worst case"]
    assert bars["paper"].total == pytest.approx(VALUES["total"])
    assert dict(bars["exact"].parts) == pytest.approx({"complexity": FACTOR * 0.01, "confidence": 0.05})
    assert bars["exact"].error == pytest.approx(FACTOR * 0.001)
    assert bars["exact"].end == pytest.approx(FACTOR * 0.011 + 0.05)
    assert bars["worst case"].total == pytest.approx(FACTOR * 0.04 + 0.05)
    assert bars["measured gap"].parts == (("gap", 0.03),)


def test_what_is_not_known_is_not_drawn():
    assert bound_now({}).bars == ()
    assert [bar.name for bar in bound_now({"gap": 0.1}).bars] == ["measured gap"]


def test_terms_over_training_stand_on_the_scale_of_the_loss():
    found = bound_history(
        history(lipschitz=[1, 2], dual_norm=[0.1, 0.2], worst_case=[1, 1], total=[9, 8], rank=[3, 3], gap=[-0.1, 0.2])
    )
    terms = {curve.name: curve.y for curve in found.terms}
    assert list(terms) == ["total", "complexity_worst", "complexity_exact"]
    assert terms["complexity_exact"] == pytest.approx([4 * math.sqrt(2) * 0.1, 4 * math.sqrt(2) * 0.4])
    assert terms["complexity_worst"] == pytest.approx([4 * math.sqrt(2), 8 * math.sqrt(2)])
    assert found.gap.y == pytest.approx([-0.1, 0.2])
    assert found.hidden == 1


def test_without_a_lipschitz_constant_nothing_is_scaled():
    found = bound_history(history(dual_norm=[0.1], total=[1.0]))
    assert [curve.name for curve in found.terms] == ["total"]
    assert found.gap is None


def test_newest_values_skip_what_is_not_finite():
    assert newest(history(gap=[1, 2, np.nan], rank=[np.nan]) | {"loss": ([0], [0], [9])}) == {"gap": 2}


def test_any_bound_says_what_is_stacked_and_what_stands_beside():
    found = bound_now({"a": 1.0, "b": 2.0, "whole": 3.0, "seen": 0.5, "other": 9.0}, PLAIN)
    assert [(bar.name, bar.parts, bar.total) for bar in found.bars] == [
        ("measured", (("seen", 0.5),), 0.5),
        ("the sum", (("a", 1.0), ("b", 2.0)), 3.0),
    ]
    assert (found.stacked, found.unit) == (("a", "b"), "metres")
    assert found.words["b"] == "Rademacher part"
    assert [bar.name for bar in bound_now({"a": 1.0, "seen": 0.5}, PLAIN).bars] == ["measured"]


def test_any_bound_says_what_is_drawn_over_training():
    found = bound_history(history(a=[1, 2], b=[0, 0], whole=[1, 2], seen=[-1, 3]), PLAIN)
    assert [curve.name for curve in found.terms] == ["whole", "a"]
    assert found.gap.y == pytest.approx([-1, 3])
    assert (found.hidden, found.unit) == (1, "metres")


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_shows_only_terms_that_it_has(name):
    bound = BOUNDS[name]
    keys = {term.key for term in bound.terms}
    made = {each.key for each in bound.estimates}
    assert bound.over_time or bound.beside
    assert {*bound.stack, *bound.beside} <= keys
    assert set(bound.over_time) <= keys | made
    assert {key for each in bound.estimates for key in (each.of, each.factor, each.replaces)} <= keys
    assert not bound.stack or bound.total in keys
    assert bound_now(dict.fromkeys(keys, 1.0), bound).bars


def test_the_gap_is_drawn_with_the_terms():
    series = {"lipschitz": [1, 1], "rademacher": [0.1, 0.2], "total": [3, 4], "gap": [-1, 2]}
    found = bound_history(history(**series))
    figure = plot_bound_history(found)
    *terms, gap = figure.data
    for trace, curve in zip(terms, found.terms, strict=True):
        np.testing.assert_array_equal((trace.x, trace.y), (curve.x, curve.y))
    assert gap.y.tolist() == [-1, 2]
    assert gap.name == "gap"
    assert figure.layout.yaxis.type == "log"
    assert "1 of 2 gaps" in figure.layout.title.subtitle.text


def test_the_bars_hold_their_terms():
    values = {"empirical_risk": 0.5, "lipschitz": 1.0, "rademacher": 0.1, "dual_norm": 0.05, "dual_norm_se": 0.01}
    found = bound_now(values | {"confidence": 0.2, "gap": 0.3})
    figure = plot_bound_now(found)
    by_name = {trace.name: trace for trace in figure.data}
    assert by_name["complexity"].y == ("exact", "paper")
    assert by_name["complexity"].x == tuple(dict(bar.parts)["complexity"] for bar in found.bars[2:])
    assert (by_name["gap"].x, by_name["gap"].y) == ((0.3,), ("measured gap",))
    assert by_name["total"].x == tuple(bar.end for bar in found.bars)
    assert by_name["standard error"].error_x.array == (found.bars[2].error,)
    assert figure.layout.barmode == "stack"


def test_terms_without_a_role_have_looks_of_their_own():
    terms = [f"part {i}" for i in range(4)]
    bound = Bound(
        "b", "Some bound", "", "", tuple(Term(t, t, "", "", "") for t in (*terms, "confidence", "total", "gap")),
        stack=(*terms, "confidence"), over_time=("total", *terms, "confidence", "gap"),
    )  # fmt: skip
    bars = plot_bound_now(bound_now(dict.fromkeys(bound.stack, 1.0), bound)).data[:5]
    assert [bar.name for bar in bars] == [*terms, "confidence"]
    assert len({bar.marker.color for bar in bars}) == len({bar.marker.pattern.shape for bar in bars}) == 5
    assert all(bar.showlegend for bar in bars)
    found = bound_history(history(**{term: [1, 2] for term in bound.over_time}), bound)
    lines = plot_bound_history(found).data
    assert [line.name for line in lines] == ["total", "part 0", "part 1", "part 2", "part 3", "confidence", "gap"]
    assert len({line.line.color for line in lines}) == 7


# -- the pictures of every bound ------------------------------------------------------------------------------

rng = np.random.default_rng(0)
MEASURED = {
    "empirical_risk": 0.3, "zero_risk": 1.0, "weight_norm": 8.0, "weight_square": 20.0, "mean_trace": 0.8,
    "trace_spread": 0.3, "lipschitz": 1.4, "dual_norm": 0.2, "dual_norm_se": 0.01, "confidence": 0.0, "gap": 0.05,
}  # fmt: skip
FRAMED = {
    "empirical_risk": 0.2, "zero_risk": 1.0, "envelope_constant": 0.7, "envelope_exponent": 1.8, "eigenvalue_sum": 1.1,
    "norm": 2.0, "target_bound": 2.0, "output_bound": 1.5, "gap": 0.02, "test_risk": 0.22,
}  # fmt: skip


def ball() -> Given:
    q = np.linspace(1, 0.01, 400)
    q /= q.sum()
    values = {"chi_square": 2000 * float(q @ q) - 1, "support": 400.0, "effective_size": 1 / float(q @ q)}
    return Given(ALIGNMENT, values | {"alignment": 0.3}, 500, 2, 400, candidates=2000, q=q, gain=3.0)


def ridge() -> Given:
    found = ridge_spectrum(rng.normal(size=(60, 20)), rng.normal(size=(60, 2)))
    at = Given(DISCRIMINANT, {"predicted_error": 0.5}, 500, 2, 20, ridge=found, rho=0.1)
    return at._replace(values=what_if(at, {"rho": 0.1}))


RUNS = {
    "spectral": Given(SPECTRAL, MEASURED, 1000, 4, 200, {"trace_norm": 1e-3}, frequencies=200),
    "frame": Given(FRAME, FRAMED, 1000, 1, 100),
    "alignment": ball(),
    "discriminant": ridge(),
}
RUNS = {kind: at._replace(values=what_if(at)) for kind, at in RUNS.items()}


def over_training(at: Given, steps: int = 3000):
    keep = np.arange(1, steps + 1)
    return {f"bound/{key}": (keep, keep / 300, value * (0.5 + rng.random(steps))) for key, value in at.values.items()}


def drawn(at: Given, log: bool):
    yield plot_bound_now(bound_now(at.values, at.bound), bound_now(at.values, at.bound), log_x=log)
    yield plot_bound_now(bars_if(at, {"n": 5000}), log_x=log)
    if stack := bound_stack(over_training(at), at.bound):
        yield plot_bound_stack(stack, log_y=log)
    if rates := against_n(at):
        yield plot_against_n(rates)
    if promised := weight_guarantee(at):
        yield plot_weight_guarantee(promised)
    if swept := sweep(at):
        yield plot_sweep(swept)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("kind", RUNS)
def test_every_picture_keeps_its_promises(kind, log):
    for figure in drawn(RUNS[kind], log):
        layout = keeps_promises(figure)
        assert layout.xaxis.title.text
        assert all(len(trace.x) <= 1000 for trace in figure.data)
        assert has_values(figure)


def test_the_areas_lie_on_one_another_with_the_smallest_below():
    steps = np.arange(5)
    values = {"complexity": [5, 5, 4, 4, 3], "confidence": [0.1] * 5, "lipschitz": [1] * 5, "dual_norm": [0.1] * 5}
    values |= {"gap": [-0.1, 0.1, 0.2, 0.2, 0.2], "zero_risk": [1] * 5}
    stack = bound_stack({f"bound/{key}": (steps, steps / 2, each) for key, each in values.items()}, SPECTRAL)
    assert [term for term, _ in stack.areas] == ["confidence", "complexity"]
    assert (stack.hidden, stack.measured, stack.trivial, stack.total) == (1, "gap", "zero_risk", 5)
    lines = dict(stack.lines)
    np.testing.assert_allclose(lines["complexity_exact"], 4 * np.sqrt(2) * 0.1 + 0.1, rtol=1e-6)
    figure = plot_bound_stack(stack)
    areas = [trace for trace in figure.data if trace.stackgroup]
    assert [trace.name for trace in areas] == ["confidence", "complexity"]
    np.testing.assert_allclose(areas[1].y, values["complexity"])  # by itself: the browser adds them up
    assert "exact, in total" in [trace.name for trace in figure.data]
    assert "not on a log axis: 1" in figure.layout.title.subtitle.text
    assert plot_bound_stack(stack, log_y=False).layout.title.subtitle.text is None


def test_terms_measured_at_other_steps_are_interpolated_to_those_of_the_stack():
    found = {
        "bound/complexity": ([0, 10, 20], [0, 1, 2], [1, 2, np.nan]),
        "bound/confidence": ([0, 20], [0, 2], [1, 3]),
    }
    stack = bound_stack(found, SPECTRAL)
    assert stack.x.tolist() == [0, 1]
    assert dict(stack.areas)["confidence"].tolist() == [1, 2]
    assert bound_stack({"bound/complexity": found["bound/complexity"]}, SPECTRAL) is None
    assert bound_stack(found, ALIGNMENT) is None


def test_on_a_logarithmic_axis_every_term_has_its_own_mark():
    at = RUNS["frame"]
    figure = plot_bound_now(bound_now(at.values, at.bound), log_x=True)
    marks = {trace.name: trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers"}
    for key, title in (("complexity_size", "leading eigenvalues"), ("confidence", "confidence")):
        assert marks[title].x == (at.values[key],)
    (bar,) = [trace for trace in figure.data if trace.type == "bar"]
    assert at.values["total"] in bar.x
    assert figure.layout.shapes[0].x0 == 1.0  # the risk of answering zero
    linear = plot_bound_now(bound_now(at.values, at.bound))
    assert linear.layout.barmode == "stack"


def test_the_marks_of_the_lines_over_n_are_at_their_numbers():
    view = against_n(RUNS["frame"], {"n": 50_000})
    figure = plot_against_n(view)
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [50_000]
    names = [trace.name for trace in figure.data]
    assert names[:5] == [rate.words for rate in view.rates]
    assert names[5] == "measured gap"
    assert figure.data[5].x == (1000,)
    assert names[6:] == [words for _, _, words in view.crossings]


def test_a_legend_over_training_has_short_names_and_leaves_room_for_the_plot():
    history = over_training(RUNS["frame"], 10)
    drawn = {trace.name for trace in plot_bound_history(bound_history(history, FRAME)).data}
    assert {"leading λ", "remaining λ", "Rademacher"} <= drawn
    assert max(map(len, drawn)) <= len("measured risk")
