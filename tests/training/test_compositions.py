"""Any representation × learned × objective × solver × head: it trains and predicts, or it is refused with a reason."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from small import prepared_arrays

from kernlab.errors import CompositionError
from kernlab.heads import HEADS
from kernlab.methods import REPRESENTATIONS, SLOTS, MethodSpec
from kernlab.objectives import OBJECTIVES
from kernlab.options import options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import SOLVERS
from kernlab.training.trainer import trained

SMALL = {
    "n_features": 5, "hidden": 5, "order": 2, "batch_size": 24, "epochs": 2, "max_iter": 300, "max_turns": 2,
    "max_steps": 3, "j_min": 0, "frequency_scale": 1.0, "compile": "off",
}  # fmt: skip
EVERY = list(itertools.product(REPRESENTATIONS, (False, True), ("auto", *OBJECTIVES), SOLVERS, HEADS))


@cache
def part(registry: str, name: str):
    """The part of that name, made small."""
    if name == "auto":
        return None
    cls = SLOTS[registry][name]
    return cls.build(**{key: value for key, value in SMALL.items() if key in options_of(cls)})


@cache
def composed(representation: str, learned: bool, objective: str, solver: str, head: str) -> MethodSpec:
    return MethodSpec(
        feature_map=part("feature_map", representation),
        learned=learned,
        objective=part("objective", objective),
        solver=part("solver", solver),
        heads=(part("head", head),),
    )


def refusal(method: MethodSpec, task: str) -> CompositionError | None:
    try:
        method.check(task)
    except CompositionError as error:
        return error
    return None


def sensible(task: str) -> list[MethodSpec]:
    return [method for parts in EVERY if refusal(method := composed(*parts), task) is None]


def words(method: MethodSpec) -> str:
    objective = method.objective.name if method.objective else "auto"
    learned = "learned" if method.learned else "assigned"
    return f"{method.feature_map.name}-{learned}-{objective}-{method.solver.name}-{method.head.name}"


@pytest.fixture(scope="module")
def data():
    return {task: prepared_arrays(task, n=60, scaling="[-1,1]") for task in ("classification", "regression")}


CLASSES, TARGETS = sensible("classification"), sensible("regression")


@pytest.mark.parametrize("method", CLASSES, ids=words)
def test_what_makes_sense_for_classes_trains_and_predicts(method, data):
    here = data["classification"]
    labels = trained(method, here).model().predict(here.dataset.X)
    assert set(labels) <= set(here.dataset.target_names)
    assert np.mean(labels == np.asarray(here.dataset.target_names)[here.dataset.y]) >= 0.3  # 0.5 by chance


@pytest.mark.parametrize("method", TARGETS, ids=words)
def test_what_makes_sense_for_targets_trains_and_predicts(method, data):
    here = data["regression"]
    values = trained(method, here).model().predict(here.dataset.X)
    assert values.shape == here.dataset.y.shape
    assert np.isfinite(values).all()


def test_each_refusal_says_what_must_hold_what_was_given_and_what_to_do():
    refused = {str(error) for parts in EVERY if (error := refusal(composed(*parts), "regression"))}
    assert len(refused) > 20
    for parts in EVERY[::7]:
        if error := refusal(composed(*parts), "classification"):
            assert error.must
            assert error.given
            assert error.fix


@pytest.mark.parametrize("registry", [REPRESENTATIONS, OBJECTIVES, SOLVERS, HEADS], ids=lambda r: r.kind)
def test_every_part_is_in_some_composition(registry):
    def of(method):
        return {method.feature_map.name, method.solver.name, method.head.name} | {getattr(method.objective, "name", "")}

    used = set().union(*(of(method) for method in (*CLASSES, *TARGETS)))
    assert set(registry) <= used


@pytest.mark.parametrize("penalty", REGULARIZERS)
@pytest.mark.parametrize("method", [m for m in CLASSES if m.head.name in ("joint", "ridge")], ids=words)
def test_a_penalty_acts_or_is_refused(penalty, method):
    changed = method.with_options({penalty: 0.1})
    acts = REGULARIZERS[penalty].acts
    on_weights = acts not in ("feature gradient", "map gradient")
    makes_sense = "optimizer" in method.schema() and (
        getattr(method.objective, "name", "") not in ("discriminant", "alignment", "ridge_loss")
        if on_weights
        else method.learned
    )
    if makes_sense:
        changed.check("classification")
    else:
        with pytest.raises(CompositionError):
            changed.check("classification")


def test_options_of_a_part_appear_when_it_is_chosen():
    assert "rho" in composed("nystroem", True, "discriminant", "proximal_gradient", "ridge").schema()
    assert set(options_of(HEADS["linear_svm"])) <= set(
        composed("stationary", False, "auto", "assigned", "linear_svm").schema()
    )
