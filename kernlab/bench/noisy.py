"""Data sets on which learned methods easily lose to assigned ones: real tables with added noise, and generated ones.

They serve ``kernlab bench --only defaults``: flipped labels, sparse 0/1 columns of which few are informative, mixed
columns, a second class with one row in twenty, fewer rows than features, heavy tails, duplicate rows. The same name
gives the same data on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator as Random
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from kernlab.data import Dataset, load
from kernlab.data.table import make_dataset

__all__ = ["REAL", "SETS", "NoisySet"]

Array = NDArray[Any]

#: Real tables, taken from the folders of KERNLAB_DATA.
REAL = (
    "segment", "satimage", "pendigits", "letter", "usps", "abalone", "space_ga", "cpusmall", "cadata", "bank32nh",
    "kin8nm", "puma32H",
)  # fmt: skip


class NoisySet(NamedTuple):
    """A data set of the benchmark.

    Attributes:
        make: from the largest number of rows to the data set.
        test_size: share of the test part; large for a small training part.
        needs: the real tables on which it is based.
    """

    make: Callable[[int], Dataset]
    test_size: float = 0.2
    needs: tuple[str, ...] = ()


def _rows(dataset: Dataset, most: int) -> tuple[Array, Array]:
    """At most ``most`` rows, always the same ones."""
    if dataset.n <= most:
        return dataset.X, dataset.y
    rows = np.random.default_rng(0).permutation(dataset.n)[:most]
    return dataset.X[rows], dataset.y[rows]


def _real(name: str) -> NoisySet:
    def make(most: int) -> Dataset:
        dataset = load(name)
        return make_dataset(name, *_rows(dataset, most), dataset.task)

    return NoisySet(make, needs=(name,))


def _flipped(name: str, share: float) -> NoisySet:
    """A share of the rows has a wrong class, drawn evenly."""

    def make(most: int) -> Dataset:
        X, y = _rows(load(name), most)
        random, K = np.random.default_rng(7), int(y.max()) + 1
        wrong = random.random(len(y)) < share
        y = np.where(wrong, (y + random.integers(1, K, len(y))) % K, y)
        return make_dataset(f"{name}+{share:.0%}", X, y, "classification")

    return NoisySet(make, needs=(name,))


def _categories(random: Random, n: int, sizes: Sequence[int]) -> Array:
    """Indicator columns of categories with uneven frequencies."""
    columns = [np.eye(size)[random.choice(size, n, p=random.dirichlet(np.full(size, 0.5)))] for size in sizes]
    return np.concatenate(columns, axis=1)


def _classes(random: Random, logit: Array, rate: float) -> Array:
    """Two classes of a logistic model in which the second has the share ``rate``."""
    shift = brentq(lambda b: expit(logit + b).mean() - rate, -100, 100)
    return np.asarray(random.random(len(logit)) < expit(logit + shift), np.int64)


def _sparse(most: int) -> Dataset:
    """123 indicator columns, a quarter of the rows of the second class; 15 columns and 10 pairs are informative."""
    random = np.random.default_rng(1)
    X = _categories(random, min(4000, most), (5, 8, 16, 7, 14, 6, 5, 2, 41, 10, 9))
    informs, pairs = random.choice(X.shape[1], 15, replace=False), random.choice(X.shape[1], (10, 2))
    logit = X[:, informs] @ random.normal(0, 1.8, 15)
    logit = logit + sum(random.normal(0, 1.5) * X[:, a] * X[:, b] for a, b in pairs)
    return make_dataset("sparse", X, _classes(random, 1.2 * logit, 0.25), "classification")


def _mixed(
    n: int, sizes: Sequence[int], numeric: int, seed: int, rate: float, scale: float
) -> Callable[[int], Dataset]:
    """Numeric columns, half of them log-normal, and indicator columns; all numeric and 12 others are informative."""

    def make(most: int) -> Dataset:
        random, rows = np.random.default_rng(seed), min(n, most)
        Z = random.normal(size=(rows, numeric))
        Z[:, ::2] = np.exp(Z[:, ::2])
        X = np.concatenate([Z, _categories(random, rows, sizes)], axis=1)
        S = (X - X.mean(0)) / (X.std(0) + 1e-9)
        informs = np.r_[np.arange(numeric), numeric + random.choice(X.shape[1] - numeric, 12, replace=False)]
        logit = S[:, informs] @ random.normal(0, 0.5, len(informs))
        logit = logit + 0.5 * np.tanh(S[:, 0]) * S[:, 1] - 0.3 * S[:, 3] ** 2
        return make_dataset(f"mixed-{n}", X, _classes(random, scale * logit, rate), "classification")

    return make


def _imbalanced(most: int) -> Dataset:
    """Twenty normal columns; one row in twenty has the second class."""
    random = np.random.default_rng(3)
    X = random.normal(size=(min(6000, most), 20))
    logit = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.sin(3 * X[:, 3])
    return make_dataset("imbalanced", X, _classes(random, 2 * logit, 0.05), "classification")


def _wide(most: int) -> Dataset:
    """100 normal columns of which five are informative; 300 rows to train on."""
    random = np.random.default_rng(4)
    X = random.normal(size=(1500, 100))
    return make_dataset("wide", X, _classes(random, 1.5 * X[:, :5].sum(1), 0.5), "classification")


def _heavy(task: str) -> Callable[[int], Dataset]:
    """Inputs of Student's t with 1.5 or 2 degrees of freedom, and for real targets noise of t with 2.5."""

    def make(most: int) -> Dataset:
        regression = task == "regression"
        random, n = np.random.default_rng(5 + regression), min(4000, most)
        X = random.standard_t(2 if regression else 1.5, size=(n, 15))
        f = np.tanh(X[:, 0]) + np.tanh(X[:, 1] * X[:, 2]) + 0.5 * np.sin(X[:, 3])
        if regression:
            return make_dataset("heavy-targets", X, (f + 0.5 * random.standard_t(2.5, n))[:, None], "regression")
        return make_dataset("heavy-inputs", X, _classes(random, 2 * f, 0.4), "classification")

    return make


