"""Tables written as CSV, ARFF, LIBSVM and Excel and read back give the same numbers, and so the same runs.

KERNLAB_ROUND_TRIPS=all KERNLAB_DATA=… python -m pytest tests/data/test_round_trips.py      all sets that are there

Workbooks of all sets take an hour, most of it for the images of mnist (55 million cells).
"""

from __future__ import annotations

import io
import os
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from kernlab import RunSpec, fit
from kernlab.data import Dataset, DataSpec, known, load, prepare
from kernlab.data.readers import Reading
from kernlab.data.tables import look, names, remove, with_targets
from kernlab.data.tables import prepare as keep

FOLDERS = os.environ.get("KERNLAB_DATA", "")
SMALL = ("iris", "wine", "diabetes", "mg", "balloon", "space_ga")
_EVERY = os.environ.get("KERNLAB_ROUND_TRIPS") == "all"
SETS = [each.name for each in known() if each.group != "generated" and (_EVERY or each.name in SMALL)]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))


def frame(data: Dataset) -> pd.DataFrame:
    y = data.y if data.task == "classification" else data.y[:, 0]
    return pd.DataFrame(data.X, columns=[f"{name}" for name in data.feature_names]).assign(target=y)


def csv(data: Dataset) -> bytes:
    return frame(data).to_csv(index=False).encode()


def arff(data: Dataset) -> bytes:
    table = frame(data)
    lines = ["@RELATION table", *(f"@ATTRIBUTE '{name}' REAL" for name in data.feature_names)]
    classes = "{" + ",".join(map(str, range(data.n_outputs))) + "}"
    lines += [f"@ATTRIBUTE target {classes if data.task == 'classification' else 'REAL'}", "@DATA", ""]
    return "\n".join(lines).encode() + table.to_csv(index=False, header=False).encode()


def libsvm(data: Dataset) -> bytes:
    buffer = io.BytesIO()
    dump_svmlight_file(data.X, data.y.reshape(-1), buffer, zero_based=False)
    return buffer.getvalue()


def excel(data: Dataset) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    table = frame(data)
    sheet.append(list(table.columns))
    for row in zip(*(table[name].to_numpy().tolist() for name in table), strict=True):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


WRITERS = {"csv": csv, "arff": arff, "svm": libsvm, "xlsx": excel}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("ending", WRITERS)
def test_what_was_written_is_read_back(name, ending, monkeypatch):
    monkeypatch.setenv("KERNLAB_DATA", FOLDERS)
    data = load(name)
    file = WRITERS[ending](data)
    # LIBSVM has no trace of columns that are 0 to the end in every row, the last pixels of digits for example.
    seen = look(file, f"t.{ending}", Reading(features=data.d if ending == "svm" else None))
    recipe = with_targets(seen, seen.recipe, ["target"])
    if recipe.task != data.task:  # whole numbers may be either
        recipe = replace(recipe, task=data.task)
    keep(file, recipe, "again", file_name=f"t.{ending}")
    again = load("again")
    assert names() == ["again"]
    exact = ending in ("csv", "arff") or data.task == "classification"
    np.testing.assert_array_equal(again.X, data.X)
    # scikit-learn and openpyxl write sixteen digits of a number, and some targets have seventeen.
    np.testing.assert_allclose(again.y, data.y, rtol=0 if exact else 1e-15)
    if ending != "svm":
        assert again.feature_names == data.feature_names
    assert trained(again) == (trained(data) if exact else pytest.approx(trained(data), rel=1e-9))
    remove("again")


def trained(data: Dataset) -> tuple[float, ...]:
    """The metrics of a short run on a table."""
    spec = RunSpec.of("ASKL", data.name, n_features=20, epochs=1, batch_size=64, validation=0, device="cpu")
    summary = fit(spec, data=prepare(data, DataSpec(dataset=data.name), 0)).summary
    return tuple(summary[name] for name in ("train_metric", "test_metric", "objective"))
