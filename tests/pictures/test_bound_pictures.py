"""The pictures of bounds keep what all pictures promise, on both axes, and show the numbers of the analysis."""

from __future__ import annotations

import time

import numpy as np
import pytest
from drawn import has_values

from kernlab.bounds import ALIGNMENT, DISCRIMINANT, FRAME, SPECTRAL
from kernlab.pictures.bound_rates import (
    against_n,
    plot_against_n,
    plot_sweep,
    plot_weight_guarantee,
    sweep,
    weight_guarantee,
)
from kernlab.pictures.bound_sliders import Given, bars_if, ridge_spectrum, what_if
from kernlab.pictures.bound_terms import bound_now, bound_stack, plot_bound_now, plot_bound_stack

rng = np.random.default_rng(0)
MEASURED = {
    "empirical_risk": 0.3, "zero_risk": 1.0, "weight_norm": 8.0, "weight_square": 20.0, "mean_trace": 0.8,
    "trace_spread": 0.3, "lipschitz": 1.4, "dual_norm": 0.2, "dual_norm_se": 0.01, "confidence": 0.0, "gap": 0.05,
}  # fmt: skip
FRAMED = {
    "empirical_risk": 0.2, "zero_risk": 1.0, "envelope_constant": 0.7, "envelope_exponent": 1.8, "eigenvalue_sum": 1.1,
    "norm": 2.0, "target_bound": 2.0, "output_bound": 1.5, "gap": 0.02, "test_risk": 0.22,
}  # fmt: skip


def complete(at: Given) -> Given:
    return at._replace(values=what_if(at))


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
    "spectral": complete(Given(SPECTRAL, MEASURED, 1000, 4, 200, {"trace_norm": 1e-3}, frequencies=200)),
    "frame": complete(Given(FRAME, FRAMED, 1000, 1, 100)),
    "alignment": ball(),
    "discriminant": ridge(),
}


def history(at: Given, steps: int = 3000):
    keep = np.arange(1, steps + 1)
    return {f"bound/{key}": (keep, keep / 300, value * (0.5 + rng.random(steps))) for key, value in at.values.items()}


def drawn(at: Given, log: bool):
    yield plot_bound_now(bound_now(at.values, at.bound), bound_now(at.values, at.bound), log_x=log)
    yield plot_bound_now(bars_if(at, {"n": 5000}), log_x=log)
    if stack := bound_stack(history(at), at.bound):
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
        assert figure.data
        assert figure.layout.title.text
        assert figure.layout.uirevision
        assert figure.layout.xaxis.title.text
        assert all(trace.name for trace in figure.data)
        assert all(trace.hovertemplate or trace.hoverinfo == "skip" for trace in figure.data)
        assert len(figure.to_json()) < 200_000
        assert all(len(trace.x) <= 1000 for trace in figure.data)
        assert has_values(figure)


def test_they_are_quick_enough_to_follow_a_slider():
    times = []
    for _ in range(3):
        start = time.thread_time()
        for kind in RUNS:
            list(drawn(RUNS[kind], True))
        times.append(time.thread_time() - start)
    assert min(times) < 1.5  # about twenty pictures


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


def test_terms_measured_at_other_steps_are_read_off_where_the_stack_is_known():
    found = {
        "bound/complexity": ([0, 10, 20], [0, 1, 2], [1, 2, np.nan]),
        "bound/confidence": ([0, 20], [0, 2], [1, 3]),
    }
    stack = bound_stack(found, SPECTRAL, axis="step")
    assert stack.x.tolist() == [0, 10]
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


def test_the_marks_of_the_lines_over_n_stand_where_they_are_said():
    view = against_n(RUNS["frame"], {"n": 50_000})
    figure = plot_against_n(view)
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [50_000]
    names = [trace.name for trace in figure.data]
    assert names[:5] == [rate.words for rate in view.rates]
    assert names[5] == "measured gap"
    assert figure.data[5].x == (1000,)
    assert names[6:] == [words for _, _, words in view.crossings]
