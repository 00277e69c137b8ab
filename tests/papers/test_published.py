"""The papers' printed tables: whole, by our names, with a constant predictor that is what the data say."""

from importlib import resources

import numpy as np
import pytest

from kernlab.compare.summary import OFF_SCALE
from kernlab.data import known, load
from kernlab.data.registered import registered
from kernlab.methods import METHODS
from kernlab.papers.tables import TABLES, printed

EVERY = [figure for table in TABLES for figure in printed(table)]
AT_HAND = {each.name for each in known() if each.available}


@pytest.mark.parametrize(
    ("table", "datasets", "methods", "metrics"),
    [
        ("askl-table2", 12, 5, {"accuracy", "rmse"}),
        ("fks-table2", 11, 6, {"mse"}),
        ("fks-table3", 11, 6, {"train_seconds"}),
    ],
)
def test_a_table_has_every_cell_once(table, datasets, methods, metrics):
    figures = printed(table)
    cells = {(figure.dataset, figure.method) for figure in figures}
    assert len(cells) == len(figures) == datasets * methods
    assert len({dataset for dataset, _ in cells}) == datasets
    assert {figure.metric for figure in figures} == metrics
    assert {figure.table for figure in figures} == {table}


def test_every_name_is_one_that_kernlab_knows():
    assert {figure.method for figure in EVERY} <= set(METHODS)
    assert {figure.dataset for figure in EVERY} <= set(registered())


@pytest.mark.parametrize(
    ("table", "dataset", "method", "mean", "std"),
    [
        ("askl-table2", "usps", "ASKL", 97.76, 1.14),
        ("askl-table2", "poker", "SK", 49.80, 2.11),
        ("askl-table2", "cpusmall", "NSKL", 2.57, 0.63),
        ("fks-table2", "mg", "FKS-Fourier", 0.0068, 0.0024),
        ("fks-table2", "abalone", "nuSVR-poly", 0.0035, 1.29e-5),
        ("fks-table2", "cadata", "eSVR-rbf", 0.0252, 0.0013),
        ("fks-table3", "space_ga", "nuSVR-poly", 0.3266, None),
        ("fks-table3", "bank32nh", "MKL", 30.6685, None),
    ],
)
def test_cells_as_they_are_printed(table, dataset, method, mean, std):
    (found,) = [each for each in printed(table) if (each.dataset, each.method) == (dataset, method)]
    assert (found.mean, found.std) == (mean, std)


def test_what_cannot_be_on_the_stated_scale_is_marked():
    marks = {}
    for figure in EVERY:
        marks.setdefault((figure.table, figure.dataset), set()).add(figure.mark)
    whole = {key for key, found in marks.items() if found == {OFF_SCALE}}
    assert whole == {
        ("askl-table2", "space_ga"), ("askl-table2", "cadata"), ("fks-table2", "space_ga"), ("fks-table2", "kin8nm")
    }  # fmt: skip
    assert {key[1] for key, found in marks.items() if len(found) == 2} == {"bank32nh", "puma32H", "icb"}
    assert not any(figure.mark for figure in EVERY if figure.metric in ("accuracy", "train_seconds"))


def test_every_regression_error_has_its_constant():
    assert all((figure.constant is not None) == (figure.metric in ("rmse", "mse")) for figure in EVERY)
    rmse = {figure.dataset: figure.constant for figure in EVERY if figure.metric == "rmse"}
    for figure in EVERY:
        if figure.metric == "mse" and figure.dataset in rmse:
            assert figure.constant == pytest.approx((rmse[figure.dataset] / 100) ** 2)


@pytest.mark.parametrize("name", sorted({figure.dataset for figure in EVERY if figure.metric in ("rmse", "mse")}))
def test_the_constants_are_what_the_data_say(name):
    if name not in AT_HAND:
        pytest.skip("the data set is not in a folder of KERNLAB_DATA")
    y = np.asarray(load(name).y, float).ravel()
    figure = next(each for each in EVERY if each.dataset == name and each.metric in ("rmse", "mse"))
    rmse = 100 * y.std() / np.ptp(y)
    assert figure.constant == pytest.approx(rmse if figure.metric == "rmse" else (rmse / 100) ** 2, rel=1e-4)


def test_citations_name_the_paper_and_the_table():
    for name, about in TABLES.items():
        assert f"Table {name[-1]}" in about.citation
        assert about.printed
        assert about.protocol
        assert resources.files("kernlab.papers").joinpath(f"{name}.csv").is_file()
