"""The Compare page: what it shows, what a mistake leads to, and in a real browser what a person does with it."""

import csv
import io
import json
import re
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import rested, until, visit
from opening import address, button, errors, opened, words
from opening import press as pressed
from streamlit.testing.v1 import AppTest
from waiting import PATIENCE

from kernlab.compare.run import check
from kernlab.compare.written import assemble, command, settings_of
from kernlab.jobs import manager
from kernlab.ui import compare, compared, landmarks

QUICK = {"methods": "SK,RF,constant", "datasets": "iris", "repeats": "3", "n_features": "20", "epochs": "2"}


def page(**scene):
    return opened("compare", **scene)


def computed(scene):
    """The id of a comparison that is finished, made in this very process."""
    settings = {key: value for key, value in scene.items() if key not in ("methods", "datasets", "repeats")}
    methods, datasets = scene["methods"].split(","), scene["datasets"].split(",")
    comparison = assemble(methods, datasets, settings, repeats=int(scene["repeats"]))
    id = manager().comparisons.start(comparison, backend="here")
    assert manager().comparisons.wait(id, PATIENCE).status == "finished"
    return id


# -- a comparison as it is written -----------------------------------------------------------------------------


def test_an_address_and_a_command_say_the_whole_comparison():
    settings = {"n_features": "50", "ASKL.epochs": "3", "test_size": 0.3, "data.n_samples": 200}
    comparison = assemble(["SK", "ASKL"], ["moons", "xor"], settings, repeats=4, seed=7)
    assert settings_of(comparison) == {key: str(value) for key, value in settings.items()}
    again = assemble(["SK", "ASKL"], ["moons", "xor"], settings_of(comparison), repeats=4, seed=7)
    assert again.datasets == comparison.datasets
    assert check(again) == check(comparison)
    line = command(comparison)
    assert "--methods SK,ASKL --datasets moons,xor --repeats 4 --seed 7" in line
    assert "--set ASKL.epochs=3" in line
    scene = compare.address_of(comparison)
    assert scene["methods"] == "SK,ASKL"
    assert scene["ASKL.epochs"] == "3"


# -- without a browser -----------------------------------------------------------------------------------------


def test_an_empty_page_invites(home):
    app = page()
    assert errors(app) == []
    assert button(app, "Start").disabled
    assert button(app, "Try an example")
    assert "Choose data sets and methods" in app.info[0].value
    assert ["iris", "3 classes", "150", "4", "120", "30", "5"] in tables(app)  # the splits of the example
    app = page(methods="SK")
    assert "Choose data sets in" in app.info[0].value


def tables(app):
    """Rows of cells of all tables, without marks."""
    rows = [row for each in app.get("html") for row in re.findall(r"<tr.*?</tr>", each.proto.body)]
    return [[re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)] for row in rows]


def test_before_start_the_page_shows_the_splits_the_time_and_what_is_printed(home):
    app = page(datasets="iris,digits", test_size="0.3", repeats="4")
    assert errors(app) == []
    assert ["iris", "3 classes", "150", "4", "105", "45", "4"] in tables(app)
    assert "No paper prints figures for these data sets" in words(app, "caption")
    app = page(**QUICK)
    assert "SK, RF, constant on 3 splits of each data set: 9 cells" in words(app, "markdown")
    assert "rule of thumb" in words(app, "markdown")


def test_until_the_first_result_the_page_shows_what_is_computed(home):
    settings = {key: value for key, value in QUICK.items() if key not in ("methods", "datasets", "repeats")}
    stored = manager().comparisons.store.keep(assemble(["SK", "RF"], ["iris"], settings, repeats=3), "")
    app = page(id=stored.id)
    assert errors(app) == []
    assert ["iris", "3 classes", "150", "4", "120", "30", "3"] in tables(app)
    assert "SK, RF on 3 splits of each data set: 6 cells" in words(app, "markdown")
    manager().comparisons.start(stored.comparison, backend="here")
    assert manager().comparisons.wait(stored.id, PATIENCE).status == "finished"
    app = page(id=stored.id)
    assert "splits of each data set" not in words(app, "markdown")


def test_the_estimate_comes_from_earlier_cells(home):
    computed(QUICK)
    app = page(**{**QUICK, "repeats": "5", "methods": "SK,RF,ASKL"})
    assert "scales 6 earlier cells of these methods" in words(app, "markdown")
    assert "Nothing has been measured yet of ASKL." in words(app, "markdown")


def test_figures_that_papers_print_of_the_chosen_data_are_shown_before_start(home, monkeypatch):
    folder = home.parent
    table = pa.table({"a": np.arange(40.0), "b": np.arange(40.0) % 7, "target": np.arange(40) % 7})
    pq.write_table(table, folder / "segment.parquet")
    monkeypatch.setenv("KERNLAB_DATA", str(folder))
    app = page(datasets="segment")
    printed = [row for row in tables(app) if row[0] == "segment" and "accuracy" in row]
    assert len(printed) == 1
    assert "95.02 ± 1.54" in printed[0]
    assert "Table 2" in words(app, "caption")


