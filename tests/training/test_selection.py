"""What a run keeps is chosen on rows that do not train: which rows, what they choose, and that nothing leaks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab import RunSpec
from kernlab.data import DataSpec, make_dataset, prepare
from kernlab.methods import METHODS
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Evaluated, Failed, Finished, Kept, Snapshot, Started
from kernlab.training.gradient import GradientState
from kernlab.training.replicates import replicate
from kernlab.training.rules import resolve
from kernlab.training.selection import Selection, start, validation_split
from kernlab.training.trainer import fit, train, trained

CPU = torch.device("cpu")
SMALL = {"n_features": 40, "compile": "off"}
SHORT = {**SMALL, "epochs": 12, "validation": 0.2}  # of which fewer are chosen


def noisy(n=600, d=12, share=0.3, seed=0):
    """Two classes of which a share of the labels is wrong: there is little to learn and much to overfit."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
    wrong = random.random(n) < share
    return prepare(
        make_dataset("noisy", X, np.where(wrong, 1 - y, y), "classification"), DataSpec(dataset="noisy"), seed
    )


def run(method, data, seed=0, **options):
    spec = RunSpec(METHODS[method].with_options(options), DataSpec(dataset=data.dataset.name), seed)
    return list(train(spec, data=data))


# -- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_classes_stand_in_both_parts_as_in_the_whole(share):
    y = np.repeat([0, 1, 2], [500, 80, 20])
    np.random.default_rng(0).shuffle(y)
    fitted, validation = validation_split(y, share, 3)
    assert sorted([*fitted, *validation]) == list(range(600))
    assert len(validation) == round(600 * share)
    expected = np.bincount(y) * share
    assert np.abs(np.bincount(y[validation], minlength=3) - expected).max() <= 1
    other = validation_split(y, share, 4)[1]
    assert set(validation) != set(other)
    assert np.array_equal(validation_split(y, share, 3)[1], validation)


