"""What version 1 wrote keeps its meaning: version_1.json holds its files (base64), and what it predicted from them.

There spectral maps had random phases by default, ``n_features`` counted frequencies, so that pairs had twice as many
columns, and the stationary map had ``form`` = "phase" or "paired".
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris

import kernlab.estimators as estimators
from kernlab import RunSpec
from kernlab.compare.base import Comparison
from kernlab.compare.cells import method_of
from kernlab.compare.records import StoredComparison, comparison_id
from kernlab.compare.run import plan
from kernlab.compare.written import assemble, settings_of
from kernlab.errors import OptionError
from kernlab.estimators import KernelClassifier
from kernlab.feature_maps import Deep, NonStationary, Stationary, Weighted
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import Model
from kernlab.training.events import Checkpoint, Finished
from kernlab.training.trainer import train

WRITTEN = json.loads((Path(__file__).parent / "version_1.json").read_text())
X, y = load_iris(return_X_y=True)


@pytest.fixture
def files(tmp_path):
    """The files of version 1, as it wrote them."""
    for name, content in WRITTEN["files"].items():
        (tmp_path / name).write_bytes(base64.b64decode(content))
    return tmp_path


MEANT = {  # phase, n_features and columns
    "ASKL": ("shared", 6, 6),
    "ASKL-paired": ("paired", 12, 12),
    "ASKL-independent": ("independent", 6, 6),
    "SKL": ("shared", 6, 6),
    "SKL-paired": ("paired", 12, 12),
    "RFDI": ("shared", 6, 6),
    "LKRF": ("shared", 40, 40),
    "Deep-ASKL": ("shared", 6, 6),
}


@pytest.mark.parametrize("name", MEANT)
def test_a_spec_means_what_it_meant_and_a_model_predicts_what_it_predicted(name, files):
    model = Model.load(files / f"{name}.safetensors")
    np.testing.assert_allclose(model.decision_function(X[::30]), WRITTEN[name]["outputs"], rtol=1e-12, atol=1e-12)
    spec = RunSpec.from_dict(WRITTEN[name]["spec"])
    map_ = spec.method.feature_map
    assert (map_.phase, map_.n_features, map_.width) == MEANT[name]
    assert RunSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec  # and keeps it when it is written again
    again = RunSpec.of(spec.method.name, "iris", **spec.changed_options())
    assert again.method == spec.method  # so do the command and the link that repeat it


@pytest.mark.parametrize(
    ("name", "phase", "n_features", "classes"),
    [
        ("classifier", "shared", 6, [0, 1, 2]),
        ("classifier-paired", "paired", 12, [0, 1, 2]),
        # Here two classes are tied in the first step, and Adam takes whole steps along gradients that are nothing but
        # rounding: from one processor to another the outputs of these classes differ, that of the other one does not.
        ("classifier-method", "paired", 8, [0]),
    ],
)
def test_an_estimator_predicts_and_learns_what_it_did(name, phase, n_features, classes, files):
    found = KernelClassifier.load(files / f"{name}.safetensors")
    expected = np.asarray(WRITTEN[name]["outputs"])
    np.testing.assert_allclose(found.decision_function(X[::30]), expected, rtol=1e-12, atol=1e-12)
    found.fit(X, y)
    map_ = found.method_.feature_map
    assert (map_.phase, map_.n_features) == (phase, n_features)
    learned = found.decision_function(X[::30])
    np.testing.assert_allclose(learned[:, classes], expected[:, classes], rtol=1e-4, atol=1e-5)
    options = {"phase": phase, "n_features": n_features, "epochs": 1, "batch_size": 50, "compile": "off"}
    now = KernelClassifier("ASKL", random_state=0, early_stopping=False, **options).fit(X, y)
    assert now.method_ == found.method_
    np.testing.assert_array_equal(learned, now.decision_function(X[::30]))


@pytest.mark.parametrize(
    ("name", "kind", "phase", "n_features"),
    [
        ("StationaryFeatures", "StationaryFeatures", "shared", 6),
        ("StationaryFeatures-paired", "StationaryFeatures", "paired", 12),
        ("NonstationaryFeatures", "NonStationaryFeatures", "shared", 6),
    ],
)
def test_a_transformer_makes_the_features_it_made(name, kind, phase, n_features, files):
    found = getattr(estimators, kind).load(files / f"{name}.safetensors")
    np.testing.assert_allclose(found.transform(X[::30]), WRITTEN[name]["outputs"], rtol=1e-12, atol=1e-12)
    assert (found.feature_map_.phase, found.feature_map_.n_features) == (phase, n_features)
    np.testing.assert_allclose(found.fit(X).transform(X[::30]), WRITTEN[name]["outputs"], rtol=1e-6, atol=1e-7)


def test_what_estimators_write_now_is_read_as_it_is(tmp_path):
    for options in ({}, {"phase": "paired"}, {"phase": "shared"}):
        fitted = KernelClassifier("SK", n_features=6, epochs=1, random_state=0, compile="off", **options).fit(X, y)
        fitted.save(tmp_path / "now")
        found = KernelClassifier.load(tmp_path / "now")
        assert found.get_params() == fitted.get_params()
        assert found.method_ == fitted.method_
        drawn = estimators.StationaryFeatures(n_features=6, random_state=0, **options).fit(X)
        drawn.save(tmp_path / "drawn")
        again = estimators.StationaryFeatures.load(tmp_path / "drawn")
        assert again.get_params() == drawn.get_params()
        assert again.feature_map_ == drawn.feature_map_


@pytest.mark.parametrize("name", ["comparison", "comparison-form"])
def test_a_comparison_is_resumed_where_it_was(name):
    """Its id and the keys of its cells are hashes of what is written: they must not change."""
    stored = StoredComparison.from_dict(WRITTEN[name]["stored"])
    assert stored.comparison.to_dict() == WRITTEN[name]["stored"]["comparison"]
    assert comparison_id(stored.comparison) == stored.id
    cells = plan(stored.comparison).cells
    assert tuple(cell.key for cell in cells) == stored.keys
    assert [cell.to_dict() for cell in cells] == WRITTEN[name]["cells"]
    maps = {cell.method: spec.feature_map for cell in cells if (spec := method_of(cell))}
    if name == "comparison":  # n_features=8 for all, ASKL.phase=paired
        assert (maps["ASKL"].phase, maps["ASKL"].width) == ("paired", 16)
        assert (maps["SKL"].phase, maps["SKL"].width) == ("shared", 8)
    else:
        assert settings_of(stored.comparison) == {"phase": "paired"}
        plain = Comparison.from_dict({**stored.comparison.to_dict(), "options": {}})
        assert settings_of(plain) == {"phase": "shared"}
        assert {(each.phase, each.width) for each in maps.values()} == {("paired", 4000)}


def test_a_comparison_made_now_takes_no_record_of_another_meaning():
    """Defaults of methods have changed; a baseline keeps what was computed."""
    old = StoredComparison.from_dict(WRITTEN["comparison"]["stored"]).comparison
    new = assemble(old.methods, ["iris"], {"n_features": "8", "ASKL.phase": "paired", "epochs": "1"}, repeats=2)
    assert comparison_id(new) != comparison_id(old)
    assert Comparison.from_dict(json.loads(json.dumps(new.to_dict()))) == new
    for before, now in zip(plan(old).cells, plan(new).cells, strict=True):
        assert (before.key == now.key) is (before.method == "constant")


def test_a_part_without_a_version_is_one_of_version_1():
    def read(**values):
        return MethodSpec.from_dict({"feature_map": values}).feature_map

    assert read(kind="nonstationary", n_features=9) == NonStationary(n_features=9, phase="shared")
    assert read(kind="nonstationary", phase="paired") == NonStationary(n_features=4000)
    assert read(kind="stationary", form="phase") == Stationary(phase="shared")
    assert read(kind="stationary", form="paired", n_features=9) == Stationary(n_features=18)
    assert read(kind="weighted") == Weighted(phase="shared")
    assert read(kind="deep", hidden=9) == Deep(phase="shared", hidden=9)
    for now in (NonStationary(n_features=9), Stationary(), Weighted(), Deep()):
        assert read(**now.to_dict()) == now
        assert now.phase == "paired"
        assert now.to_dict()["version"] == 2


@pytest.mark.parametrize("version", [0, 3, "2", None, 1.5])
def test_an_unknown_version_is_refused(version):
    with pytest.raises(OptionError, match="version of nonstationary must be from 1 to 2"):
        MethodSpec.from_dict({"feature_map": {"kind": "nonstationary", "version": version}})
    with pytest.raises(OptionError, match="version of frobenius must be 1"):
        MethodSpec.from_dict({"regularizers": [{"kind": "frobenius", "version": 2}]})


def test_the_word_form_still_means_what_it_meant():
    """In commands, links and estimators of version 1."""
    assert METHODS["SKL"].with_options({"form": "phase"}).feature_map == Stationary(phase="shared")
    assert METHODS["SKL"].with_options({"form": "paired"}).feature_map == Stationary(n_features=4000)
    assert Stationary.build(form="paired", n_features=9) == Stationary(n_features=18)
    with pytest.raises(OptionError, match="form must be phase or paired"):
        Stationary.build(form="both")
    with pytest.raises(OptionError, match="form and phase say the same thing"):
        Stationary.build(form="paired", phase="paired")


@pytest.mark.parametrize("cls", [Stationary, NonStationary])
@pytest.mark.parametrize("n_features", [1, 2, 7, 8])
def test_n_features_is_the_number_of_columns(cls, n_features):
    """Pairs make an odd number even; with phases it is exact."""
    rows = torch.randn(5, 3)
    for phase in ("paired", "shared", "independent"):
        columns = n_features + (n_features % 2 if phase == "paired" else 0)
        map_ = cls(n_features=n_features, phase=phase)
        params = map_.init(rows, torch.Generator().manual_seed(0))
        assert map_.apply(params, rows).shape == (5, columns)
        assert map_.width == map_.columns(params) == columns


def test_what_an_estimator_of_version_1_was_set_to_stays():
    from kernlab.estimators.persistence import from_version_1

    params = KernelClassifier("RF", ridge=0.3, n_features=6, random_state=7).get_params()
    found = from_version_1(params, METHODS["RF"], params)
    assert {key: found[key] for key in ("ridge", "n_features", "phase", "random_state")} == {
        "ridge": 0.3, "n_features": 6, "phase": "shared", "random_state": 7,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["resumed", "resumed-paired"])
def test_a_run_goes_on_from_its_checkpoint_to_where_it_would_have_ended(name, files):
    written = WRITTEN[name]
    with np.load(files / f"{name}.npz") as file:
        saved = Checkpoint(written["step"], dict(file), written["state"])
    final = list(train(RunSpec.from_dict(written["spec"]), resume=saved))[-1]
    assert isinstance(final, Finished)
    for key, values in written["final"].items():
        np.testing.assert_allclose(final.model[key], values, rtol=1e-4, atol=1e-5, err_msg=key)