def test_the_example_can_be_computed(home, monkeypatch):
    monkeypatch.setattr(compare, "EXAMPLE", QUICK)
    app = pressed(page(), "Try an example")
    assert errors(app) == []
    assert (address(app)["methods"], address(app)["n_features"]) == (QUICK["methods"], "20")
    assert manager().comparisons.wait(address(app)["id"], PATIENCE).status == "finished"


def test_the_address_fills_the_form_and_says_it_again(home):
    scene = {**QUICK, "seed": "5", "tune": "true", "trials": "3", "budget": "2", "test_size": "0.3",
             "SK.frobenius": "0.01"}  # fmt: skip
    app = page(**scene)
    assert errors(app) == []
    assert {key: address(app)[key] for key in scene} == scene
    assert not button(app, "Start").disabled


@pytest.mark.parametrize(
    ("scene", "sentence"),
    [
        ({"methods": "ASKLL"}, "Did you mean ASKL"),
        ({"datasets": "irs"}, "Did you mean iris"),
        ({"repeats": "many"}, "repeats must be"),
        ({"repeats": "0"}, "repeats must be"),
        ({"test_size": "2"}, "test_size must be"),
        ({"search": "luck", "tune": "true"}, "search"),
        ({"id": "nosuchone"}, "comparison must be one that kernlab knows"),
        ({"id": "../../etc"}, "comparison must be one that kernlab knows"),
        ({**QUICK, "n_featurs": "3"}, "Did you mean n_features"),
        ({**QUICK, "n_features": "many"}, "n_features must be"),
        ({**QUICK, "test": "luck"}, "test must be one that kernlab knows"),
        ({**QUICK, "level": "9"}, "level must be one that kernlab knows"),
        ({**QUICK, "show": "elsewhere"}, ""),
    ],
)
def test_an_odd_address_is_a_sentence_and_the_page_works(home, scene, sentence):
    app = page(**scene)
    assert sentence in " ".join(errors(app))
    assert bool(errors(app)) == bool(sentence)


def test_methods_that_do_not_fit_are_marked(home):
    app = page(**{**QUICK, "methods": "SK,KRR,eSVR-rbf"})
    assert errors(app) == []
    assert any("eSVR-rbf" in each.value and "regression" in each.value for each in app.warning)


def test_one_repeat_is_no_test(home):
    id = computed({**QUICK, "repeats": "1"})
    app = page(id=id)
    assert errors(app) == []
    seen = words(app, "caption")
    assert "at least two repeats" in seen
    assert "No test" in seen
    assert app.number_input(key="compare.repeats").value == 1  # the form is what is shown


def test_a_cell_that_fails_says_why(home):
    id = computed({**QUICK, "methods": "SK,eSVR-rbf"})
    app = page(id=id)
    assert errors(app) == []
    assert any("eSVR-rbf" in each.value and "regression" in each.value for each in app.markdown)
    assert button(app, "Retry failed")


def test_an_earlier_comparison_is_opened_and_forgotten(home):
    id = computed(QUICK)
    app = page()
    name = manager().comparisons.store.comparison(id).name
    app = pressed(app, name)
    assert errors(app) == []
    assert address(app)["id"] == id
    assert app.multiselect(key="compare.datasets").value == ["iris"]
    app = page()
    pressed(app, "Forget")
    assert manager().comparisons.store.comparisons() == []


def test_the_view_is_in_the_address(home):
    app = page(id=computed({**QUICK, "datasets": "iris,wine"}), show="wine", test="corrected", level="0.1")
    assert errors(app) == []
    assert address(app)["show"] == "wine"
    assert any("corrected resampled t-test against the best" in each.value for each in app.caption)
    assert "10 % level" in words(app, "caption")


def test_better_where_it_finished_is_underlined_and_stated():
    def shown():
        from kernlab.compare import Record
        from kernlab.compare.summary import summarise
        from kernlab.ui.compared import _table

        values = {"SK": [80.0, 81.0, 79.0, 80.5], "ASKL": [85.0, 86.1, 84.0, None], "RF": [70.0, 71.1, 69.0, 70.4]}
        records = [
            Record(f"{name}-{seed}", {"method": name, "seed": seed, "data": {"dataset": "iris"}},
                   "failed" if test is None else "done", metric="accuracy", test=test, constant=33.3, n_train=120,
                   n_test=30, seconds=1.0)
            for name, tests in values.items() for seed, test in enumerate(tests)
        ]  # fmt: skip
        summary = summarise(records)
        _table(summary.tables[0], summary)

    app = AppTest.from_function(shown, default_timeout=PATIENCE).run()
    assert not app.exception
    (table,) = [each.proto.body for each in app.get("html")]
    assert re.search(r"ASKL</td><td><u>85\.03", table)
    assert "3 (1 failed)" in table
    assert re.search(r"SK</td><td><b>80\.1", table)
    assert re.search(r"RF</td><td>70\.1", table)
    assert "ASKL is significantly better than SK on the 3 splits that both finished" in app.caption[-1].value