def test_validation_targets_cover_the_whole_range():
    y = np.random.default_rng(0).normal(size=(1000, 2))
    validation = np.sort(y[validation_split(y, 0.1, 0)[1], 0])
    ranks = np.searchsorted(np.sort(y[:, 0]), validation)
    assert np.array_equal(ranks // 10, np.arange(100))


def test_automatic_options_decide_whether_there_are_validation_rows():
    data = noisy()
    share = lambda **options: resolve(METHODS["ASKL"].with_options(options), data).solver.validation  # noqa: E731
    assert share() == 0.2
    assert share(epochs=7) == 0  # asked for in so many words
    assert share(epochs=7, validation=0.1) == 0.1
    assert share(validation=0) == 0
    few = prepare(make_dataset("few", data.dataset.X[:120], data.dataset.y[:120], "classification"), DataSpec(), 0)
    assert resolve(METHODS["ASKL"], few).solver.validation == 0  # 96 rows to train on
    assert resolve(METHODS["LKRF"], data).solver.validation == 0.2
    assert resolve(METHODS["LKRF"].with_options({"ridge": 1.0, "radius": 0.01}), data).solver.validation == 0


def test_there_are_at_most_two_thousand_validation_rows():
    data = noisy(n=20_000, d=2)
    assert round(resolve(METHODS["ASKL"], data).solver.validation * 16_000) == 2000


# -- the choice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["SK", "ASKL", "RFDI"])
def test_the_choice_is_the_epoch_of_the_lowest_loss_on_the_validation_rows(method):
    data = noisy()
    options = {**SMALL, "epochs": 40, "validation": 0.2} | ({"batch_size": 100} if method == "RFDI" else {})
    selection = Selection(resolve(METHODS[method].with_options(options), data), data, 0, CPU)
    losses = [selection.learned.judge()["validation_loss"]]
    while not selection.learned.done:
        losses.append(selection.learned.advance()["validation_loss"])
    candidates = losses if method == "RFDI" else losses[1:]
    best = selection.learned.best
    assert best.loss == min(candidates)
    assert losses[best.epoch] == best.loss
    assert best.epoch <= selection.learned.kept.epoch < len(losses)
    patience = selection.state.solver.n_iter_no_change
    assert len(losses) - 1 - best.epoch <= patience or len(losses) - 1 == selection.state.solver.epochs


def test_the_assigned_map_wins_where_learning_brings_nothing():
    """Labels are pure chance: the map mostly learns what is worse than nothing on the validation rows."""
    kept = []
    for seed in range(4):
        data = noisy(share=0.5, seed=seed)
        kept.append(Selection(resolve(METHODS["NSKL"].with_options(SHORT), data), data, seed, CPU).run())
    assert any(not choice.learned for choice in kept)
    frozen = next((seed, choice) for seed, choice in enumerate(kept) if not choice.learned)
    data = noisy(share=0.5, seed=frozen[0])
    method = resolve(METHODS["NSKL"].with_options(SHORT), data)
    state = start(method, data, frozen[0], CPU, choice=frozen[1])
    before = state.params["omega"].clone()
    while not state.done:
        state.advance()
    assert torch.equal(state.params["omega"], before)
    assert state.step == frozen[1].epoch * state.per_epoch


def test_askl_with_the_assigned_map_is_nsk():
    """With the same λ₁ on ‖W‖_F², as ASKL Table 1 has it: the trace norm is a part of learning the map."""
    for seed in range(8):
        data = noisy(share=0.5, seed=seed)
        method = resolve(METHODS["ASKL"].with_options({**SHORT, "trace_norm": 1e-3}), data)
        choice = Selection(method, data, seed, CPU).run()
        if not choice.learned:
            break
    assert not choice.learned
    ours = start(method, data, seed, CPU, choice=choice)
    other = resolve(METHODS["NSK"].with_options({**SHORT, "frobenius": 1e-3}), data)
    theirs = start(other, data, seed, CPU, choice=Selection(other, data, seed, CPU).run())
    for state in (ours, theirs):
        while not state.done:
            state.advance()
    assert ours.step == theirs.step
    for name, value in theirs.parameters.items():
        assert torch.equal(ours.parameters[name], value), name


def test_landmarks_that_were_not_learned_are_those_of_the_assigned_method():
    """Drawn from all rows: those that were held out have nothing to judge any more."""
    data = noisy(share=0.5)
    options = {"n_features": 40, "epochs": 5, "validation": 0.2, "batch_size": 100}
    method = resolve(METHODS["NysDI"].with_options(options), data)
    choice = Selection(method, data, 0, CPU).run()
    assert not choice.learned
    ours = start(method, data, 0, CPU, choice=choice)
    theirs = start(resolve(METHODS["Nys"].with_options({"n_features": 40}), data), data, 0, CPU)
    assert torch.equal(ours.parameters["landmarks"], theirs.parameters["landmarks"])


def test_learning_wins_where_it_pays():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (800, 2))
    y = ((np.sin(6 * X[:, 0]) * np.sin(6 * X[:, 1])) > 0).astype(np.int64)
    data = prepare(make_dataset("board", X, y, "classification"), DataSpec(dataset="board"), 0)
    method = resolve(METHODS["SKL"].with_options({**SMALL, "n_features": 200, "epochs": 40, "validation": 0.2}), data)
    choice = Selection(method, data, 0, CPU).run()
    assert choice.learned
    assert choice.epoch > 20


