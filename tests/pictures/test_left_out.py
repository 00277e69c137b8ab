"""Wrong labels are found, by leave-one-out and by influence over training; both against their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from kernlab.data import load, prepare
from kernlab.methods import METHODS
from kernlab.pictures import influence, run_data
from kernlab.pictures.base import VIEW, At
from kernlab.pictures.gallery import PICTURES, seen
from kernlab.pictures.influence import influence_at, loss_of, pull, pulls_at, self_influence, slopes
from kernlab.pictures.left_out import doubts, left_out_at
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.thinning import sampled
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.training import rules
from kernlab.training.trainer import train

SHARE = 0.05


class Flipped:
    """A run on digits of whose training labels 5 % are wrong."""

    def __init__(self, folder, method, seed=0):
        some = {"epochs": 10, "validation": 0} if METHODS[method].learned else {}
        spec = RunSpec.of(method, "digits", n_features=300, seed=seed, **some)
        source = rules.resolve_data(spec.data, spec.method)
        data = prepare(load(source), source, spec.seed)
        rng, y = np.random.default_rng(seed), data.y_train.copy()
        wrong = rng.choice(len(y), round(SHARE * len(y)), replace=False)
        y[wrong] = (y[wrong] + rng.integers(1, 10, len(wrong))) % 10
        self.data, self.wrong = replace(data, y_train=y), set(data.train_rows[wrong].tolist())
        self.store = Store(folder)
        run_id = self.store.create(spec.to_dict())
        with self.store.writer(run_id) as writer:
            for event in train(spec, data=self.data):
                writer.write(event)
        self.run = RecordedRun(self.store, run_id)
        self.run.refresh()

    def found(self, numbers, scores):
        """The share of the wrong labels that is among the tenth of the rows with the largest scores."""
        order = np.argsort(-np.asarray(scores))[: len(self.data.y_train) // 10]
        return len(self.wrong & set(np.asarray(numbers)[order].tolist())) / len(self.wrong)


@pytest.fixture(scope="module", params=["ASKL", "RFDI"])
def flipped(request, tmp_path_factory):
    made = Flipped(tmp_path_factory.mktemp(request.param), request.param)
    with pytest.MonkeyPatch.context() as patch:
        for module in (run_data, influence):
            patch.setattr(module, "data_of", lambda run: made.data)
        yield made
    made.store.close()


def test_flipped_labels_are_among_the_rows_that_the_model_contradicts(flipped):
    found = left_out_at(seen(flipped.run))
    assert len(found.numbers) == len(flipped.data.y_train)
    assert flipped.found(found.numbers, found.doubt) >= 0.6
    first = int(found.worst()[0])
    assert found.answers(first)[0] != found.answers(first)[1]


@pytest.mark.parametrize(("method", "seed"), [("ASKL", 1), ("ASKL", 2), ("RF", 3)])
def test_that_they_are_found_is_no_luck_of_a_split_a_draw_or_the_rows_that_were_flipped(method, seed, tmp_path):
    made = Flipped(tmp_path, method, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_data, "data_of", lambda run: made.data)
        found = left_out_at(seen(made.run))
    made.store.close()
    assert made.found(found.numbers, found.doubt) >= 0.6


def test_flipped_labels_have_a_large_influence_on_themselves(flipped):
    numbers, values = influence_at(seen(flipped.run))
    assert len(numbers) == len(flipped.data.y_train)
    assert flipped.found(numbers, values) >= 0.6
    assert np.mean(values[np.isin(numbers, list(flipped.wrong))]) > 2 * np.mean(values)


def test_rows_outside_the_sample_are_measured_where_they_are_asked_for(flipped, monkeypatch):
    at, every = seen(flipped.run), flipped.data.train_rows
    monkeypatch.setattr(influence, "_NUMBERS", 0)
    sample = every[sampled(len(every), 200)]
    asked = [int(sample[0]), *np.setdiff1d(every, sample)[:3].tolist()]
    numbers, values = influence_at(at, asked)
    assert numbers[:200].tolist() == sample.tolist()
    assert sorted(numbers[200:].tolist()) == sorted(asked[1:])
    assert np.mean(values[:200]) == pytest.approx(1)
    monkeypatch.undo()
    all_numbers, all_values = influence_at(at)
    ratio = values / all_values[[all_numbers.tolist().index(number) for number in numbers]]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)  # the means alone differ


def test_the_rows_that_pulled_a_frequency_are_rows_of_the_run_and_follow_what_is_selected(flipped):
    at = seen(flipped.run)
    furthest, other = pulls_at(at), pulls_at(at, 3)
    assert other.frequency == 3
    assert furthest.frequency != 3
    assert set(furthest.numbers.tolist()) <= set(flipped.data.train_rows.tolist())
    assert furthest.numbers.tolist() != other.numbers.tolist()
    picture = PICTURES["pulls"]
    chosen = picture.make(At(at.run, at.moment, {**VIEW, "frequencies": "3"}))
    assert "frequency 3" in chosen.layout.title.text
    assert {int(row) for trace in chosen.data for row in trace.meta["row"]} == set(other.numbers.tolist())


def test_a_margin_is_that_of_the_best_other_class():
    margin, best = doubts([[0.2, 0.9, 0.1], [0.8, 0.1, 0.3]], [0, 0])
    np.testing.assert_allclose(margin, [0.7, -0.5])
    assert best.tolist() == [1, 0]


@pytest.mark.parametrize("method", ["ASKL", "SKL"])
def test_influences_are_gradients_of_the_loss_of_each_row(method):
    """Against automatic differentiation of the loss of one row after another."""
    spec = METHODS[method].with_options({"n_features": 8, "frequency_scale": 0.5})
    X, y = torch.randn(6, 3, dtype=torch.float64), torch.tensor([0, 1, 2, 0, 1, 2])
    params = spec.feature_map.init(X, torch.Generator().manual_seed(0))
    width = spec.feature_map.columns(params)
    W = torch.randn(width, 3, dtype=torch.float64)
    loss = loss_of(spec, "classification")
    Phi = spec.feature_map.apply(params, X)
    G = slopes(loss, Phi @ W, y)
    way = torch.randn_like(params["omega"])
    pulls = pull(
        lambda at: spec.feature_map.apply({**params, **at}, X), {"omega": params["omega"]}, {"omega": way}, W, G
    )
    norms = self_influence(G, Phi)
    for i in range(len(X)):

        def of_row(omega, weight, i=i):
            F = spec.feature_map.apply({**params, "omega": omega}, X[i : i + 1]) @ weight
            return loss.value(F, y[i : i + 1])

        slope, weights = torch.autograd.functional.jacobian(of_row, (params["omega"], W))
        torch.testing.assert_close(pulls[i], -(slope * way).sum())
        torch.testing.assert_close(norms[i], weights.square().sum())
