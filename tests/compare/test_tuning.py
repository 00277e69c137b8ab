"""Tuning finds what is there to find, in the training part alone, again and again the same."""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.compare import searches, tuning
from kernlab.compare.base import Cell, Tuning
from kernlab.compare.baselines import BASELINES
from kernlab.compare.cells import run_cell
from kernlab.compare.searches import SEARCHES, SearchProblem
from kernlab.compare.spaces import ADJUSTMENTS, Adjustment, Range, adjusted, method_space
from kernlab.compare.tuning import tune
from kernlab.data import DataSpec, Prepared, make_dataset, prepare, rescaled
from kernlab.errors import CompositionError, DataError, KernlabError, OptionError, TrainingError, UnknownNameError
from kernlab.methods import METHODS
from kernlab.training import rules
from kernlab.training.trainer import trained

SMALL = {"n_features": 16, "epochs": 4, "batch_size": 32, "compile": "off"}
WILD = {"optimizer": "sgd", "learning_rate": 100.0, "batch_size": 8, "epochs": 5}  # diverges on real targets
ALL = tuple(SEARCHES)


def waves(n: int = 300, task: str = "regression", d: int = 2) -> Prepared:
    """A fast wave along one input, which the automatic width of a Gaussian kernel is too wide for."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, d))
    signal = np.sin(9 * X[:, 0]) + 0.5 * X[:, 1]
    y = (signal > 0).astype(int) if task == "classification" else signal[:, None] + 0.05 * rng.normal(size=(n, 1))
    return prepare(make_dataset("waves", X, y, task), DataSpec(), 0)


def clouds(n: int = 300, K: int = 3) -> Prepared:
    rng = np.random.default_rng(1)
    y = np.arange(n) % K
    return prepare(make_dataset("clouds", rng.normal(size=(n, 2)) + y[:, None], y, "classification"), DataSpec(), 0)


#: A penalty that is far too small for the noise, which a search has to find out.
NARROW = METHODS["KRR"].with_options({"ridge": 1e-4})


def same(a: tuning.Chosen, b: tuning.Chosen) -> bool:
    """Alike but for the time they took."""
    plain = [replace(x, seconds=0.0, history=tuple(replace(t, seconds=0.0) for t in x.history)) for x in (a, b)]
    return plain[0] == plain[1]


def fixed(space: dict[str, Range]) -> SearchProblem:
    """A space that depends on nothing, without adjustments."""
    return SearchProblem(lambda values: space)


def asks(search, worth=lambda ask: 1.0) -> list[searches.Ask]:
    """What a search asks for, each answered by ``worth``."""
    found = [next(search)]
    with contextlib.suppress(StopIteration):
        while True:
            found.append(search.send(worth(found[-1])))
    return found


def rmse(found: tuning.Chosen | None, data: Prepared) -> float:
    data = rescaled(data, found.scaling) if found and found.scaling else data
    state = trained(NARROW.with_options(found.options if found else {}), data, device="cpu")
    predicted = state.model().predict(data.dataset.X[data.test_rows])
    return float(np.sqrt(np.mean((predicted - data.dataset.y[data.test_rows]) ** 2)))


# -- what is found ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ALL)
@pytest.mark.parametrize("folds", [1, 3])
def test_a_known_optimum_is_found_and_holds_on_unseen_rows(search, folds):
    data = waves()
    found = tune(NARROW, {}, data, Tuning(trials=15, search=search, folds=folds))
    assert found.value < 0.75 * found.default
    assert rmse(found, data) < 0.75 * rmse(None, data)
    assert found.trials == 15


def test_the_chosen_value_is_a_training_on_four_fifths_of_the_training_part():
    data = waves()
    found = tune(NARROW, {}, data, Tuning(trials=4, search="grid"), seed=3)
    (part,) = tuning._parts(data, Tuning(), 3)
    assert len(part.X_train) == 192
    assert len(part.X_test) == 48
    assert not found.scaling  # a grid has the papers' options alone
    state = trained(NARROW.with_options(found.options), part, seed=3, device="cpu")
    scaled = (state.model().predict(data.dataset.X[part.test_rows]) - data.targets.center) / data.targets.scale
    expected = np.sqrt(np.mean((scaled - part.y_test) ** 2)) * data.targets.scale[0]
    assert found.value == pytest.approx(expected, rel=1e-4)
    assert set(part.train_rows) | set(part.test_rows) == set(data.train_rows)


@pytest.mark.parametrize("search", ALL)
def test_the_methods_own_settings_come_first_and_are_never_beaten_by_worse(search):
    seen = []
    found = tune("ASKL", SMALL, clouds(150), Tuning(trials=4, search=search), progress=seen.append)
    assert seen[0].number == 0
    assert seen[0].options == {}
    assert tuple(seen) == found.history
    assert found.value >= found.default
    assert SMALL.items() <= found.options.items()  # what was given stays, and is not searched
    assert all(set(SMALL).isdisjoint(trial.options) for trial in found.history)


def test_a_tie_goes_to_the_methods_own_settings():
    found = tune("svm-rbf", {}, prepare(make_dataset("apart", np.r_[np.zeros(50), np.ones(50)][:, None],
                 np.r_[np.zeros(50), np.ones(50)].astype(int), "classification"), DataSpec(), 0),
                 Tuning(trials=5))  # fmt: skip
    assert found.value == 100
    assert found.options == {}


def test_baselines_are_tuned_by_the_same_rule():
    data = waves(task="classification")
    found = tune("svm-rbf", {"C": 1.0}, data, Tuning(trials=10))
    assert found.value > found.default + 5
    assert set(found.options) == {"C", "gamma"}
    kind = BASELINES["svm-rbf"]
    tuned, _ = kind.build(**found.options).fit_score(rescaled(data, found.scaling or "standardize"))
    assert tuned["test"] > kind.build(C=1.0).fit_score(data)[0]["test"]


def test_a_baseline_without_options_is_tried_once():
    found = tune("constant", {}, clouds(), Tuning(trials=10))
    assert (found.trials, found.options) == (1, {})


# -- leakage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ALL)
@pytest.mark.parametrize("name", ["ASKL", "boosting"])
def test_the_test_part_is_never_seen(search, name):
    data = waves(150, task="classification")
    options, plan = SMALL if name == "ASKL" else {"max_iter": 3}, Tuning(trials=3, search=search)
    y = data.dataset.y.copy()
    y[data.test_rows] = np.random.default_rng(0).permutation(y[data.test_rows])
    X = data.dataset.X.copy()
    X[data.test_rows] = 1e9 * np.random.default_rng(1).normal(size=X[data.test_rows].shape)  # normal scores refuse NaN
    poisoned = replace(data, X_test=data.X_test * np.nan, y_test=y[data.test_rows],
                       dataset=replace(data.dataset, X=X, y=y))  # fmt: skip
    assert same(tune(name, options, data, plan), tune(name, options, poisoned, plan))
    none = replace(data, X_test=data.X_test[:0], y_test=data.y_test[:0], test_rows=data.test_rows[:0])
    assert same(tune(name, options, data, plan), tune(name, options, none, plan))


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 40), min_size=2, max_size=4),
    st.integers(1, 5),
    st.integers(20, 200),
    st.integers(0, 99),
)
def test_inner_parts_are_disjoint_and_stratified(counts, folds, rows, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    n = len(y)
    base = clouds()
    data = replace(base, X_train=np.arange(n, dtype=np.float32)[:, None], y_train=y, train_rows=np.arange(n))
    plan = Tuning(folds=folds, rows=rows)
    k = folds if folds > 1 else 5
    if min(n, rows) < 2 * k:
        with pytest.raises(DataError, match="tuning needs at least"):
            tuning._parts(data, plan, seed)
        return
    parts = tuning._parts(data, plan, seed)
    assert len(parts) == folds
    share = min(1.0, rows / n)
    for part in parts:
        assert set(part.train_rows).isdisjoint(part.test_rows)
        assert len(part.train_rows) + len(part.test_rows) == min(n, rows)
        assert np.array_equal(y[part.test_rows], part.y_test)
        for c, count in enumerate(counts):
            assert abs((part.y_test == c).sum() - count * share / k) < 2
    if folds > 1:
        judged = np.concatenate([part.test_rows for part in parts])
        assert len(set(judged)) == len(judged) == min(n, rows)


# -- again the same, and in time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", ALL)
def test_the_same_seed_gives_the_same_answer(search):
    data, plan = clouds(150), Tuning(trials=5, search=search, folds=2)
    first = tune("ASKL", SMALL, data, plan, seed=7)
    assert same(first, tune("ASKL", SMALL, data, plan, seed=7))
    other = tune("ASKL", SMALL, data, plan, seed=8)
    assert [t.options for t in first.history] != [t.options for t in other.history]


def test_rows_bound_what_a_search_looks_at():
    found = tune("KRR", {}, waves(), Tuning(trials=2, rows=100))
    assert {trial.rows for trial in found.history} == {80}


def test_time_ends_a_search_between_trials_and_within_them(monkeypatch):
    ticks = itertools.count()  # a clock that advances by a second with every reading
    monkeypatch.setattr(tuning, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    found = tune("ASKL", SMALL, clouds(), Tuning(trials=5, search="grid", seconds=4))
    assert [trial.status for trial in found.history] == ["stopped"]
    assert found.value is None
    assert found.options == SMALL  # without a finished trial the method's own settings are left
    found = tune("KRR", {}, waves(), Tuning(trials=50, search="grid", seconds=12))
    assert [trial.status for trial in found.history] == ["done"] * 5
    assert found.value <= found.default
    monkeypatch.undo()

    began = time.perf_counter()
    found = tune("KRR", {}, waves(), Tuning(trials=100_000, search="halving", seconds=0.3))
    assert time.perf_counter() - began < 60  # all of them would take hours
    assert 1 <= found.trials < 100_000
    assert found.seconds >= 0.3


# -- the minimum of a baseline ----------------------------------------------------------------------------------------


def hurried(monkeypatch: pytest.MonkeyPatch, name: str, options: dict, data: Prepared, **changes) -> tuning.Chosen:
    """What a baseline comes to in no time."""
    monkeypatch.setattr(searches, "COARSE_ROWS", 96)  # half of the training rows
    return tune(name, options, data, Tuning(seconds=1e-9, **changes), seed=3)


@pytest.mark.parametrize("search", ALL)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_without_time_an_svm_still_tries_the_whole_grid_and_the_best_again_on_all_rows(monkeypatch, search, task):
    data = waves(task=task)
    found = hurried(monkeypatch, "svm-rbf", {}, data, search=search)
    coarse, whole = found.history[:20], found.history[20:]
    assert {trial.rows for trial in coarse} == {96}
    assert {trial.rows for trial in whole} == {192}
    own = BASELINES["svm-rbf"]().resolved(tuning._parts(data, Tuning(), 3)[0]).options()
    tried = [{**own, **trial.options} for trial in coarse]
    gammas = [own["gamma"] * factor for factor in (0.25, 1, 3, 9)]
    grid = sorted(itertools.product((0.1, 1, 10, 100, 1000), gammas))
    assert sorted((each["C"], each["gamma"]) for each in tried) == [pytest.approx(each, rel=5e-3) for each in grid]
    assert coarse[0].options == {}
    more = 1 if task == "classification" else -1
    best = sorted(coarse, key=lambda trial: -more * trial.value)[:3]
    assert {trial.number for trial in whole} == {0} | {trial.number for trial in best}
    assert found.value == max((trial.value for trial in whole), key=lambda value: more * value)
    assert found.options in [dict(trial.options) for trial in whole]
    assert found.trials == 20


@pytest.mark.parametrize("name", ["boosting", "extra-trees"])
def test_without_time_trees_still_try_twenty_settings(monkeypatch, name):
    quick = {"max_iter": 3} if name == "boosting" else {"n_estimators": 3}
    found = hurried(monkeypatch, name, quick, clouds())
    assert [trial.number for trial in found.history[:20]] == list(range(20))
    assert len({tuple(trial.options.items()) for trial in found.history}) == 20
    assert {trial.rows for trial in found.history[20:]} == {192}
    assert 3 <= len(found.history[20:]) <= 4


def test_fewer_trials_are_a_part_of_the_grid_and_what_is_given_stays(monkeypatch):
    found = hurried(monkeypatch, "svm-rbf", {"C": 2.0}, clouds())
    assert found.trials == 4
    assert found.options["C"] == 2.0
    some = hurried(monkeypatch, "svm-rbf", {}, clouds(), trials=3)
    assert [trial.number for trial in some.history[:3]] == [0, 1, 2]
    assert some.trials == 3
    assert hurried(monkeypatch, "constant", {}, clouds()).trials == 1


@pytest.mark.parametrize("search", ALL)
def test_with_time_left_the_search_goes_on_from_the_best_and_tries_nothing_twice(monkeypatch, search):
    monkeypatch.setattr(searches, "COARSE_ROWS", 96)
    data = waves(task="classification")
    found = tune("svm-rbf", {}, data, Tuning(seconds=1e6, trials=20, search=search))
    coarse = [trial for trial in found.history if trial.number < 20]
    further = [trial for trial in found.history if trial.number >= 20]
    assert len(further) >= 15
    assert found.value >= max(trial.value for trial in coarse if trial.rows == 192)
    at = [(trial.number, trial.rows) for trial in found.history]
    assert len(set(at)) == len(at)
    assert len({trial.number for trial in further}) == found.trials - 20
    if search == "bayes":
        best = max((trial for trial in coarse if trial.rows == 192), key=lambda trial: trial.value)
        assert further[0].options == {**best.options, "scaling": "normal-scores"} or "C" in further[0].options


def test_methods_and_searches_without_a_limit_in_seconds_are_as_ever():
    found = tune("svm-rbf", {}, clouds(), Tuning(trials=4))
    assert [trial.number for trial in found.history] == [0, 1, 2, 3]
    assert {trial.rows for trial in found.history} == {192}
    method = tune("KRR", {}, waves(), Tuning(trials=4, seconds=1e-9))
    assert len(method.history) == 1


# -- the searches -----------------------------------------------------------------------------------------------------


def test_bad_trials_of_a_training_from_mini_batches_are_cut_short():
    found = tune("ASKL", {**SMALL, "epochs": 8}, waves(task="classification"), Tuning(trials=10))
    statuses = [trial.status for trial in found.history]
    assert "pruned" in statuses
    assert statuses[0] == "done"
    assert found.history[statuses.index("pruned")].value is not None


def test_the_estimator_starts_from_the_methods_own_settings():
    space = {"C": Range(0.1, 1000, start=10.0), "order": Range(5, 60, whole=True, start=30)}
    search = SEARCHES["bayes"](fixed(space), 2, 0, 9)
    assert next(search).values == {}
    assert search.send(1.0).values.keys() == {"C", "order"}
    first, _ = search.gi_frame.f_locals["study"].trials
    assert (first.params, first.value) == ({"C": 10.0, "order": 30}, 1.0)


def test_the_grid_is_walked_in_order_or_at_random_points_of_it():
    space = {
        "C": Range(0.1, 1000, grid=(1.0, 2.0, 3.0)),
        "p": Range(1, 4, log=False),
        "order": Range(1, 9, grid=(5, 6)),
    }

    def walked(trials: int, seed: int = 0) -> list[tuple[float, ...]]:
        asked = asks(SEARCHES["grid"](fixed(space), trials, seed, 1000))
        assert asked[0].values == {}
        assert [ask.number for ask in asked] == list(range(len(asked)))
        return [(ask.values["C"], ask.values["order"]) for ask in asked[1:]]

    whole = list(itertools.product((1.0, 2.0, 3.0), (5, 6)))  # "p" has no paper's grid and stays
    assert walked(7) == walked(50) == whole
    some = walked(4)
    assert len(set(some)) == 3
    assert set(some) < set(whole)
    assert some == walked(4)
    assert any(walked(4, seed) != some for seed in range(1, 5))


def test_papers_grids():
    method = rules.resolve(METHODS["ASKL"], clouds())
    space = method_space(method, "classification")
    assert space["frequency_scale"].points() == tuple(2.0**k for k in range(-10, 11))
    assert space["trace_norm"].points() == space["feature_norm"].points() == tuple(10.0**k for k in range(-10, 0))
    frames = method_space(rules.resolve(METHODS["FKS-Fourier"], waves()), "regression")
    assert frames["g"].points() == (2.0**-7, 2.0**-5, 2.0**-3, 0.5, 2, 8, 32, 128, 512)
    machines = method_space(rules.resolve(METHODS["eSVR-rbf"], waves()), "regression")
    assert [s**2 / 2 for s in machines["frequency_scale"].points()] == pytest.approx([2.0**k for k in range(-9, 4)])


def test_halving_triples_rows_and_keeps_the_best_third_and_the_default():
    space = {"C": Range(0.1, 1000)}
    worth = {0: -100.0} | {number: float(number) for number in range(1, 9)}  # the default is the worst
    seen = asks(SEARCHES["halving"](fixed(space), 9, 0, 5000), lambda ask: worth[ask.number])
    rungs = {share: [ask.number for ask in seen if ask.share == share] for share in {ask.share for ask in seen}}
    assert rungs == {1 / 9: list(range(9)), 1 / 3: [0, 7, 8], 1.0: [0, 8]}
    assert next(SEARCHES["halving"](fixed(space), 9, 0, 400)).share == 1.0  # too few rows to take fewer


@settings(max_examples=60)
@given(st.floats(1e-6, 1e3), st.floats(1.5, 100), st.booleans(), st.booleans(), st.floats(0, 1))
def test_ranges_give_values_inside(low, width, log, whole, share):
    each = Range(low, low * width, log=log, whole=whole)
    each = replace(each, low=max(1, round(low)), high=max(2, round(low * width))) if whole else each
    assert each.low <= each.at(share) <= each.high
    assert (each.at(0.0), each.at(1.0)) == pytest.approx((each.low, each.high), rel=1e-2)
    assert list(each.points()) == sorted(set(each.points()))


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_has_a_space_whose_corners_it_takes(name):
    spec = METHODS[name]
    data = clouds() if "classification" in spec.head.tasks else waves()
    if name.endswith("SVR-rbf") or name.endswith("SVR-poly") or name.startswith("FKS"):
        data = waves()
    method = rules.resolve(spec, data)
    space = method_space(method, data.dataset.task)
    assert space or name == "ArcCosine"  # whose kernel has no scale
    for share in (0.0, 0.5, 1.0):
        method.with_options({key: each.at(share) for key, each in space.items()}).check(data.dataset.task)
    for key, each in space.items():
        assert each.low <= each.start <= each.high, key
        assert key not in method_space(method, data.dataset.task, (key,))
    assert "frequency_scale" not in method_space(method, data.dataset.task, ("gamma", "lengthscale"))


# -- adjustments ------------------------------------------------------------------------------------------------------


def problem_of(current: dict, task: str, sketch: bool = False) -> SearchProblem:
    def after(adjustment: Adjustment, values):
        found = adjusted(adjustment, {**current, **values}, task)
        return None if found is None else {**values, **found}

    return SearchProblem(lambda values: {}, after, sketch)


def test_an_adjustment_that_helps_stays_and_one_by_a_factor_is_made_again():
    current = {"scaling": "standardize", "density": "gaussian", "frequency_scale": 0.3, "epochs": 10}
    problem = problem_of(current, "regression")

    def worth(ask: searches.Ask) -> float:
        return min(ask.values.get("frequency_scale", 0.3), 1.2) + (ask.values.get("density") == "laplacian")

    asked = [ask.values for ask in asks(SEARCHES["bayes"](problem, 20, 0, 1000), worth)]
    scores = {"scaling": "normal-scores"}  # of no use here, and not kept
    dense = {"density": "laplacian"}
    best = {**dense, "frequency_scale": 1.2}
    assert asked == [
        {}, scores, dense, {**dense, "frequency_scale": 0.6}, best, {**dense, "frequency_scale": 2.4},
        {**best, "epochs": 4}, {**best, "frequency_scale": 0.6},
    ]  # fmt: skip
    assert [ask.values for ask in asks(SEARCHES["bayes"](problem, 3, 0, 1000), lambda ask: 0.0)] == asked[:3]


def test_after_the_adjustments_the_estimator_searches_around_the_best():
    inner = problem_of({"scaling": "standardize", "frequency_scale": 0.3}, "regression")
    problem = SearchProblem(
        lambda values: {"rho": Range(1.0, 2.0, start=1.0 + ("scaling" in values) / 2)}, inner.adjusted
    )
    found = asks(SEARCHES["bayes"](problem, 9, 0, 1000), lambda ask: float("scaling" in ask.values))
    asked = [ask.values for ask in found]
    assert asked[:4] == [{}, {"scaling": "normal-scores"}, {"scaling": "normal-scores", "frequency_scale": 0.6},
                         {"scaling": "normal-scores", "frequency_scale": 0.15}]  # fmt: skip
    assert len(asked) == 9
    assert all(each["scaling"] == "normal-scores" and 1 <= each["rho"] <= 2 for each in asked[4:])


def test_the_best_sketch_is_compared_with_the_methods_own_settings_at_full_length():
    problem = problem_of({"scaling": "standardize", "frequency_scale": 0.3, "epochs": 10}, "regression", sketch=True)
    asked = asks(
        SEARCHES["bayes"](problem, 20, 0, 1000), lambda ask: float("scaling" in ask.values) * (1 if ask.sketch else -1)
    )
    scores = {"scaling": "normal-scores"}
    first = [{}, scores, {**scores, "frequency_scale": 0.6}, {**scores, "frequency_scale": 0.15}]
    assert [ask.values for ask in asked] == [*first, scores, {}, {"epochs": 4}]  # a sketch cannot judge epochs
    assert [ask.sketch for ask in asked] == [True] * 4 + [False] * 3
    assert [ask.number for ask in asked] == [0, 1, 2, 3, 1, 0, 4]


def test_a_trial_at_full_length_counts_more_than_a_sketch():
    def trial(number: int, value: float, sketch: bool) -> tuning.TuningTrial:
        return tuning.TuningTrial(number, {"g": number}, "done", value, 9, 0.0, sketch=sketch)

    sketches = [trial(0, 5.0, True), trial(1, 3.0, True)]
    assert tuning._chosen({}, sketches, -1.0, 0.0).options == {"g": 1}
    assert tuning._chosen({}, [*sketches, trial(1, 4.0, False)], -1.0, 0.0).value == 4.0
    found = tuning._chosen({}, [*sketches, trial(1, 4.0, False), trial(0, 4.0, False)], -1.0, 0.0)
    assert found.options == {"g": 0}  # a tie
    assert found.default == 4.0


def test_a_training_that_falls_behind_the_best_so_far_is_cut_towards_its_end():
    problem = problem_of({"scaling": "standardize", "frequency_scale": 0.3}, "regression")
    search = SEARCHES["bayes"](problem, 9, 0, 1000)
    ask = next(search)
    assert not any(ask.cut(step, float(step)) for step in range(7))
    ask = search.send(7.0)
    assert [ask.cut(step, step - 0.5) for step in range(7)] == [False] * 5 + [True] * 2
    ask = search.send(None)  # given up; the next is again measured by the first
    assert "scaling" not in ask.values
    assert [ask.cut(step, float(step)) for step in range(7)] == [False] * 7


@pytest.mark.parametrize("name", ["ASKL", "SK", "KRR", "NysDI", "FKS-Fourier", "svm-rbf", "boosting", "constant"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_adjustments_are_those_that_a_method_has(name, task):
    data = waves(100, task)
    few = {"n_features": 20} if name == "NysDI" else {}  # its mini-batches need more rows than features
    try:
        subject = tuning._subject(name, few, "cpu", True)
        subject.check(data)
        made = [subject.adjusted(adjustment, data, {}) for adjustment in ADJUSTMENTS]
    except CompositionError:
        assert (name, task) == ("FKS-Fourier", "classification")
        return
    keys = set().union(*(each for each in made if each))
    both = {"scaling", "frequency_scale", "density", "epochs", "batch_size"}
    expected = {
        "ASKL": both | ({"objective"} if task == "classification" else set()),  # another loss than the squared one
        "KRR": {"scaling", "frequency_scale"},
        "FKS-Fourier": set(),
        "svm-rbf": {"scaling", "C"},
        "boosting": set(),
        "constant": set(),
    }
    expected["SK"] = expected["ASKL"]
    if name in expected:
        assert keys == expected[name]
    for each in made:
        if each and name in METHODS:
            plain = {key: value for key, value in each.items() if key != "scaling"}
            rules.resolve(METHODS[name].with_options({**few, **plain}), data).check(task)


def test_both_tasks_have_the_same_adjustments_in_the_same_order():
    def made(task: str) -> list[Adjustment]:
        subject, data = tuning._subject("ASKL", {}, "cpu", True), waves(100, task)
        return [adjustment for adjustment in ADJUSTMENTS if subject.adjusted(adjustment, data, {})]

    classes = made("classification")
    assert [each for each in classes if "objective" not in each.values] == made("regression")
    assert Adjustment(factors={"epochs": 0.4}, full_length=True) in made("classification")


def test_what_is_given_is_not_adjusted():
    given = {"gamma": 0.5, "objective": "hinge", "density": "gaussian", "epochs": 3, "batch_size": 16}
    subject = tuning._subject("ASKL", given, "cpu", False)
    assert all(subject.adjusted(adjustment, clouds(), {}) is None for adjustment in ADJUSTMENTS)
    frames = prepare(waves().dataset, DataSpec(scaling="[-1,1]"), 0)
    free = tuning._subject("ASKL", {}, "cpu", True)
    assert not any("scaling" in (free.adjusted(adjustment, frames, {}) or {}) for adjustment in ADJUSTMENTS)


def heavy(n: int = 400) -> Prepared:
    """The target follows the order of an input whose tail takes all its deviation."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-1, 1, n)
    X = np.stack([np.exp(12 * x), rng.normal(size=n)], axis=1)
    return prepare(make_dataset("heavy", X, np.sin(4 * x)[:, None], "regression"), DataSpec(), 0)


