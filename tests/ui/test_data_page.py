"""The Data page without a browser: what it says of a data set, and what it hands on."""

import threading

import numpy as np
import pytest
from opening import address, button, components, errors, figures, press, sound, words
from opening import opened as page
from tables import flats, patients, sensors
from waiting import PATIENCE

from kernlab import RunSpec, fit
from kernlab.data import DataSpec, load, origins, prepare, tables
from kernlab.data.download import Arrived
from kernlab.data.table import make_dataset
from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.ui import bring, data, draw


@pytest.fixture(autouse=True)
def own(request):
    request.getfixturevalue("home")


def shown_tables(app):
    return {each.proto.body for each in app.get("html") if "<table" in each.proto.body}


@pytest.mark.parametrize("name", ["wine", "digits", "diabetes", "moons", "chirp", "lissajous"])
def test_every_kind_of_data_set_is_looked_at(name):
    app = sound(page("data", dataset=name))
    shown = figures(app)
    assert shown.keys() == {"balance", "plane", "distances"}
    assert all(figure["data"] for figure in shown.values())
    (columns,) = (table for table in shown_tables(app) if "Explains" in table)
    assert columns.count("<tr>") + columns.count("<tr class=quiet>") == 1 + min(40, load(name).d)
    heads = ("Column", "Distribution", "Explains", "Type", "Missing", "Distinct", "Least", "Greatest")
    assert all(f">{head}</th>" in columns for head in heads)
    assert {"Distance", "Mean similarity"} == {  # the nearest pairs and the strangest rows, several of each
        head for head in ("Distance", "Mean similarity") for table in shown_tables(app)
        if f">{head}</th>" in table and table.count("<tr>") > 3
    }  # fmt: skip
    assert address(app)["dataset"] == name


def test_generators_follow_their_options_and_the_address_keeps_them():
    app = sound(page("data", dataset="moons", noise="0.5", n_samples="60", colour="split", seed="3"))
    assert "60 rows" in words(app, "caption")
    app.select_slider(key="data.s.n_samples").set_value(100).run()
    assert "100 rows" in words(app, "caption")
    assert {"noise": "0.5", "n_samples": "100", "colour": "split", "seed": "3"}.items() <= address(app).items()
    names = [trace["name"] for trace in figures(app)["plane"]["data"]]
    assert names[:2] == ["training rows", "test rows"]


def test_two_columns_are_chosen_by_hand():
    app = sound(page("data", dataset="wine", x="alcohol", y="hue"))
    axes = figures(app)["plane"]["layout"]
    assert [axes[name]["title"]["text"] for name in ("xaxis", "yaxis")] == ["alcohol", "hue"]


def test_both_links_carry_the_data_set_and_its_options():
    app = page("data", dataset="moons", noise="0.5", test_size="0.4")
    found = {each.proto.page: each.proto.query_string for each in app.get("page_link")}
    assert found
    text = " ".join(found.values())
    assert "dataset=moons" in text
    assert "noise=0.5" in text
    assert "data.noise=0.5" in text
    assert text.count("test_size=0.4") == 2


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [({"dataset": "mons"}, "Did you mean moons"), ({"part": "nowhere"}, "part must be"), ({"noise": "x"}, "noise")],
)
def test_an_odd_address_is_a_sentence_and_the_page_works(scene, sentence):
    app = page("data", **{"dataset": "moons", **scene})
    assert sentence in " ".join(errors(app))
    assert figures(app)


def test_twenty_thousand_rows_are_looked_at():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 50)).astype(np.float32)
    prepared = prepare(make_dataset("large", X, (X[:, 3] > 0).astype(int), "classification"), DataSpec(), 0)
    found = data.found(prepared)
    assert max(found.columns, key=lambda each: each.relation).name == "x4"
    assert found.measured == 20_000


# -- a table of one's own --------------------------------------------------------------------------------------


def dropped(table, **scene):
    app = sound(page("data", part="bring", **scene))
    name, content = table
    app.file_uploader[0].set_value((name, content, "text/csv"))
    return app.run()


def waited(app):
    """The page after the import on it has ended."""
    manager().imports.wait(address(app)["import"], PATIENCE)
    return app.run()


def test_a_dropped_table_is_understood_shown_and_imported():
    app = sound(dropped(patients(200)))
    assert app.selectbox(key="bring.target").value == "returned"
    assert app.selectbox(key="bring.task").value == "classification"
    assert app.selectbox(key="bring.k.patient_id").value == "text"
    seen = words(app, "caption", "markdown", "warning")
    assert "not used" in seen
    assert "left out" not in seen  # of a row that is predicted without being among the training rows: the glossary
    assert app.selectbox(key="bring.k.admitted").value == "date"
    assert figures(app).keys() == {"balance", "plane", "distances"}
    assert "200 rows" in words(app, "markdown")
    app = sound(waited(press(app, "Import")))
    assert "is kept: 200 rows" in app.success[0].value
    assert load("patients").n == 200
    found = " ".join(each.proto.query_string for each in app.get("page_link"))
    assert "dataset=patients" in found
    assert "datasets=patients" in found
    app = sound(press(app, "Look at it"))
    assert (address(app)["dataset"], "part" in address(app)) == ("patients", False)
    assert figures(app).keys() == {"balance", "plane", "distances"}