def _repeated(make: Callable[[int], Dataset], name: str) -> Callable[[int], Dataset]:
    """4000 rows drawn with replacement from 1500, so that every split has copies of a row in both parts."""

    def repeated(most: int) -> Dataset:
        dataset = make(1500)
        rows = np.random.default_rng(8).integers(0, dataset.n, min(4000, most))
        return make_dataset(name, dataset.X[rows], dataset.y[rows], dataset.task)

    return repeated


# The number of values of each categorical column in a census and in a credit table.
_CENSUS = (9, 16, 7, 15, 6, 5, 2, 42)
_CREDIT = (4, 5, 10, 5, 5, 4, 3, 4, 3, 3, 4, 2, 2)

#: By name.
SETS: dict[str, NoisySet] = {
    **{name: _real(name) for name in REAL},
    "segment+20%": _flipped("segment", 0.2),
    "satimage+10%": _flipped("satimage", 0.1),
    "letter+20%": _flipped("letter", 0.2),
    "sparse": NoisySet(_sparse),
    "mixed-6000": NoisySet(_mixed(6000, _CENSUS, 6, 2, 0.25, 1.5)),
    "mixed-4000": NoisySet(_mixed(4000, _CREDIT, 7, 12, 0.3, 1.0), test_size=0.8),
    "imbalanced": NoisySet(_imbalanced),
    "wide": NoisySet(_wide, test_size=0.8),
    "heavy-inputs": NoisySet(_heavy("classification")),
    "heavy-targets": NoisySet(_heavy("regression")),
    "duplicate-classes": NoisySet(_repeated(_mixed(1500, _CENSUS, 6, 9, 0.25, 1.5), "duplicate-classes")),
    "duplicate-targets": NoisySet(_repeated(_real("abalone").make, "duplicate-targets"), needs=("abalone",)),
}
