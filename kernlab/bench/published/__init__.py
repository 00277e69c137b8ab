"""Tables that the papers printed, beside this file as they printed them: one figure a line.

    askl-table2   accuracy in percent, or RMSE with targets in [0,100]; mean ± std over 30 random 80/20 splits
    fks-table2    MSE with targets in [0,1]; mean ± std over 30 random 50/50 splits
    fks-table3    training seconds on the authors' machine

constants.csv holds what predicting the mean gives on each regression set (100 · standard deviation / range of the
targets), so that printed errors which are worse than that are told from the others.
"""

from __future__ import annotations

import csv
import functools
from importlib import resources
from typing import NamedTuple

from kernlab.compare.summary import Published
from kernlab.errors import UnknownNameError

__all__ = ["TABLES", "Printed", "printed"]


class Printed(NamedTuple):
    """A printed table.

    Attributes:
        title: what it shows.
        citation: where it stands.
        protocol: how it was measured, in a sentence.
        methods, datasets: its names where ours differ, theirs to ours.
    """

    title: str
    citation: str
    protocol: str
    methods: dict[str, str]
    datasets: dict[str, str]


_ASKL = "J. Li, Y. Liu and W. Wang, Automated Spectral Kernel Learning, AAAI 2020"
_FKS = (
    "Y. Liu and S. Liao, Frame kernel selection based on the explicit description of the integral operator space "
    "(in Chinese), Scientia Sinica Informationis 46 (2016) 165–178, doi 10.1360/N112015-00095"
)
_HALVES = "30 random 50/50 splits, inputs in [-1,1], targets in [0,1], settings by 5-fold cross-validation"

#: By the names that ``kernlab reproduce`` takes; each has a file of that name.
TABLES: dict[str, Printed] = {
    "askl-table2": Printed(
        "Accuracy (%) and RMSE",
        f"{_ASKL}, Table 2",
        "30 random 80/20 splits, 2000 features, batches of 32, regression targets in [0,100], "
        "settings by 5-fold cross-validation",
        {},
        {"USPS": "usps", "porker": "poker", "MNIST": "mnist", "space ga": "space_ga"},
    ),
    "fks-table2": Printed(
        "Mean squared test error",
        f"{_FKS}, Table 2",
        _HALVES,
        {
            "FKS (Ours)": "FKS-Fourier",
            "ϵ-SVR + Ploy": "eSVR-poly",
            "ϵ-SVR + Gauss": "eSVR-rbf",
            "ν-SVR + Ploy": "nuSVR-poly",
            "ν-SVR + Gauss": "nuSVR-rbf",
            "SMO-MKL": "MKL",
        },
        {
            "Mg": "mg",
            "Balloon": "balloon",
            "Space-ga": "space_ga",
            "Abalone": "abalone",
            "Kinematics": "kin8nm",
            "Bank": "bank32nh",
            "Puma32H": "puma32H",
            "ICB": "icb",
            "Ailerons": "ailerons",
            "Elevators": "elevators",
            "Cal-housing": "cadata",
        },
    ),
}
TABLES["fks-table3"] = Printed(
    "Training time (s)",
    f"{_FKS}, Table 3",
    f"{_HALVES}; on a 2.2 GHz AMD Opteron",
    {
        "FKS FFK": "FKS-Fourier",
        "ϵ-SVR Poly": "eSVR-poly",
        "ϵ-SVR Gauss": "eSVR-rbf",
        "ν-SVR Poly": "nuSVR-poly",
        "ν-SVR Gauss": "nuSVR-rbf",
        "SMO-MKL Gauss+Ploy": "MKL",
    },
    TABLES["fks-table2"].datasets,
)


@functools.cache
def printed(table: str) -> tuple[Published, ...]:
    """The figures of a printed table, by our names of methods and data sets.

    Args:
        table: a name of :data:`TABLES`.

    Raises:
        UnknownNameError: no such table.
    """
    if table not in TABLES:
        raise UnknownNameError.among("printed table", table, TABLES)
    constants = {row["dataset"]: float(row["rmse"]) for row in _rows("constants")}
    names = TABLES[table]
    found = []
    for row in _rows(table):
        dataset, method = names.datasets.get(row["dataset"], row["dataset"]), row["method"]
        rmse = constants.get(dataset)
        constant = {"rmse": rmse, "mse": (rmse / 100) ** 2}.get(row["metric"]) if rmse is not None else None
        std = float(row["std"]) if row["std"] else None
        found.append(
            Published(
                table, dataset, names.methods.get(method, method), row["metric"], float(row["mean"]), std, constant
            )
        )
    return tuple(found)


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files(__name__).joinpath(f"{name}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
