"""What the Data page says of a table, against scikit-learn and SciPy, and drawn without overlaps."""

import json

import numpy as np
import pytest
from charts import faults
from drawn import keeps_promises
from scipy.spatial.distance import cdist, pdist
from sklearn.decomposition import PCA
from sklearn.metrics import mutual_info_score, r2_score
from sklearn.metrics.pairwise import rbf_kernel

from kernlab.feature_maps.scale import FINER
from kernlab.pictures.columns import column, intervals, relation
from kernlab.pictures.data_plane import data_plane, plot_data_plane
from kernlab.pictures.distances import distances, plot_distances
from kernlab.pictures.neighbours import neighbours, room
from kernlab.pictures.sample_plane import sample_plane

rng = np.random.default_rng(0)


def test_a_column_of_numbers_on_literals():
    y = np.array([0, 0, 1, 1, 1])
    found = column("height", [1.5, 1.5, np.nan, 2.5, 9.5], y, "classification")
    assert (found.kind, found.missing, found.distinct, found.ends) == ("number", 1, 3, ("1.5", "9.5"))
    assert found.counts.tolist() == [[2, 0, 0], [0, 1, 1]]
    assert column("n", [1, 2, 3, 3, 3], y, "classification").kind == "whole number"
    assert column("b", [1, 0, 1, 1, 1], y, "classification").kind == "boolean"
    assert column("c", [7, 7, 7, 7, 7], y, "classification").kind == "constant"
    assert column("e", [np.nan] * 5, y, "classification").counts.size == 0


def test_a_category_has_a_bar_for_each_value_the_most_frequent_first():
    found = column("colour", [2, 2, 2, 0, np.nan], np.zeros((5, 1)), "regression", ("red", "green", "blue"))
    assert (found.kind, found.missing, found.distinct, found.ends) == ("category", 1, 2, ("blue", "red"))
    assert found.counts.tolist() == [[3, 1]]
    many = column("id", np.arange(60), np.zeros((60, 1)), "regression", [str(j) for j in range(60)])
    assert many.counts.tolist() == [[1] * 19 + [41]]


def test_the_relation_to_classes_is_the_corrected_mutual_information():
    codes, y = rng.integers(0, 6, 400), rng.integers(0, 3, 400)
    y[codes < 2] = 0
    shared = mutual_info_score(codes, y) - 5 * 2 / 800
    assert relation(codes, y, "classification") == pytest.approx(shared / mutual_info_score(y, y))


def test_the_relation_to_real_targets_is_the_adjusted_share_of_the_variance():
    codes = rng.integers(0, 7, 300)
    y = np.stack([codes + rng.normal(size=300), rng.normal(size=300)], 1)
    means = np.stack([[y[codes == code, k].mean() for code in codes] for k in (0, 1)], 1)
    r2 = np.array([r2_score(y[:, k], means[:, k]) for k in (0, 1)])
    expected = np.clip(1 - (1 - r2) * 299 / 293, 0, 1).mean()
    assert relation(codes, y, "regression") == pytest.approx(expected)


def test_noise_has_no_relation_and_a_copy_of_the_target_has_all_of_it():
    noise, y = rng.normal(size=(200, 50)), rng.integers(0, 4, 200)
    found = [relation(intervals(each), y, "classification") for each in noise.T]
    assert np.mean(found) < 0.02
    assert relation(intervals(y.astype(float)), y, "classification") > 0.97
    target = rng.normal(size=(200, 1))
    assert relation(intervals(target[:, 0] ** 3), target, "regression") > 0.9


def test_intervals_have_equally_many_rows_and_missing_values_one_of_their_own():
    values = rng.exponential(size=1000)
    assert np.bincount(intervals(values)).tolist() == [100] * 10
    values[:30] = np.nan
    codes = intervals(values)
    assert set(codes[:30]) == {codes.max()}
    assert (codes[30:] < codes.max()).all()
    assert intervals(np.array([3.0, 1.0, np.nan, 1.0])).tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize("n", [2, 60, 900])
