"""The benchmark of the defaults: its tables, its arithmetic, and one small run of it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from kernlab.bench.defaults import COUNTERPARTS, against, available, defaults, summary
from kernlab.bench.noisy import REAL, SETS
from kernlab.cli import main
from kernlab.compare import Record
from kernlab.data import DataSpec, fingerprint, prepare
from kernlab.errors import UnknownNameError
from kernlab.methods import METHODS

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
    found = against("d", "SKL", "SK", [record(v) for v in base - loss], [record(v) for v in base])
    assert found.gain == pytest.approx(-1.0)
    assert found.error == pytest.approx(stats.sem(loss))
    assert found.worse
    assert not found.below_constant
    up = against(
        "d", "SKL", "SK", [record(v, "rmse", 9.0) for v in base - loss], [record(v, "rmse", 9.0) for v in base]
    )
    assert up.gain == pytest.approx(1.0)  # a lower error is better
    assert not up.worse
    assert up.below_constant
    assert not against("d", "SKL", "SK", [record(80.0)] * 3, [record(80.0)] * 3).worse


def test_a_split_that_failed_is_left_out_and_named():
    found = against(
        "d", "SKL", "SK", [record(None, message="It ran away."), record(70.0)], [record(60.0), record(60.0)]
    )
    assert (found.splits, found.gain, found.failed) == (1, 10.0, ("It ran away.",))
    nothing = against("d", "SKL", "SK", [record(None, message="It ran away.")], [record(60.0)])
    assert nothing.splits == 0
    assert summary([nothing])["failed"] == 1


def test_a_small_run_goes_on_where_it_was_stopped(monkeypatch, tmp_path):
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


def test_json_is_all_that_is_printed(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--only", "defaults", "--datasets", "wide", "--methods", "RFDI", "--json"])
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["defaults"]["comparisons"] == 1
