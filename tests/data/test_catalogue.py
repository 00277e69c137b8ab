"""Names: data sets that can be loaded, those whose files are missing, and the real numbers of the bundled ones."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets as bundled

from kernlab.data import SOURCES, DataSpec, fingerprint, known, load
from kernlab.data.registered import registered
from kernlab.errors import UnknownNameError

BUNDLED = [name for name, source in SOURCES.items() if source.group == "bundled"]
HERE = [Path(part) for part in os.environ.get("KERNLAB_DATA", "").split(os.pathsep) if part]
FILES = [name for name in registered() if any((folder / f"{name}.parquet").is_file() for folder in HERE)]


@pytest.fixture
def nothing_added(monkeypatch):
    monkeypatch.delenv("KERNLAB_DATA", raising=False)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_are_scikit_learns(name):
    data = load(name)
    theirs = getattr(bundled, f"load_{name}")(**({"scaled": False} if name == "diabetes" else {}))
    np.testing.assert_array_equal(data.X, theirs.data.astype(np.float32))
    np.testing.assert_array_equal(data.y.reshape(-1), theirs.target)
    assert data.feature_names == tuple(theirs.feature_names)


@pytest.mark.parametrize("name", [*BUNDLED, *FILES])
def test_the_registry_tells_the_truth(name):
    about = registered()[name]
    if about.rows > 100_000:
        pytest.skip("loaded once, in the memory test")
    data = load(name)
    assert (data.task, data.n, data.d) == (about.task, about.rows, about.features)
    assert data.source_train_rows == about.train_rows
    assert data.description == about.description
    assert data.image_shape == {"mnist": (28, 28), "usps": (16, 16), "digits": (8, 8)}.get(name)
    if about.classes:
        assert (data.n_outputs, len(np.unique(data.y))) == (about.classes, about.classes)
        assert data.target_names == about.labels
    listed = next(each for each in known() if each.name == name)
    assert listed[1:6] == (
        about.task,
        SOURCES[name].group if name in SOURCES else "folder",
        data.n,
        data.d,
        about.classes,
    )


def test_entries_are_complete():
    for name, about in registered().items():
        assert about.description.endswith("."), name
        assert about.citation.endswith("."), name
        assert about.origin, name
        assert len(about.labels) == (about.classes or 0), name
        assert about.train_rows is None or 0 < about.train_rows < about.rows, name
        assert name in BUNDLED or len(about.sha256) == 64, name
        assert (about.task == "classification") == bool(about.classes), name


def test_a_misspelt_name_gets_the_nearest(nothing_added):
    with pytest.raises(UnknownNameError, match=r"Did you mean digits or pendigits\?.*Known: abalone"):
        load("digit")


def test_a_known_name_without_its_file(nothing_added, monkeypatch, tmp_path):
    with pytest.raises(UnknownNameError, match=r"letter\.parquet must lie in a folder.*KERNLAB_DATA is not set"):
        load("letter")
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path))
    with pytest.raises(UnknownNameError, match=f"KERNLAB_DATA={tmp_path}"):
        load("letter")


def test_lists(nothing_added):
    here, all_of_them = known(), known(missing=True)
    assert {each.name for each in here} == set(SOURCES)
    assert {each.name for each in all_of_them} == {*SOURCES, *registered()}
    assert {each.name for each in all_of_them if not each.available} == set(registered()) - set(BUNDLED)


def test_a_spec_names_data_set_and_options():
    spec = DataSpec.build(dataset="moons", source={"n_samples": 50, "noise": 0})
    assert fingerprint(load(spec)) == fingerprint(load("moons", n_samples=50, noise=0))
    assert load(spec, n_samples=60).n == 60
    assert spec.to_dict()["source"] == {"n_samples": 50, "noise": 0}
    assert DataSpec.build(**{k: v for k, v in spec.to_dict().items() if k != "kind"}) == spec


def test_default_options_are_not_shared():
    DataSpec().source["n_samples"] = 7
    assert DataSpec().source == {}


def test_the_fingerprint_sees_every_part():
    data = load("iris")
    X, y = data.X.copy(), data.y.copy()
    assert fingerprint(dataclasses.replace(data, X=X, y=y)) == fingerprint(data)
    X[3, 1] += 1e-3
    y[0] = 1
    names = ("w", *data.feature_names[1:])
    changes = ({"X": X}, {"y": y}, {"feature_names": names}, {"X": data.X[:, ::-1]})
    prints = {fingerprint(dataclasses.replace(data, **change)) for change in changes}
    assert len({fingerprint(data), *prints}) == 5


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks of memory are read from Linux's /proc")
@pytest.mark.skipif("covtype" not in FILES, reason="KERNLAB_DATA has no covtype.parquet (581012 × 54)")
def test_covtype_stays_small():
    # VmHWM and not getrusage: a process inherits the latter's peak from the one that started it.
    program = (
        "import re; from pathlib import Path; from kernlab.data import *\n"
        "def peak(): return int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 2**10\n"
        "import torch; before = peak()\n"
        "data = load('covtype'); made = prepare(data, DataSpec(dataset='covtype'), 0)\n"
        "assert made.X_train.shape == (464809, 54) and data.source_train_rows == 15120, data\n"
        "print(before, peak())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    before, peak = map(float, done.stdout.split())
    # The table is 126 MB: as Parquet's columns, as one array, split and scaled; never a fifth time.
    assert peak - before < 5 * 126
