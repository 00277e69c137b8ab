"""Three benchmarks, made small: of the defaults, of frame selection against support vector regression, of an import."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from scipy import stats

from kernlab.bench import BENCHMARKS, frames
from kernlab.bench.bring import bring
from kernlab.bench.defaults import COUNTERPARTS, available, defaults, paired_gain, summary
from kernlab.bench.frames import PAPER_G, _together, chosen_frame, fks_against_svr
from kernlab.bench.noisy import REAL, SETS
from kernlab.cli import main
from kernlab.compare import Record
from kernlab.data import DataSpec, fingerprint, prepare
from kernlab.errors import UnknownNameError
from kernlab.feature_maps import FourierFrame
from kernlab.methods import METHODS
from kernlab.solvers import Problem
from kernlab.solvers.frame_selection import lasso, means, penalty_constant

MADE = [name for name, table in SETS.items() if not table.needs]


@pytest.mark.parametrize("name", MADE)
def test_a_made_table_is_the_same_everywhere_and_can_be_split(name):
    table = SETS[name]
    dataset = table.make(800)
    assert fingerprint(dataset) == fingerprint(table.make(800))
    data = prepare(dataset, DataSpec.build(dataset=name, test_size=table.test_size), 0)
    assert np.isfinite(data.X_train).all()


def test_the_tables_are_what_their_names_say():
    sparse = SETS["sparse"].make(4000)
    assert (sparse.n, sparse.d) == (4000, 123)
    assert set(np.unique(sparse.X)) == {0, 1}
    assert np.mean(sparse.y == 1) == pytest.approx(0.25, abs=0.02)
    assert np.mean(SETS["imbalanced"].make(6000).y == 1) == pytest.approx(0.05, abs=0.01)
    assert stats.kurtosis(SETS["heavy-targets"].make(4000).y[:, 0]) > 20
    wide = prepare(SETS["wide"].make(6000), DataSpec.build(dataset="wide", test_size=SETS["wide"].test_size), 0)
    assert wide.X_train.shape == (300, 100)
    repeated = SETS["duplicate-classes"].make(4000)
    assert len(np.unique(repeated.X, axis=0)) <= 1500


def test_every_learned_method_has_a_counterpart_that_learns_nothing():
    for method, (other, options) in COUNTERPARTS.items():
        assert METHODS[method].learned
        spec = METHODS[other].with_options({k: v for k, v in options.items() if k != "scaling"})
        assert not spec.learned
        spec.check("regression")


def record(test, metric="accuracy", constant=50.0, message=""):
    status = "failed" if message else "done"
    return Record("key", {}, status, message, metric=metric, test=test, constant=constant)


def test_gains_are_paired_and_judged_by_two_standard_errors():
    random = np.random.default_rng(0)
    base = random.normal(80, 5, 6)
    loss = np.array([0.9, 1.1, 1.0, 0.8, 1.2, 1.0])
    found = paired_gain("d", "SKL", "SK", [record(v) for v in base - loss], [record(v) for v in base])
    assert found.gain == pytest.approx(-1.0)
    assert found.error == pytest.approx(stats.sem(loss))
    assert found.worse
    assert not found.below_constant
    up = paired_gain(
        "d", "SKL", "SK", [record(v, "rmse", 9.0) for v in base - loss], [record(v, "rmse", 9.0) for v in base]
    )
    assert up.gain == pytest.approx(1.0)  # a lower error is better
    assert not up.worse
    assert up.below_constant
    assert not paired_gain("d", "SKL", "SK", [record(80.0)] * 3, [record(80.0)] * 3).worse


def test_a_split_that_failed_is_left_out_and_named():
    found = paired_gain(
        "d", "SKL", "SK", [record(None, message="It ran away."), record(70.0)], [record(60.0), record(60.0)]
    )
    assert (found.splits, found.gain, found.failed) == (1, 10.0, ("It ran away.",))
    nothing = paired_gain("d", "SKL", "SK", [record(None, message="It ran away.")], [record(60.0)])
    assert nothing.splits == 0
    assert summary([nothing])["failed"] == 1


def test_a_small_run_goes_on_where_it_was_stopped_and_prints_json_alone(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    lines = []
    asked = {"datasets": ["wide"], "methods": ["RFDI"], "seeds": 2, "workers": 1}
    first = defaults(**asked, progress=lines.append)
    (row,) = first["rows"]
    assert row["splits"] == 2
    assert row["counterpart"] == "RF"
    assert "wide" in lines[0]
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    again = defaults(**asked)
    assert again == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == kept
    capsys.readouterr()
    for name in ("seeds", "workers"):  # as many splits as are there, in this process
        monkeypatch.setitem(defaults.__kwdefaults__, name, asked[name])
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--only", "defaults", "--datasets", "wide", "--methods", "RFDI", "--json"])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["defaults"]["rows"] == json.loads(json.dumps(first["rows"]))


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="sparse"):
        defaults(datasets=["sparce"])
    with pytest.raises(UnknownNameError, match="ASKL"):
        defaults(methods=["ASLK"])
    assert set(available()) >= set(MADE)
    assert {need for table in SETS.values() for need in table.needs} == set(REAL)


def test_the_command_line_takes_the_names_for_this_benchmark_alone(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--only", "askl-step", "--datasets", "wide"])
    assert ended.value.code == 2
    assert "--only defaults" in capsys.readouterr().err


def test_figures_are_printed_whatever_they_are_called(capsys, monkeypatch):
    monkeypatch.setitem(BENCHMARKS._entries, "posterior", lambda: {"rows": 4000, "seconds": 0.5})
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--only", "posterior"])
    assert not ended.value.code
    assert capsys.readouterr().out.split() == ["posterior", "rows", "4000", "seconds", "0.5"]


# -- frame selection against support vector regression ------------------------------------------------------------


def sines(n: int, frequency: float = 3.0, noise: float = 0.3) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 2))
    y = np.sin(frequency * X[:, :1]) + noise * rng.normal(size=(n, 1))
    return torch.from_numpy(X), torch.from_numpy((y - y.mean()) / y.std())


def test_means_of_folds_are_the_means_of_their_rows():
    X, y = sines(90)

    def of(X, y):
        return means(Problem(FourierFrame(order=3), None, X, y, 1, "regression"))

    parts = [(of(*part), len(part[0])) for part in ((X[:20], y[:20]), (X[20:50], y[20:50]), (X[50:], y[50:]))]
    whole, joined = of(X, y), _together(parts)
    np.testing.assert_allclose(joined.gram, whole.gram, atol=1e-14)
    np.testing.assert_allclose(joined.cross, whole.cross, atol=1e-14)
    assert joined.square == pytest.approx(whole.square)


def test_the_chosen_g_is_the_best_of_plain_cross_validation(monkeypatch):
    monkeypatch.setattr(frames, "ORDER", 4)
    X, y = sines(100)
    omega, g = chosen_frame(X, y, omegas=(1.0,))

    def error(g: float) -> float:
        found = []
        for part in np.split(np.arange(100), 5):
            rest = np.setdiff1d(np.arange(100), part)
            of = means(Problem(FourierFrame(order=4), None, X[rest], y[rest], 1, "regression"))
            mu = lasso(of, penalty_constant(g, 1.0, 1.0), 1e-3, 5000)
            found.append(float((FourierFrame(order=4).frame(X[part]) @ mu - y[part]).square().mean()))
        return float(np.mean(found))

    assert omega == 1.0
    assert g < min(PAPER_G)  # the paper's grid is too coarse for targets of unit variance
    assert error(g) <= min(error(4 * g), error(g / 4)) * (1 + 1e-3)


def test_a_fast_target_needs_a_higher_base_frequency(monkeypatch):
    monkeypatch.setattr(frames, "ORDER", 4)
    assert chosen_frame(*sines(300, frequency=8.0))[0] > 1
    assert chosen_frame(*sines(300, frequency=1.0))[0] == 1


def test_data_that_are_not_at_hand_are_left_out_with_a_sentence(monkeypatch):
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    figures = fks_against_svr(["nowhere"])
    assert "data set must be one that kernlab knows" in figures["nowhere_skipped"]
    assert BENCHMARKS["fks-against-svr"] is fks_against_svr


def test_a_data_set_gives_both_errors_and_both_times(monkeypatch):
    monkeypatch.setattr(frames, "TIMED", ("diabetes",))
    monkeypatch.setattr(frames, "SVR_GRID", {"C": [1.0], "gamma": [0.1], "epsilon": [0.05]})
    threads = torch.get_num_threads()
    figures = fks_against_svr(["diabetes"], sizes=(100,))
    assert torch.get_num_threads() == threads
    assert 0 < figures["diabetes_fks_mse"] < figures["diabetes_constant_mse"]
    assert figures["diabetes_mse_ratio"] == figures["diabetes_fks_mse"] / figures["diabetes_svr_mse"]
    assert figures["diabetes_n_train"] == 221
    for n in (100, 221):
        assert figures[f"diabetes_n{n}_times_faster"] > 0


def test_the_import_of_a_large_table_is_measured():
    found = bring(rows=400, page=False)
    assert (found["table_rows"], found["table_columns"]) == (400, 50)
    for name in ("preview", "import", "pyarrow"):
        assert found[f"{name}_cpu"] > 0
        assert found[f"{name}_seconds"] > 0
    assert found["import_mb_per_second"] == pytest.approx(found["file_mb"] / found["import_seconds"])
    assert "page_preview_seconds" not in found