def test_what_is_chosen_is_what_is_imported():
    app = dropped(flats(150))
    app.selectbox(key="bring.target").set_value("Bezirk").run()
    assert app.selectbox(key="bring.task").value == "classification"
    app.selectbox(key="bring.k.Zimmer").set_value("category").run()
    app.selectbox(key="bring.missing").set_value("indicator").run()
    app.selectbox(key="bring.categories").set_value("ordinal").run()
    app.text_input(key="bring.called").set_value("districts").run()
    sound(waited(press(sound(app), "Import")))
    dataset = load("districts")
    assert dataset.target_names == ("Mitte", "Nord", "Ost", "Süd")
    made = tables.about("districts").made["recipe"]
    assert (made["kinds"]["Zimmer"], made["missing"], made["categories"]) == ("category", "indicator", "ordinal")


def test_an_import_under_way_is_cancelled_on_the_page(monkeypatch):
    go_on, whole = threading.Event(), tables.prepare

    def slow(*args, **rest):
        assert go_on.wait(PATIENCE)
        return whole(*args, **rest)

    monkeypatch.setattr(tables, "prepare", slow)
    app = sound(press(sound(press(dropped(patients(60)), "Import")), "Cancel"))
    go_on.set()
    app = sound(waited(app))
    assert manager().imports.snapshot(address(app)["import"]).status == "stopped"
    assert not app.success
    assert tables.names() == []


def test_an_empty_page_offers_a_table_to_try():
    app = sound(press(page("data", part="bring"), "Try it with an example: houses.csv"))
    kinds = {name: app.selectbox(key=f"bring.k.{name}").value for name in ("id", "area", "town", "sold", "garden")}
    assert kinds == {"id": "text", "area": "number", "town": "category", "sold": "date", "garden": "boolean"}
    assert app.selectbox(key="bring.target").value == "price"
    sound(waited(press(app, "Import")))
    assert load("houses").n == 400
    name, content = patients(60)
    app.file_uploader[0].set_value((name, content, "text/csv"))
    assert sound(app.run()).selectbox(key="bring.target").value == "returned"


def test_one_column_is_an_exception():
    app = sound(dropped(patients(150)))
    keys = {each.key for each in app.selectbox}
    assert {"bring.c.ward", "bring.m.ward", "bring.m.blood pressure"} < keys
    assert not {"bring.c.age", "bring.m.age", "bring.m.returned", "bring.c.returned"} & keys  # without gap or words
    ward = app.selectbox(key="bring.m.ward")
    assert (ward.value, ward.options[0]) == ("", "as above: fill in the most frequent value")  # None would show nothing
    assert all(each.value is not None for each in app.selectbox if each.key != "bring.download")
    app.selectbox(key="bring.m.ward").set_value("indicator").run()
    app.selectbox(key="bring.c.ward").set_value("ordinal").run()
    app.selectbox(key="bring.m.blood pressure").set_value("drop").run()
    gaps = patients(150)[1].count(b",,")
    sound(waited(press(sound(app), "Import")))
    dataset = load("patients")
    assert dataset.n == 150 - gaps
    assert dataset.feature_names[-1] == "ward"  # one column of numbers
    assert len(np.unique(dataset.X[:, -1])) == 4  # three wards, and missing as a category of its own
    made = tables.about("patients").made["recipe"]
    assert made["missing_of"] == {"ward": "indicator", "blood pressure": "drop"}
    assert made["categories_of"] == {"ward": "ordinal"}


def test_several_quantities_are_predicted_together():
    app = dropped(flats(150))
    app.multiselect(key="bring.further").set_value(["Fläche"]).run()
    sound(waited(press(sound(app), "Import")))
    dataset = load("wohnungen")
    assert (dataset.task, dataset.target_names) == ("regression", ("Miete", "Fläche"))
    assert "Fläche" not in dataset.feature_names
    spec = RunSpec.of("ASKL", "wohnungen", n_features=20, epochs=1)
    assert fit(spec).model.predict(dataset.X.astype(float)).shape == (dataset.n, 2)
    assert "2 targets" in words(sound(page("data", dataset="wohnungen")), "caption")
    app.selectbox(key="bring.task").set_value("classification").run()
    assert not app.multiselect  # classes are one target


def test_of_libsvm_the_number_of_features_can_be_given():
    lines = [f"{i % 2} 1:{i}.5 3:{i % 7}" for i in range(60)]  # no row has a value of the fourth, or of the fifth
    app = sound(dropped(("points.svm", "\n".join(lines).encode())))
    assert app.number_input(key="bring.r.features").value is None  # as found: 3
    app.number_input(key="bring.r.features").set_value(5).run()
    sound(waited(press(sound(app), "Import")))
    dataset = load("points")
    assert dataset.d == 5
    assert not dataset.X[:, 3:].any()