def test_nearest_pairs_and_similarities(monkeypatch, n):
    from kernlab.pictures import neighbours as module

    monkeypatch.setattr(module, "_BLOCK", 20_000)  # several blocks
    X = rng.normal(size=(n, 5)).astype(np.float32) + 100
    if n > 2:
        X[-1] = X[3]
    found = neighbours(X, 4)
    apart = cdist(X.astype(float), X.astype(float))
    every = pdist(X.astype(float))
    assert found.median == pytest.approx(np.median(every[every > 0]), rel=1e-4)
    assert found.distance == pytest.approx(np.sort(every)[:4], abs=1e-5)
    assert (found.first < found.second).all()
    assert apart[found.first, found.second] == pytest.approx(found.distance, abs=1e-5)
    kernel = rbf_kernel(X, gamma=1 / (2 * found.median**2))
    assert found.similarity == pytest.approx((kernel.sum(1) - 1) / (n - 1), abs=1e-4)


def test_the_strangest_row_is_the_one_that_is_far_from_all():
    X = rng.normal(size=(300, 3))
    X[17] = 9
    assert neighbours(X).strangest(2)[0] == 17
    assert 500 <= room(784) < room(2) <= 4000


def test_the_automatic_scale_against_the_pairwise_distances():
    X = rng.normal(size=(400, 2)).astype(np.float32)
    found = distances(X)
    every = pdist(X)
    assert found.median == pytest.approx(np.median(every))
    assert found.scale == pytest.approx(FINER[2] / np.median(every), rel=1e-3)
    assert found.share.sum() == pytest.approx(1)
    assert found.kernel == pytest.approx(np.exp(-(found.scale**2) * found.grid**2 / 2))


def pictures():
    X, y = rng.normal(size=(300, 6)), rng.integers(0, 3, 300)
    rows, test = np.arange(300), rng.random(300) < 0.2
    plane = sample_plane(X, [f"column {j}" for j in range(6)])
    two = sample_plane(X[:, :2], ["petal length (cm)", "petal width (cm)"])
    classes = ("setosa", "versicolor", "virginica")
    return {
        "distances": plot_distances(distances(X)),
        "plane": plot_data_plane(data_plane(plane, y, rows, test, classes=classes, ringed=[3, 5])),
        "split": plot_data_plane(data_plane(two, y, rows, test, classes=classes), parts=True),
        "target": plot_data_plane(data_plane(two, X[:, 3], rows, test, target="price")),
        "classes": plot_data_plane(data_plane(two, y, rows, test, classes=[*classes, "d", "e", "f", "g"])),
    }


def test_the_plane_is_that_of_the_principal_components():
    X = rng.normal(size=(200, 5)) * [5, 3, 1, 1, 1]
    plane = sample_plane(X)
    view = data_plane(plane, X[:, 0], np.arange(200), np.zeros(200))
    expected = PCA(2).fit(X)
    assert np.abs(np.corrcoef(view.x, expected.transform(X)[:, 0])[0, 1]) == pytest.approx(1, abs=1e-6)
    assert view.share == pytest.approx(expected.explained_variance_ratio_.sum())


def test_every_picture_of_data_keeps_its_promises():
    for figure in pictures().values():
        keeps_promises(figure)


def test_points_say_their_class_their_row_and_their_part():
    drawn = pictures()
    assert [trace.name for trace in drawn["plane"].data] == ["setosa", "versicolor", "virginica", "strangest rows"]
    assert drawn["plane"].data[-1].customdata.tolist() == [3, 5]
    assert [trace.name for trace in drawn["split"].data] == ["training rows", "test rows"]
    assert sum(len(trace.x) for trace in drawn["split"].data) == 300


@pytest.mark.browser
@pytest.mark.parametrize("width", [358, 450])
def test_no_words_overlap(page, width):
    drawn = [(name, figure.to_json(), 340) for name, figure in pictures().items()]
    assert faults(page, json.loads(json.dumps(drawn)), width) == []