def test_normal_scores_are_chosen_where_they_help_from_the_training_part_alone():
    data = heavy()
    found = tune("KRR", {}, data, Tuning(trials=2))
    assert found.scaling == "normal-scores"
    assert "scaling" not in found.options
    assert found.history[1].options == {"scaling": "normal-scores"}
    assert rmse(found, data) < 0.5 * rmse(None, data)
    X = data.dataset.X.copy()
    X[data.test_rows] = 1e9 * np.random.default_rng(0).normal(size=X[data.test_rows].shape)
    poisoned = replace(data, X_test=data.X_test * np.nan, dataset=replace(data.dataset, X=X))
    assert same(found, tune("KRR", {}, poisoned, Tuning(trials=2)))
    assert tune("KRR", {}, data, Tuning(trials=2), scaling=False).scaling is None


def test_a_cell_trains_with_the_scaling_that_was_chosen_unless_the_data_have_one_of_their_own():
    data = heavy()
    asked = DataSpec.build(dataset="heavy")
    cell = Cell("KRR", asked, "content", 0, {}, Tuning(trials=2))
    tuned = run_cell(cell, prepared=data)
    assert (tuned.status, tuned.chosen) == ("done", {"scaling": "normal-scores"})
    plain = run_cell(replace(cell, tuning=None), prepared=data)
    scored = run_cell(replace(cell, tuning=None), prepared=rescaled(data, "normal-scores"))
    assert tuned.test == pytest.approx(scored.test)
    assert tuned.test < 0.5 * plain.test
    own = run_cell(replace(cell, data=asked.replace(scaling="standardize")), prepared=data)
    assert (own.test, own.chosen) == (plain.test, {})