def test_warnings_that_matter_are_shown_before_the_import():
    app = sound(dropped(sensors(300)))
    seen = " ".join(each.value for each in app.warning)
    assert "constant" in seen
    assert "x8 (x3)" in seen  # a column and its copy


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "empty"), (b"\x00\x01\x02" * 400, ""), (b"a,b\n1,2\n", "row")],
    ids=["empty", "binary", "one row"],
)
def test_a_file_that_is_no_table_is_a_sentence(content, sentence):
    app = dropped(("odd.csv", content))
    assert errors(app)
    assert sentence in " ".join(errors(app))


def test_another_file_forgets_what_was_chosen_for_the_first():
    app = dropped(patients(60))
    app.selectbox(key="bring.target").set_value("smoker").run()
    name, content = flats(60)
    app.file_uploader[0].set_value((name, content, "text/csv"))
    app = sound(app.run())
    assert app.selectbox(key="bring.target").value == "Miete"
    assert app.text_input(key="bring.called").value == "wohnungen"


def test_a_taken_name_is_refused_beside_it():
    app = dropped(patients(60))
    app.text_input(key="bring.called").set_value("iris").run()
    assert "which is taken" in " ".join(errors(app))
    assert button(app, "Import").disabled


def test_a_path_is_read_where_it_is(tmp_path):
    name, content = patients(80)
    (tmp_path / name).write_bytes(content)
    app = sound(page("data", part="bring"))
    app.text_input(key="bring.path").set_value(str(tmp_path / name)).run()
    sound(waited(press(sound(app), "Import")))
    assert load("patients").n == 80
    app.text_input(key="bring.path").set_value(str(tmp_path / "nothing.csv")).run()
    assert "the file must exist" in " ".join(errors(app)).lower()


def test_a_server_that_others_reach_reads_no_paths(monkeypatch):
    monkeypatch.setattr(bring, "_LOCAL", ())
    app = sound(page("data", part="bring"))
    assert not [each for each in app.text_input if each.key == "bring.path"]


def test_a_data_set_is_fetched_by_its_name(monkeypatch):
    asked = []

    def get(name, *, progress, cancelled):
        asked.append(name)
        progress(Arrived(500_000, 1_000_000, 2.0))
        recipe = tables.look(patients(60)[1], "p.csv").recipe
        return tables.prepare(patients(60)[1], recipe, "fetched", file_name="p.csv")

    monkeypatch.setattr(origins, "get", get)
    app = sound(page("data", part="bring"))
    app.selectbox(key="bring.download").set_value("covtype").run()
    app = sound(waited(press(app, "Get")))
    assert "**fetched** is kept" in app.success[0].value
    assert asked == ["covtype"]
    assert bring.origin(" 61") == "openml:61"


# -- painted points --------------------------------------------------------------------------------------------

CLASSES = [(x / 10, (-1) ** k / 3, k % 2) for x in range(-8, 9) for k in range(2)]


def test_painted_points_are_a_data_set_and_may_be_painted_on():
    sound(page("data", part="draw"))
    draw.keep("classes", CLASSES, "two lines")
    dataset = load("two lines")
    assert (dataset.n, dataset.d, dataset.target_names) == (34, 2, ("class 1", "class 2"))
    assert dataset.X[:, 0] == pytest.approx([x for x, _, _ in CLASSES])
    draw.keep("classes", CLASSES[:24], "two lines")  # painted data sets replace one another
    assert load("two lines").n == 24
    app = sound(page("data", part="draw", drawing="two lines"))
    (given,) = components(app, "draw").values()
    assert given["points"] == [pytest.approx(point) for point in CLASSES[:24]]


def test_a_painted_curve_is_a_regression():
    draw.keep("curve", [(k / 20, k * k / 400, 0) for k in range(-20, 21)], "parabola")
    dataset = load("parabola")
    assert (dataset.task, dataset.d, dataset.target_names) == ("regression", 1, ("y",))
    (given,) = components(page("data", part="draw", drawing="parabola"), "draw").values()
    assert given["kind"] == "curve"
    assert len(given["points"]) == 41


@pytest.mark.parametrize(
    ("points", "name", "sentence"),
    [(CLASSES[:5], "few", "at least 20 points"), (CLASSES[::2] * 2, "one", "at least two"), (CLASSES, "iris", "taken")],
)
def test_what_cannot_be_kept_is_a_sentence(points, name, sentence):
    with pytest.raises(KernlabError, match=sentence):
        draw.keep("classes", points, name)


def test_an_imported_table_is_not_painted_on():
    recipe = tables.look(patients(60)[1], "p.csv").recipe
    tables.prepare(patients(60)[1], recipe, "patients", file_name="p.csv")
    app = page("data", part="draw", drawing="patients")
    assert "only a data set that was painted here" in " ".join(errors(app)).lower()
    with pytest.raises(KernlabError, match="taken"):
        draw.keep("classes", CLASSES, "patients")
