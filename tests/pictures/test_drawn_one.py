"""A picture that a person draws: probability, nearest rows and deciding frequencies against the model itself."""

from __future__ import annotations

import numpy as np
import pytest

from kernlab.bench.pages import stored
from kernlab.errors import DataError
from kernlab.model import Model
from kernlab.pictures import drawn_one as page
from kernlab.pictures.drawn_one import drawn_one, plot_chances, plot_deciding, plot_near, takes_pictures
from kernlab.pictures.gallery import seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.run_data import data_of
from kernlab.runs.store import Store


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    home = tmp_path_factory.mktemp("drawn")
    run = RecordedRun(Store(home), stored(home, "ASKL", "digits", n_features=200, epochs=5, validation=0))
    run.refresh()
    return seen(run)


def ink(at, row):
    """A row of the data as a person would have drawn it."""
    return data_of(at.run).dataset.X[row] / 16


def test_a_test_row_is_what_it_is_with_the_probability_of_its_class(at):
    data = data_of(at.run)
    right, chances = [], []
    for row in data.test_rows[:40]:
        found = drawn_one(at, ink(at, row))
        assert found.chances.sum() == pytest.approx(1)
        right.append(found.chances.argmax() == data.dataset.y[row])
        chances.append(found.chances.max())
    assert np.mean(right) > 0.9
    assert np.mean(chances) == pytest.approx(np.mean(right), abs=0.1)


def test_the_nearest_row_of_a_training_row_is_itself_under_both_kernels(at):
    data = data_of(at.run)
    row = int(data.train_rows[7])
    found = drawn_one(at, ink(at, row))
    assert [near.name for near in found.near] == ["learned", "assigned"]
    for near in found.near:
        assert near.similarity.tolist() == sorted(near.similarity, reverse=True)
        assert set(near.numbers.tolist()) <= set(data.train_rows.tolist())
    learned = found.near[0]
    K = at.kernel.gram(data.inputs.transform(data.dataset.X[[row]]), data.X_train)
    np.testing.assert_allclose(learned.similarity, np.sort(K[0])[::-1][: len(learned.numbers)], rtol=1e-5)
    assert data.dataset.y[row] == int(learned.labels[0])


def test_all_frequencies_together_are_the_margin_of_the_model(at, monkeypatch):
    """Against the decision function of the stored model."""
    monkeypatch.setattr(page, "DECIDING", 10_000)
    row = int(data_of(at.run).test_rows[3])
    deciding = drawn_one(at, ink(at, row)).deciding
    model = Model.from_arrays(*at.run.store.model(at.run.id))
    F = np.sort(model.decision_function(data_of(at.run).dataset.X[[row]])[0])
    assert deciding.margin == pytest.approx(F[-1] - F[-2], rel=1e-3)
    assert deciding.shares.sum() == pytest.approx(deciding.margin, rel=1e-3)
    assert deciding.best == str(model.predict(data_of(at.run).dataset.X[[row]])[0])


def test_every_figure_shows_it(at):
    found = drawn_one(at, ink(at, int(data_of(at.run).test_rows[0])))
    assert "probability" in plot_chances(found).layout.title.text
    assert len(plot_chances(found).data[0].x) == 10
    for near in found.near:
        drawn = plot_near(near, (8, 8))
        assert drawn.data[-1].meta["row"].tolist() == near.numbers.tolist()
    drawn = plot_deciding(found.deciding, (8, 8))
    assert len(drawn.layout.shapes) == len(found.deciding.places) == 12
    assert drawn.data[-1].meta["frequency"].tolist() == found.deciding.places.tolist()


def test_what_pictures_are_asked_of_is_computed_before_the_first_and_once(at, monkeypatch):
    monkeypatch.setattr(page, "_known", type(page._known)())
    found = page.prepare(at)
    assert found.result().Phi.shape[0] == len(found.result().rows.numbers)
    monkeypatch.setattr(page, "laplace", None)  # a second time would fail
    assert page.prepare(at) is found
    assert drawn_one(at, ink(at, 0)).chances.argmax() == data_of(at.run).dataset.y[0]


def test_what_has_failed_is_tried_again(at, monkeypatch):
    monkeypatch.setattr(page, "_known", type(page._known)())
    with monkeypatch.context() as broken:
        broken.setattr(page, "laplace", None)
        with pytest.raises(TypeError):
            drawn_one(at, ink(at, 0))
    assert drawn_one(at, ink(at, 0)).classes == at.class_names


def test_only_pictures_can_be_drawn_and_a_wrong_one_is_a_sentence(at, tmp_path):
    assert takes_pictures(at)
    other = RecordedRun(Store(tmp_path), stored(tmp_path, "ASKL", "moons", n_features=20, epochs=1, validation=0))
    other.refresh()
    assert not takes_pictures(seen(other))
    for pixels in (np.zeros(10), np.full(64, 2.0), np.full(64, np.nan)):
        with pytest.raises(DataError, match="64 pixels from 0 to 1"):
            drawn_one(at, pixels)
