"""Every named method as an estimator, with options that make it quick; and who takes which task."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernlab.errors import CompositionError
from kernlab.estimators import KernelClassifier, KernelRegressor
from kernlab.methods import METHODS
from kernlab.objectives import MapObjective
from kernlab.solvers import ProximalGradient

KINDS = {"classification": KernelClassifier, "regression": KernelRegressor}

#: What only some methods have; SMALL asks for those that there are. Where all rows count, iterations go on until the
#: solution is exact enough to compare a weight with copies.
SMALL: dict[str, Any] = {
    "order": 3, "j_min": -1, "j_max": 0, "g": 1e-3, "resample": 50, "radius": 0.1, "hidden": 20,
}  # fmt: skip


def small(name: str) -> dict[str, Any]:
    """Options of a named method that keep a fit below a tenth of a second."""
    method = METHODS[name]
    has = method.options()
    options = {key: value for key, value in SMALL.items() if key in has}
    if isinstance(method.solver, ProximalGradient):
        options |= {"epochs": 2 if method.two_stage else 8, "learning_rate": 0.1, "compile": "off"}
    elif "tolerance" in has and method.solver.name != "mkl":
        options["tolerance"] = 1e-10
    # Maps that start from rows, and those judged on a mini-batch, find their own width for so few rows.
    if "n_features" in has and not method.feature_map.from_rows and not isinstance(method.objective, MapObjective):
        options["n_features"] = 200 if method.solver.name == "chi_square_ball" else 40
    # Leave-one-out takes the smallest penalty of its path on separable rows: its equations lose six digits, and a
    # weight then equals copies to seven digits on one processor and not on the next (seen on a GPU).
    if method.solver.name == "chi_square_ball":
        options["ridge"] = 1e-3
    return options


def estimator(name: str, task: str, **options: Any) -> Any:
    return KINDS[task](name, random_state=0, **{**small(name), **options})


def cases() -> list[tuple[str, str]]:
    """(method, task) for each method and each task that it takes."""
    found = []
    for name, method in METHODS.items():
        for task in KINDS:
            try:
                method.check(task)
            except CompositionError:
                continue
            found.append((name, task))
    return found


def blobs(n: int = 60, d: int = 3, K: int = 2) -> tuple[Any, Any]:
    """Overlapping clouds, one a class."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + 2.0 * y[:, None], y


def waves(n: int = 60, d: int = 3, K: int = 1) -> tuple[Any, Any]:
    """Targets of very different size."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    Y = np.sin(X[:, :1] * np.arange(1, K + 1)) * 10.0 ** np.arange(K) + 5
    return X, Y[:, 0] if K == 1 else Y
