"""The Kernel page draws the kernel of the run that it names: matrices, rows and errors against plain NumPy."""

import numpy as np
import pytest
from drawn import decoded
from opening import address, components, figures, opened, sound
from opening import ran as run_of

from kernlab.jobs import manager
from kernlab.pictures.base import VIEW, At
from kernlab.pictures.decay import _ridge
from kernlab.pictures.gallery import PICTURES
from kernlab.pictures.kernels import matrices
from kernlab.pictures.phases import phases_now
from kernlab.pictures.sample_plane import plane_at
from kernlab.ui.watch import Watch


@pytest.fixture(autouse=True)
def store(shared):
    """Runs are only looked at here."""


def ran(method="ASKL", dataset="moons", **options):
    return run_of(method, dataset, **{"n_features": 40, "epochs": 2, **options})


def shown(run_id, at=None, reference=None, **given):
    watch = Watch(manager().trainings, run_id)
    watch.refresh()
    then = None if reference is None else watch.moment(reference)
    return At(watch, watch.moment(at), {**VIEW, **given}, then)


def page(run_id, where="kernel", **scene):
    return sound(opened(where, run=run_id, **scene))


def matrix(app):
    return decoded(figures(app)["gram"]["data"][0]["z"])


def features(arrays, X):
    """ASKL's features, written out: with phases, or pairs of cosine and sine."""
    z, other = (X @ arrays[name].astype(float) for name in ("omega", "omega_prime"))
    if "phase" in arrays:
        return (np.cos(z + arrays["phase"][0]) + np.cos(other + arrays["phase"][0])) / np.sqrt(2 * z.shape[1])
    return np.hstack([np.cos(z) + np.cos(other), np.sin(z) + np.sin(other)]) / np.sqrt(4 * z.shape[1])


def averaged(arrays, X):
    """Their exact kernel: the mean over all pairs of frequencies."""
    waves = np.exp(1j * (X @ arrays["omega"])) + np.exp(1j * (X @ arrays["omega_prime"]))
    return (waves @ waves.conj().T).real / (4 * waves.shape[1])


def test_the_matrix_is_that_of_the_moment():
    run_id = ran(phase="shared")
    for moment in (None, 0.0):
        at = shown(run_id, moment)
        X = at.sample.X.astype(float)
        Phi = features(at.arrays, X)
        given = {} if moment is None else {"at": "0"}
        np.testing.assert_allclose(matrix(page(run_id, **given)), Phi @ Phi.T, atol=1e-5)
    at = shown(run_id)
    exact = averaged(at.arrays, X)
    np.testing.assert_allclose(matrix(page(run_id, matrix="exact")), exact, atol=1e-5)
    now = features(at.arrays, X) @ features(at.arrays, X).T
    np.testing.assert_allclose(matrix(page(run_id, matrix="error")), now - exact, atol=1e-5)
    then = features(shown(run_id, 1.0).arrays, X) @ features(shown(run_id, 1.0).arrays, X).T
    np.testing.assert_allclose(matrix(page(run_id, matrix="change", reference="1")), now - then, atol=1e-5)
    before = features(shown(run_id, 0.0).arrays, X) @ features(shown(run_id, 0.0).arrays, X).T
    np.testing.assert_allclose(matrix(page(run_id, matrix="change")), now - before, atol=1e-5)


@pytest.mark.parametrize(
    ("method", "dataset", "offered"),
    [
        ("ASKL", "moons", ["features", "change"]),
        ("SK", "moons", ["features", "exact", "error"]),
        ("NysDI", "iris", ["features", "exact", "error", "change"]),
        ("FKS-Fourier", "diabetes", ["features", "change"]),
        ("KRR", "chirp", ["features"]),
    ],
)
def test_what_a_kernel_can_be_compared_with(method, dataset, offered):
    at = shown(ran(method, dataset))
    assert list(matrices(at)) == offered
    features = PICTURES["gram"].make(at)
    assert (
        (features.layout.title.text == "Gram matrix")
        == (r"\varphi" not in PICTURES["gram"].note(at)[0])
        == (method == "KRR")
    )
    # What a run does not have is the features' matrix, without a word.
    for which in ("features", "exact", "error", "change"):
        assert PICTURES["gram"].make(shown(at.run.id, matrix=which)).data


def test_selected_rows_are_drawn_and_remembered():
    run_id = ran()
    at = shown(run_id)
    chosen = ",".join(str(at.sample.numbers[place]) for place in (3, 17))
    app = page(run_id, points=chosen)
    K = features(at.arrays, at.sample.X) @ features(at.arrays, at.sample.X).T
    first, own, second, _ = figures(app)["gram_rows"]["data"]
    np.testing.assert_allclose(decoded(first["y"]), K[3], atol=1e-5)
    np.testing.assert_allclose(decoded(second["y"]), K[17], atol=1e-5)
    assert own["y"] == [pytest.approx(K[3, 3], abs=1e-5)]
    marks = figures(app)["diagonal"]["data"][1]
    assert marks["x"] == pytest.approx([K[3, 3], K[17, 17]], abs=1e-5)
    last = at.sample.numbers[17]
    assert f"row {last};" in figures(app)["kernel_profile"]["layout"]["title"]["subtitle"]["text"]
    assert components(app, "elements")["selection"]["selected"] == {"row": chosen}
    assert address(app)["points"] == chosen