def test_trials_are_of_few_features_and_what_is_chosen_is_not():
    method = METHODS["ASKL"].with_options({"n_features": 2000, "epochs": 1})
    data = clouds(100)
    subject = tuning._subject(method, {"n_features": 2000}, "cpu", True)
    assert subject.smaller({}, data, False).options()["n_features"] == tuning.WIDTH
    small = tuning._subject(METHODS["ASKL"], {"epochs": 10}, "cpu", True).smaller({}, waves(), True).options()
    assert (small["n_features"], small["epochs"]) == (tuning.SKETCH_WIDTH, 4)
    found = tune(method, {"n_features": 2000}, data, Tuning(trials=1))
    assert found.options == {"n_features": 2000}
    whole = tuning._subject("Nys", {"n_features": 60}, "cpu", True)
    assert whole.smaller({}, data, False).options()["n_features"] == 60
    assert [tuning._subject(name, {}, "cpu", True).sketches(waves()) for name in ("ASKL", "KRR", "svm-rbf")] == [
        True,
        False,
        False,
    ]
    assert not subject.sketches(data)


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_failing_setting_is_the_worst_and_the_search_goes_on(monkeypatch):
    def diverging(plan, trials, seed, rows):
        answers.append((yield searches.Ask(0)))
        answers.append((yield searches.Ask(1, WILD)))
        answers.append((yield searches.Ask(2, {"epochs": 9})))

    answers: list[float] = []
    monkeypatch.setitem(SEARCHES._entries, "grid", diverging)
    found = tune("ASKL", {**SMALL}, waves(), Tuning(trials=3, search="grid"))
    assert [trial.status for trial in found.history] == ["done", "failed", "done"]
    assert "finite" in found.history[1].message
    assert answers[1] == -math.inf
    assert found.value == min(found.history[0].value, found.history[2].value)