def test_the_kept_model_is_the_chosen_number_of_epochs_on_all_rows():
    data = noisy()
    method = resolve(METHODS["ASKL"].with_options(SHORT), data)
    choice = Selection(method, data, 0, CPU).run()
    model = trained(METHODS["ASKL"].with_options(SHORT), data, device="cpu").model()

    by_hand = start(method, data, 0, CPU, choice=choice)
    assert by_hand.n == len(data.X_train)
    while not by_hand.done:
        by_hand.advance()
    assert by_hand.step == choice.epoch * (len(data.X_train) // 32)
    assert torch.equal(model.params["weight"], by_hand.parameters["weight"])


def test_the_average_is_that_of_the_weights_it_has_seen():
    data = noisy()
    state = GradientState(resolve(METHODS["SK"].with_options(SMALL), data), data, 0, CPU, averaged=True)
    seen = []
    for _ in range(4 * state.per_epoch):
        state.advance()
        if state.step % max(1, state.per_epoch // 16) == 0:
            seen.append(state.params["weight"].double().numpy().copy())
    # Polynomial-decay averaging: w̄_k = (1 − a_k) w̄_{k−1} + a_k w_k, a_k = (γ+1)/(k+γ), γ = 4.
    mean = np.zeros_like(seen[0])
    for k, each in enumerate(seen, 1):
        mean += (each - mean) * 5 / (k + 4)
    np.testing.assert_allclose(state.parameters["weight"].numpy(), mean, rtol=1e-4, atol=1e-6)


def test_zero_validation_keeps_the_last_weights():
    data = noisy()
    spec = RunSpec(METHODS["SK"].with_options({**SMALL, "validation": 0, "epochs": 3}), DataSpec(dataset="noisy"))
    summary = fit(spec, data=data).summary
    assert "kept" not in summary
    assert summary["epochs"] == 3
    state = GradientState(resolve(spec.method, data), data, 0, CPU)
    while not state.done:
        state.advance()
    assert state.parameters is state.params


# -- a run in two stretches ------------------------------------------------------------------------------------------


def test_the_events_of_a_run_in_two_stretches():
    data = noisy()
    events = run("ASKL", data, **SHORT)
    started, kept, finished = (next(e for e in events if isinstance(e, kind)) for kind in (Started, Kept, Finished))
    choice = kept.facts["kept"]
    assert started.facts["n_held"] == 96
    assert started.facts["n_train"] == 480
    assert choice["rows"] == 96
    judged = [e for e in events if isinstance(e, Evaluated) and "validation_loss" in e.metrics]
    name = "validation_loss" if choice["learned"] else "assigned_validation_loss"
    assert choice["loss"] in [e.metrics[name] for e in judged if name in e.metrics]
    steps = [e.step for e in events[1:]]
    assert steps == sorted(steps)
    last = [e for e in events if isinstance(e, Snapshot)][-1]
    assert last.epoch == pytest.approx(kept.epoch + choice["epoch"])
    assert finished.summary["kept"] == choice
    assert finished.summary["epochs"] == choice["epoch"]
    assert finished.step == kept.facts["total_steps"]


@pytest.mark.parametrize(("method", "options"), [("SK", {}), ("RFDI", {"batch_size": 100})])
def test_every_snapshot_has_a_step_of_its_own(method, options):
    """A store keeps one snapshot a step: the last of choosing must not be lost to the first of the repetition."""
    events = run(method, noisy(n=400), **{**SHORT, "epochs": 3, **options})
    steps = [e.step for e in events if isinstance(e, Snapshot)]
    assert len(set(steps)) == len(steps)
    kept = next(e for e in events if isinstance(e, Kept))
    assert kept.step in steps
    assert kept.step - 1 in steps


def test_a_failure_of_the_repetition_is_counted_on(monkeypatch):
    def full(*_):
        raise MemoryError

    data, failed = noisy(n=400), None
    spec = RunSpec(METHODS["SK"].with_options({**SHORT, "epochs": 3}), DataSpec(dataset="noisy"), 0)
    for event in train(spec, data=data):
        if isinstance(event, Kept):
            monkeypatch.setattr(GradientState, "advance", full)
            kept = event
        failed = event
    assert isinstance(failed, Failed)
    assert failed.step == kept.step


@pytest.mark.parametrize("where", [0.1, 0.5, 0.97])
@pytest.mark.parametrize("method", ["ASKL", "RFDI"])
def test_a_resumed_run_equals_the_uninterrupted_one(method, where):
    data = noisy(n=400)
    options = SHORT | ({"batch_size": 60} if method == "RFDI" else {})
    whole = run(method, data, **options)
    total = whole[-1].step
    spec = RunSpec(METHODS[method].with_options(options), DataSpec(dataset="noisy"), 0)
    control, saved = Control(), None
    for event in train(spec, data=data, control=control):
        if event.step >= where * total if hasattr(event, "step") else False:
            control.cancel()
        if isinstance(event, Checkpoint):
            saved = event
    assert isinstance(event, Cancelled | Finished)
    rest = list(train(spec, data=data, resume=saved))
    assert isinstance(rest[-1], Finished)
    for name, value in whole[-1].model.items():
        assert np.array_equal(value, rest[-1].model[name]), name
    assert rest[-1].summary["kept"] == whole[-1].summary["kept"]


def _regression(n=400):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (n, 3))
    y = np.sin(4 * X[:, :1]) + 0.3 * random.normal(size=(n, 1))
    return prepare(make_dataset("wave", X, y, "regression"), DataSpec.build(dataset="wave", scaling="[-1,1]"), 0)


def test_replicates_choose_what_a_run_alone_chooses():
    data, method = noisy(n=300), METHODS["ASKL"].with_options({**SHORT, "epochs": 5})
    single = [trained(method, data, seed=seed, device="cpu").model() for seed in (0, 1)]
    for batched in (False, True):
        found = sorted(
            replicate(method, data, [0, 1], device="cpu", batched=batched, workers=1), key=lambda r: r.number
        )
        for one, replica in zip(single, found, strict=True):
            assert not replica.message
            torch.testing.assert_close(replica.model.params["weight"], one.params["weight"], rtol=1e-3, atol=1e-4)


# -- penalties -------------------------------------------------------------------------------------------------------


def test_the_penalty_of_learned_features_is_chosen_on_validation_rows_and_that_of_drawn_ones_by_leave_one_out():
    data = noisy(n=800)
    options = {"n_features": 60}
    drawn = trained(METHODS["RF"].with_options(options), data, device="cpu")
    assert drawn.penalty is None
    assert drawn.with_head()["penalty"] > 0.1  # 30 % of the labels are wrong
    learned = trained(METHODS["RFDI"].with_options(options), data, device="cpu")
    if learned.penalty is not None:
        assert float(learned.with_head()["penalty"]) == pytest.approx(learned.penalty, rel=1e-6)


def test_discriminant_information_takes_its_penalty_from_the_assigned_features():
    for data, low, high in ((noisy(n=1200, share=0.45), 5.0, 1e4), (_clean(), 0.0, 1.0)):
        rho = GradientState(
            resolve(METHODS["RFDI"].with_options({"n_features": 60}), data), data, 0, CPU
        ).method.objective.rho
        assert low < rho < high


def _clean():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (1200, 2))
    y = (X[:, 0] > X[:, 1]).astype(np.int64)
    return prepare(make_dataset("clean", X, y, "classification"), DataSpec(dataset="clean"), 0)


