"""The scaling "normal-scores" was first called "ranks": that name is still read, and finds what was kept."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from kernlab import RunSpec
from kernlab.compare.base import Comparison, Record
from kernlab.compare.records import RecordStore, comparison_id
from kernlab.data import DataSpec, Scaler
from kernlab.estimators import KernelRegressor, SpectralFeatures
from kernlab.options import options_of
from kernlab.pictures.directions import input_place
from kernlab.ui.setup import address_of, spec_from

NOW = DataSpec(dataset="wine", scaling="normal-scores")

#: Hashes of the version that called it "ranks": of the comparison SK on wine, and of its first cell for data "f".
COMPARISON, CELL = "7693890071069ab6", "af92ad2d302da86c7bfc0feae65aec50"
AUTOMATIC = "8e565be2064b8a4d", "18d36ffbacdc6a2898f88b0bbe9fec49"


def test_a_run_reads_the_first_name_wherever_it_was_written():
    run = RunSpec.of("SK", "wine", scaling="normal-scores")
    stored = run.to_dict() | {"data": {**run.to_dict()["data"], "scaling": "ranks"}}
    assert RunSpec.from_dict(stored) == RunSpec.of("SK", "wine", scaling="ranks") == run
    assert DataSpec(dataset="wine", scaling="ranks") == NOW
    assert spec_from({"method": "SK", "dataset": "wine", "scaling": "ranks"}) == run
    assert address_of(run)["scaling"] == run.to_dict()["data"]["scaling"] == "normal-scores"
    assert "scaling=normal-scores" in run.command()


def test_only_the_name_of_today_is_offered():
    assert options_of(DataSpec)["scaling"].choices == (
        "auto", "standardize", "[0,1]", "[-1,1]", "none", "normal-scores"
    )  # fmt: skip


def test_a_scaler_and_the_estimators_read_it(tmp_path):
    X = np.exp(np.random.default_rng(0).standard_normal((40, 2)))
    np.testing.assert_array_equal(*(Scaler.fit(kind, X).transform(X) for kind in ("ranks", "normal-scores")))
    quick = {"n_features": 5, "epochs": 1, "compile": "off", "random_state": 0}
    fitted = [KernelRegressor("SK", scaling=kind, **quick).fit(X, X[:, 0]) for kind in ("ranks", "normal-scores")]
    np.testing.assert_array_equal(*(each.predict(X) for each in fitted))
    assert fitted[0].get_params()["scaling"] == "ranks"  # scikit-learn asks for parameters as they were given
    fitted[0].save(tmp_path / "model.safetensors")
    again = KernelRegressor.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.fit(X, X[:, 0]).predict(X), fitted[1].predict(X))
    maps = [SpectralFeatures(n_features=5, scaling=kind, random_state=0) for kind in ("ranks", "normal-scores")]
    np.testing.assert_array_equal(*(each.fit_transform(X) for each in maps))


def test_hashes_of_comparisons_and_cells_stay_as_they_were():
    for data, known in ((NOW, (COMPARISON, CELL)), (NOW.replace(scaling="auto"), AUTOMATIC)):
        asked = Comparison(("SK",), (data,))
        (cell, *_) = asked.cells({"wine": "f"}, {"SK": ()})
        assert (comparison_id(asked), cell.key) == known


@pytest.mark.parametrize("name", ["ranks", "normal-scores"])
def test_a_kept_comparison_is_the_one_that_is_asked_for_today(tmp_path, name):
    store, asked = RecordStore(tmp_path), Comparison(("SK",), (NOW,))
    (cell, *_) = asked.cells({"wine": "f"}, {"SK": ()})
    as_written = json.loads(json.dumps(asked.to_dict()).replace("normal-scores", name))
    kept = {"id": COMPARISON, "name": "Mine", "created": 1.0, "comparison": as_written, "keys": [CELL]}
    (store.root / f"{COMPARISON}.json").write_text(json.dumps(kept))
    cell_as_written = json.loads(json.dumps(cell.to_dict()).replace("normal-scores", name))
    store.put(Record(CELL, cell_as_written, "done", test=1.0))
    assert store.keep(asked) == store.comparison(COMPARISON)
    assert (store.keep(asked).name, store.keep(asked).comparison) == ("Mine", asked)
    (record,) = store.records(store.keep(asked))
    assert (record.test, record.cell) == (1.0, cell_as_written)


def test_the_scaler_of_a_stored_model_is_read():
    arrays = {"kind": 4, "center": [1.0], "scale": [2.0], "rank_starts": [0, 2], "rank_values": [0.0, 1.0],
              "rank_scores": [-1.0, 1.0]}  # fmt: skip
    scaler = Scaler.from_arrays({name: np.asarray(value) for name, value in arrays.items()})
    assert scaler.kind == "normal-scores"
    np.testing.assert_array_equal(scaler.transform(np.array([[0.75], [9.0]])), [[-0.125, 0.5], [4.0, 1.0]])
    assert {name: value.tolist() for name, value in scaler.to_arrays().items()} == arrays


def test_the_columns_of_a_stored_run_keep_their_names():
    """Its facts say "rank of a", and so do addresses that look along that column."""
    at = SimpleNamespace(facts={"feature_names": ["a", "rank of a"]}, arrays={"omega": None}, static={}, class_names=(),
                         view={"look": "input rank of a"})  # fmt: skip
    assert input_place(at) == 1