@pytest.mark.parametrize("dataset", ["moons", "iris"])
def test_a_click_moves_the_point_to_the_nearest_row(dataset):
    at = shown(ran(dataset=dataset))
    places = plane_at(at).coordinates
    click = {"x": float(places[11, 0]) + 1e-4, "y": float(places[11, 1]) - 1e-4}
    around = PICTURES["kernel_surface"].taken(at, "click", click)["around"]
    assert places[int(around)] == pytest.approx(places[11])  # iris has equal rows
    assert PICTURES["kernel_surface"].taken(at, "click", {"x": None}) == {}
    x = PICTURES["kernel_profile"].taken(at, "click", {"x": float(places[11, 0])})["around"]
    assert places[int(x), 0] == pytest.approx(places[11, 0])
    app = page(at.run.id, around=around)
    assert (
        f"row {at.sample.numbers[int(around)]}" in figures(app)["kernel_surface"]["layout"]["title"]["subtitle"]["text"]
    )
    assert page(at.run.id, around="99999")
    assert page(at.run.id, around="nonsense", points="99999", matrix="?")


def test_a_regression_has_no_classes():
    app = page(ran(dataset="chirp"))
    assert "shapes" not in figures(app)["gram"]["layout"] or not figures(app)["gram"]["layout"]["shapes"]
    assert "kernel_surface" not in figures(app)


def test_pairs_are_the_kernel_of_their_frequencies():
    run_id = ran()
    at = shown(run_id)
    X = at.sample.X.astype(float)
    np.testing.assert_allclose(matrix(page(run_id)), averaged(at.arrays, X), atol=1e-5)
    assert phases_now(at) is None
    assert "phase_distances" not in figures(page(run_id))


@pytest.mark.parametrize("where", ["kernel", "spectrum"])
def test_where_there_are_phases_the_pages_say_so_with_a_number_and_a_curve(where):
    run_id = ran(phase="shared", epochs=8, batch_size=16)
    at = shown(run_id)
    X = at.sample.X.astype(float)[:120]
    apart = {}
    for name, moment in (("now", at), ("before", shown(run_id, 0.0))):
        Phi, K = features(moment.arrays, X), averaged(moment.arrays, X)
        apart[name] = np.linalg.norm(Phi @ Phi.T - K) / np.linalg.norm(K)
    assert phases_now(at).own == pytest.approx(apart["now"], rel=1e-3)
    app = page(run_id, where)
    given = {each.label: each for each in app.metric}["Distance from the kernel of the frequencies"]
    assert given.value == f"{apart['now']:.3f}"
    assert given.delta == f"{phases_now(at).redrawn:.3f} with phases drawn anew"
    assert any("random phases (phase=shared)" in each.value for each in app.caption)
    own, redrawn = figures(app)["phase_distances"]["data"]
    assert decoded(own["y"])[0] == pytest.approx(apart["before"], rel=1e-3)
    assert decoded(own["y"])[-1] == pytest.approx(apart["now"], rel=1e-3)
    assert decoded(redrawn["y"])[-1] == pytest.approx(phases_now(at).redrawn)
    earlier = {each.label: each for each in page(run_id, where, at="0").metric}
    assert earlier["Distance from the kernel of the frequencies"].value == f"{apart['before']:.3f}"


def test_the_error_is_against_the_kernel_of_these_frequencies():
    at = shown(ran(phase="shared"), measure="largest")
    curve = PICTURES["approximation_error"].make(at).data[0]
    few = at.sample.X[:100].astype(float)
    Phi = features(at.arrays, few)
    assert curve.name.startswith("this run's features")
    assert curve.x[-1] == 40
    assert curve.y[-1] == pytest.approx(np.abs(Phi @ Phi.T - averaged(at.arrays, few)).max(), rel=1e-4)


def test_alignment_over_the_run_ends_where_it_stands_now():
    at = shown(ran())
    now = PICTURES["alignment"].make(at).data[0].y[0]
    history = PICTURES["alignment_history"].make(at).data[0]
    X, y = at.sample.X, at.sample.targets
    C = np.eye(len(y)) - 1 / len(y)
    K, L = features(at.arrays, X) @ features(at.arrays, X).T, (y[:, None] == y[None, :]).astype(float)
    K, L = C @ K @ C, C @ L @ C
    assert now == pytest.approx((K * L).sum() / np.linalg.norm(K) / np.linalg.norm(L), rel=1e-4)
    assert history.x[-1] == at.moment.epoch
    assert history.y[-1] == pytest.approx(now, rel=0.1 if len(y) > 120 else 1e-4)


def test_a_ridge_that_counts_a_sum_is_divided_by_the_rows():
    at = shown(ran("KRR", "chirp"))
    assert _ridge(at) == at.moment.values["ridge"]  # chosen by leave-one-out
    at = shown(ran("NysDI", "iris", ridge=0.02))
    assert _ridge(at) == pytest.approx(0.02 / at.facts["n_train"])
    assert _ridge(shown(ran())) is None