def test_the_spectrum_of_a_frame_is_as_sparse_as_is_best_on_the_validation_rows():
    """g of the best candidate by an independent loop over scikit-learn's lasso on the same rows."""
    from sklearn.linear_model import Lasso

    data = _regression()
    method = resolve(METHODS["FKS-Fourier"], data)
    state = start(method, data, 0, CPU)
    fitted, validation = validation_split(data.y_train, method.solver.validation, 0)
    frame = method.feature_map
    params = frame.init(torch.from_numpy(data.X_train), torch.Generator())
    Phi = frame.apply(params, torch.from_numpy(data.X_train)).double().numpy()
    y = data.y_train[:, 0].astype(float)
    errors = {}
    for k in range(1, 10):
        c = 2 * np.abs(Phi[fitted].T @ y[fitted] / len(fitted)).max() * 10 ** (-k / 2)
        lasso = Lasso(alpha=c / 2, fit_intercept=False, max_iter=100_000, tol=1e-7).fit(Phi[fitted], y[fitted])
        errors[k] = np.square(lasso.predict(Phi[validation]) - y[validation]).mean(), c
    best = min(errors.values())
    assert 2 * np.sqrt(state.solver.g * state.solver.b) == pytest.approx(best[1], rel=0.02)
    assert state.chosen_on == len(validation)