def test_figures_keep_the_digits_that_matter():
    rmse = SimpleNamespace(metric="rmse")
    assert compared._figure(0.0123456, 0.00045, rmse) == "0.01235 ± 0.00045"
    assert compared._figure(1234.5, 56.7, rmse) == "1234 ± 57"
    assert compared._figure(None, None, rmse) == "–"


# -- in a browser ----------------------------------------------------------------------------------------------


def press(page, name):
    page.locator(".st-key-compare-transport").get_by_role("button", name=name, exact=True).click()


def progress(page):
    return " ".join(page.locator(landmarks.PROGRESS).all_inner_texts())


def cells(page):
    """Finished cells, as the page says."""
    found = re.search(r"(\d+) of \d+ cells", progress(page))
    return int(found.group(1)) if found else 0


def bands(page):
    """Repeats in the overlay, by what its subtitle says."""
    return page.evaluate(
        "document.querySelector('.st-key-compare-bands .js-plotly-plot')?.layout?.title?.subtitle?.text ?? ''"
    )


@pytest.mark.browser
def test_no_click_is_lost_however_quickly_they_follow_one_another_and_back_takes_the_last_away(server, page):
    methods = ["SK", "NSK", "SKL", "NSKL", "ASKL", "RFDI", "Nys", "constant"]
    visit(page, server, "compare?datasets=iris&repeats=8")
    page.locator("[data-testid=stSidebar]").get_by_role("button", name="constant", exact=True).wait_for()
    pills = "[...document.querySelectorAll('[data-testid=stSidebar] button[data-variant=pills]')]"
    page.evaluate(f"""async methods => {{
      for (const [place, name] of methods.entries()) {{
        {pills}.find(each => each.innerText == name).click();
        await new Promise(done => setTimeout(done, 10 + 40 * (place % 4)));
      }}
    }}""", methods)  # fmt: skip
    chosen = f"{pills}.filter(each => each.ariaPressed == 'true').map(each => each.innerText)"
    page.wait_for_url(lambda url: all(f"{name}%2C" in url or f"%2C{name}" in url for name in methods))
    rested(page)
    assert page.evaluate(chosen) == methods
    pill = page.locator("[data-testid=stSidebar]").get_by_role("button", name="LKRF", exact=True)
    pill.click()
    page.wait_for_url(lambda url: "LKRF" in url)
    rested(page)
    page.go_back()
    until(page, lambda: page.evaluate(chosen) == methods)
    rested(page)
    assert "LKRF" not in page.url


@pytest.mark.browser
def test_three_methods_are_compared_stopped_resumed_and_exported(server, page):
    earlier = set(server.home.rglob("cells/*.json"))  # of other tests
    visit(page, server, "compare?datasets=iris&repeats=8&n_features=20&epochs=200")
    for name in ("SK", "ASKL", "constant"):
        page.locator("[data-testid=stSidebar]").get_by_role("button", name=name, exact=True).click()
        page.wait_for_url(lambda url, name=name: name in url)
    press(page, "Start")
    until(page, lambda: cells(page) >= 1)
    press(page, "Stop")
    until(page, lambda: "Stopped" in progress(page))
    stopped = cells(page)
    assert 1 <= stopped < 24
    kept = set(server.home.rglob("cells/*.json")) - earlier
    before, files = bands(page), {path: path.stat().st_mtime_ns for path in kept}
    assert len(files) == stopped

    address = page.url
    page.reload()
    until(page, lambda: "Stopped" in progress(page))
    assert page.url == address
    press(page, "Resume")
    until(page, lambda: "Finished" in progress(page))
    until(page, lambda: bands(page).startswith("8 repeats"))
    assert bands(page) != before
    assert {p: p.stat().st_mtime_ns for p in files} == files  # nothing was computed twice

    table = page.locator(".st-key-compare-table")
    assert table.locator("tr").count() == 4
    assert table.locator("b").count() >= 1

    def exported(label):
        with page.expect_download() as caught:
            page.get_by_role("button", name=label, exact=True).click()
        return caught.value.path().read_text("utf-8")

    page.get_by_role("button", name="Export").click()
    assert r"\textbf{" in exported("Table as LaTeX")
    long = list(csv.DictReader(io.StringIO(exported("A row a cell (CSV)"))))
    assert len(long) == 24
    wide = list(csv.DictReader(io.StringIO(exported("A row a method (CSV)"))))
    shown = {row.locator("td").first.inner_text(): row.inner_text() for row in table.locator("tr").all()[1:]}
    for row in wide:
        assert f"{float(row['mean']):.2f}" in shown[row["method"]]
    assert len(json.loads(exported("Everything as JSON"))["tables"]) == 1
    assert server.trouble() == []