@pytest.mark.parametrize("search", ALL)
def test_if_no_setting_can_be_trained_the_first_reason_is_given(search):
    options = {**SMALL, "batch_size": 5000}
    with pytest.raises(KernlabError, match=r"at least one mini-batch"):
        tune("ASKL", options, clouds(), Tuning(trials=3, search=search))


def test_if_all_trainings_fail_the_first_reason_is_given():
    wild = {**SMALL, **WILD}
    with pytest.raises(TrainingError, match=r"one of the 3 settings tried must train.*must stay finite"):
        tune("ASKL", wild, waves(), Tuning(trials=3, search="grid"))


def test_without_optuna_two_searches_are_left(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(OptionError, match=r"Optuna.*kernlab\[tune\].*halving"):
        tune("KRR", {}, waves(), Tuning(trials=2))
    for search in ("halving", "grid"):
        assert tune("KRR", {}, waves(), Tuning(trials=2, search=search)).trials == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials": 0}, "trials must be"),
        ({"folds": 0}, "folds must be"),
        ({"rows": 1}, "rows must be"),
        ({"seconds": -1.0}, "seconds must be"),
    ],
)
def test_a_budget_must_make_sense(changes, message):
    with pytest.raises(OptionError, match=message):
        tune("KRR", {}, waves(), Tuning(**changes))


def test_mistakes_are_refused_before_anything_is_trained():
    with pytest.raises(UnknownNameError, match="bayes"):
        tune("KRR", {}, waves(), Tuning(search="bayesian"))
    with pytest.raises(UnknownNameError, match="KRR"):
        tune("KR", {}, waves(), Tuning())
    with pytest.raises(UnknownNameError, match="ridge"):
        tune("KRR", {"rigde": 1.0}, waves(), Tuning())
    with pytest.raises(CompositionError, match="regression"):
        tune("eSVR-rbf", {}, clouds(), Tuning())
