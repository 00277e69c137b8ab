"""Tables that people bring: looked at, prepared, kept under a name, and trained on raw rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernlab import RunSpec, fit
from kernlab.data import known, load
from kernlab.data.tables import about, look, names, prepare, remove, trial
from kernlab.errors import DataError
from kernlab.model import Model

N = 240


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    return tmp_path / "home"


def houses(n: int = N) -> pd.DataFrame:
    """A table as people have them: numbers with gaps, words, dates, yes and no, an identifier."""
    random = np.random.default_rng(0)
    area = random.uniform(40, 200, n).round(1)
    town = random.choice(["Ely", "Bath", "York"], n)
    frame = pd.DataFrame(
        {
            "id": [f"house-{k}" for k in range(n)],
            "area": area,
            "town": town,
            "sold": pd.Timestamp("2024-01-31") + pd.to_timedelta(random.integers(0, 300, n), unit="D"),
            "garden": random.choice(["yes", "no"], n),
            "price": (area * 3 + 50 * (town == "Bath") + random.normal(0, 5, n)).round(2),
        }
    )
    frame.loc[random.choice(n, 20, replace=False), "area"] = np.nan
    frame.loc[random.choice(n, 10, replace=False), "town"] = None
    return frame


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "houses.csv"
    houses().to_csv(path, index=False, date_format="%Y-%m-%d")
    return path


def test_a_csv_file_is_understood(csv):
    seen = look(csv)
    assert (seen.reading.delimiter, seen.reading.header, seen.reading.encoding) == (",", True, "utf-8")
    kinds = {each.name: each.kind for each in seen.columns}
    assert kinds == {"id": "text", "area": "number", "town": "category", "sold": "date", "garden": "boolean",
                     "price": "number"}  # fmt: skip
    assert (seen.recipe.targets, seen.recipe.task, seen.recipe.inputs) == (
        ("price",), "regression", ("area", "town", "sold", "garden"))  # fmt: skip
    assert {each.name: each.missing for each in seen.columns}["area"] == 20
    assert seen.columns[2].distinct == 3


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_what_was_prepared_is_loaded_by_its_name(csv, tmp_path, format):
    path = csv if format == "csv" else tmp_path / "houses.parquet"
    if format == "parquet":
        houses().to_parquet(path)
    seen = look(path)
    stored = prepare(path, seen.recipe, "houses")
    data, frame = load("houses"), houses()
    assert names() == ["houses"]
    assert [(each.name, each.rows, each.features) for each in known() if each.name == "houses"] == [("houses", N, 6)]
    assert data.feature_names == ("area", "sold", "garden", "town=Bath", "town=Ely", "town=York")
    area = frame.area.fillna(frame.area.mean())
    np.testing.assert_allclose(data.X[:, 0], area, rtol=1e-6)
    days = (frame.sold - pd.Timestamp("1970-01-01")).dt.days
    np.testing.assert_array_equal(data.X[:, 1], days)
    np.testing.assert_array_equal(data.X[:, 2], frame.garden == "yes")
    town = frame.town.fillna(frame.town.mode()[0])
    np.testing.assert_array_equal(data.X[:, 3:], pd.get_dummies(town).astype(float))
    np.testing.assert_array_equal(data.y[:, 0], frame.price)
    assert (stored.rows, stored.features) == (N, 6)
    assert about("houses").made["recipe"] == seen.recipe.to_dict()
    remove("houses")
    assert names() == []


def test_a_trained_model_predicts_from_raw_rows(csv, tmp_path):
    prepare(csv, look(csv).recipe, "houses")
    model = fit(RunSpec.of("ASKL", "houses", epochs=2, n_features=20)).model
    model.save(tmp_path / "model.safetensors")
    again = Model.load(tmp_path / "model.safetensors")
    raw = pd.read_csv(csv)
    expected = model.predict(load("houses").X.astype(float))
    for rows in (raw, raw.to_dict("records"), raw[["area", "town", "sold", "garden"]].to_numpy(object)):
        np.testing.assert_allclose(again.predict(rows), expected, rtol=1e-5)
    with pytest.raises(DataError, match="row 3, column 'area': 'large' is not a finite number"):
        again.predict(raw.astype({"area": object}).assign(area=[1.0, 2.0, "large", *[1.0] * (N - 3)]))


def test_a_cell_of_another_kind_is_refused_with_row_and_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "1,2,x\n3,4,y\n" * 20_000 + "5,oops,x\n")
    seen = look(path)
    with pytest.raises(DataError, match="row 40,001, column 'b': 'oops' is not a finite number"):
        prepare(path, seen.recipe, "t")
    assert names() == []


def test_a_cancelled_import_keeps_nothing(csv, home):
    recipe = look(csv).recipe
    assert prepare(csv, recipe, "houses", cancelled=lambda: True) is None
    seen = []
    assert prepare(csv, recipe, "houses", progress=seen.append, cancelled=lambda: bool(seen)) is None
    assert names() == []
    assert not list(home.glob("**/*.part"))


def test_a_trial_makes_what_the_import_makes(csv):
    seen = look(csv)
    recipe = replace(seen.recipe, missing="indicator", categories="ordinal")
    prepare(csv, recipe, "houses")
    tried, stored = trial(seen, recipe), load("houses")
    np.testing.assert_array_equal(tried.X, stored.X)
    assert tried.feature_names == stored.feature_names == ("area", "sold", "garden", "area missing", "town")


@pytest.mark.parametrize(
    ("kind", "good", "bad", "wanted"),
    [("date", "2024-02-28", "2024-02-31", "a date"), ("boolean", "yes", "perhaps", "true or false"),
     ("number", "1.5", "inf", "a finite number")],
)  # fmt: skip
def test_the_row_of_a_wrong_cell_is_its_first_one(kind, good, bad, wanted):
    content = (
        f"a,b,target\n{''.join(f'{k},{good},x{k % 2}' + chr(10) for k in range(50))}1,{bad},x\n2,{bad},y\n".encode()
    )
    recipe = look(content, "t.csv").with_kinds({"b": kind})
    with pytest.raises(DataError, match=f"row 51, column 'b': '{bad}' is not {wanted}"):
        prepare(content, recipe, "t", file_name="t.csv")


def test_numbers_written_otherwise_far_down_are_read_with_the_rows_before_them(tmp_path, monkeypatch):
    from kernlab.data.readers import delimited

    monkeypatch.setattr(delimited, "_BLOCK", 2**16)
    path = tmp_path / "t.csv"
    path.write_text("a;target\n" + "".join(f"{k};{k % 7}.5\n" for k in range(60_000)) + '"1,234.5";2.5\n')
    stored = prepare(path, replace(look(path).recipe, kinds={"a": "number", "target": "number"}), "t")
    assert stored.rows == 60_001
    np.testing.assert_array_equal(load("t").X[:, 0], [*range(60_000), 1234.5])


def test_classes_that_are_large_numbers_stay_apart():
    content = "a,code\n" + "".join(f"{k},{(1234567, 1234568, 20000001)[k % 3]}\n" for k in range(60))
    recipe = replace(look(content.encode(), "t.csv").recipe, targets=("code",), task="classification")
    prepare(content.encode(), recipe, "t", file_name="t.csv")
    data = load("t")
    assert data.target_names == ("1234567", "1234568", "20000001")
    np.testing.assert_array_equal(data.y, np.arange(60) % 3)


def test_classes_and_categories_that_are_numbers_are_ordered_by_size():
    levels = "{" + ",".join(map(str, range(12))) + "}"
    head = f"@relation r\n@attribute a {levels}\n@attribute class {levels}\n@data\n"
    content = (head + "".join(f"{k % 12},{(k + 3) % 12}\n" for k in range(48))).encode()
    recipe = replace(look(content, "t.arff").recipe, categories="ordinal")
    prepare(content, recipe, "t", file_name="t.arff")
    data = load("t")
    np.testing.assert_array_equal(data.X[:, 0], np.arange(48) % 12)
    np.testing.assert_array_equal(data.y, (np.arange(48) + 3) % 12)
