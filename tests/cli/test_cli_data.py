"""``kernlab data``: import, list, check, remove; what is imported is trained on by its name."""

from __future__ import annotations

import pytest
from faulty_server import Served, faulty_server

ROWS = "town;area;sold;garden;price\n" + "\n".join(
    f"{('Ely', 'Bath')[k % 2]};{40 + k % 31},5;{1 + k % 28}.03.2024;{('yes', 'no')[k % 3 == 0]};{100 + 3 * (k % 31)},25"
    for k in range(200)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "houses.csv"
    path.write_text(ROWS)
    return path


def test_an_import_is_listed_checked_trained_on_and_removed(kernlab, file):
    made = kernlab("data", "import", file, "--missing", "indicator", "--json")
    assert made.code == 0, made.err
    assert (made.json["name"], made.json["rows"], made.json["features"], made.json["task"]) == (
        "houses", 200, 5, "regression")  # fmt: skip
    (row,) = kernlab("data", "list", "--json").json
    assert (row["name"], row["file"], row["recipe"]["reading"]["decimal"]) == ("houses", "houses.csv", ",")
    assert "houses" in kernlab("datasets").out
    trained = kernlab("train", "--dataset", "houses", "--epochs", 1, "--set", "n_features=10", "--json")
    assert trained.json["metric"] == "rmse"
    checked = kernlab("data", "check", "houses", "--json").json
    assert {each["kind"] for each in checked["findings"]} >= {"telltale"}  # the price follows from the area
    assert kernlab("data", "remove", "houses", "--json").json == {"removed": "houses"}
    assert kernlab("data", "list", "--json").json == []


def test_a_recipe_is_taken_up_again(kernlab, file, tmp_path):
    import json

    options = ("--target", "town", "--kind", "sold=drop", "--categories", "ordinal", "--missing-of", "area=drop")
    first = kernlab("data", "import", file, *options, "--json").json
    assert first["task"] == "classification"
    (tmp_path / "recipe.json").write_text(json.dumps(first["recipe"]))
    again = kernlab("data", "import", file, "--recipe", tmp_path / "recipe.json", "--name", "again", "--json").json
    assert again["recipe"] == first["recipe"]
    assert again["features"] == first["features"] == 3


def test_a_dry_run_prints_what_was_understood_and_keeps_nothing(kernlab, file):
    seen = kernlab("data", "import", file, "--dry-run", "--json").json
    assert {each["name"]: each["kind"] for each in seen["columns"]} == {
        "town": "category", "area": "number", "sold": "date", "garden": "boolean", "price": "number"}  # fmt: skip
    shown = kernlab("data", "import", file, "--dry-run")
    assert 'delimiter ";"' in shown.err
    assert shown.out == ""
    assert kernlab("data", "list").out.startswith("No data sets.")
    checked = kernlab("data", "check", file)
    assert "telltale: area alone gives the target away." in checked.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("import", "nowhere.csv"), "the file must exist"),
        (("import", "FILE", "--target", "prise"), "Did you mean price"),
        (("import", "FILE", "--kind", "town=number"), "row 1, column 'town': 'Ely' is not a finite number"),
        (("import", "FILE", "--kind", "town=word"), "the kind of a column"),
        (("import", "FILE", "--name", "../away"), "must begin with a letter"),
        (("import", "FILE", "--name", "iris"), "'iris', which is taken"),
        (("import", "FILE", "--delimiter", "ab"), "one ASCII character"),
        (("import", "FILE", "--task", "classification"), "classes"),
        (("remove", "houses"), "prepared data set must be one that kernlab knows"),
        (("check", "houses"), "data set or file"),
    ],
)
def test_a_mistake_is_one_sentence_and_keeps_nothing(kernlab, file, home, arguments, words):
    lines = [f"t;{k};{k * k % 97},{k};x;{k}.5" for k in range(1300)]
    file.write_text(ROWS + "\n" * ("--task" in arguments) + "\n".join(lines) * ("--task" in arguments))
    answer = kernlab("data", *(str(file) if each == "FILE" else each for each in arguments))
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err
    assert not list((home / "data").glob("*")) if (home / "data").exists() else True


def test_a_table_of_openml_is_downloaded_listed_and_kept_once(kernlab, monkeypatch):
    import json

    arff = b"@relation r\n@attribute a real\n@attribute class {x,y}\n@data\n" + b"1.5,x\n2,y\n" * 20
    with faulty_server(**{"t.arff": Served(arff, breaks=[30])}) as server:
        monkeypatch.setenv("KERNLAB_OPENML", server.at(""))
        found = {"id": 7, "name": "small", "url": server.at("t.arff"), "default_target_attribute": "class"}
        server.pages["/api/v1/json/data/7"] = Served(json.dumps({"data_set_description": found}).encode())
        made = kernlab("data", "get", "openml:7", "--json")
        assert (made.json["name"], made.json["rows"], made.json["task"]) == ("small", 40, "classification")
        assert "downloading: 100 %" in made.err
        again = kernlab("data", "get", "openml:7")
        assert (again.code, "'small', which is taken" in again.err) == (2, True)
        assert kernlab("data", "get", "openml:7", "--replace").code == 0
        assert "Did you mean letter" in kernlab("data", "get", "leter").err
