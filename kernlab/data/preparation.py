"""Splitting and scaling a data set, and the score of the constant predictor, which any method has to beat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlab.data.base import Dataset, DataSpec, Prepared, Scaler, Scaling
from kernlab.errors import DataError, OptionError

__all__ = ["constant_metric", "prepare", "rescaled", "score"]

_UPPER = {"[0,1]": 1.0, "[0,100]": 100.0}


def prepare(dataset: Dataset, spec: DataSpec, seed: int) -> Prepared:
    """Split and scale a data set; centre and scale are measured on the training part only.

    Args:
        dataset: what :func:`kernlab.data.load` returned.
        spec: split, test size, scaling of inputs and unit of targets.
        seed: of the random split, 0 … 2³² − 1; the same seed gives the same rows in the same order.

    Raises:
        DataError: a part of the split would be empty or have one class only, a class is too small
            for a stratified split, or the data set has no boundary of its own.
    """
    train, test = _source_split(dataset) if spec.split == "source" else _random_split(dataset, spec.test_size, seed)
    automatic: Scaling = "[-1,1]" if dataset.image_shape else "standardize"
    kind = automatic if spec.scaling == "auto" else spec.scaling
    parts: dict[str, Any] = {
        "dataset": dataset,
        "train_rows": train,
        "test_rows": test,
        **_scaled(dataset, kind, train, test),
    }
    if dataset.task == "classification":
        present = np.unique(dataset.y[train])
        if len(present) < 2:
            raise DataError(
                "the training part must have at least two classes",
                f"only class {dataset.target_names[present[0]]!r} among {len(train)} rows",
                "choose split=random or a smaller test_size",
            )
        return Prepared(**parts, y_train=dataset.y[train], y_test=dataset.y[test])

    low, high = dataset.y.min(axis=0), dataset.y.max(axis=0)
    if spec.target_scale == "original":
        reported, range100 = dataset.y, 100.0 / (high - low)
    else:
        upper = _UPPER[spec.target_scale]
        reported, range100 = upper * (dataset.y - low) / (high - low), np.full(len(low), 100.0 / upper)
    still = reported[train].min(axis=0) == reported[train].max(axis=0)
    if still.any():
        raise DataError(
            "every target must vary in the training part",
            f"{dataset.target_names[int(still.argmax())]!r} is constant in the {len(train)} training rows",
            "choose a smaller test_size or another seed",
        )
    targets = Scaler.fit("standardize", reported, train)
    return Prepared(
        **parts,
        y_train=targets.transform(reported, train),
        y_test=targets.transform(reported, test),
        targets=targets,
        target_unit=spec.target_scale,
        range100=range100,
    )


def score(prepared: Prepared, predicted: NDArray[Any], y: NDArray[Any], unit: float | NDArray[Any] = 1.0) -> float:
    """How well y is predicted, by ``prepared.metric``.

    Args:
        prepared: names the metric and the unit of targets.
        predicted: class scores [n K] or class codes [n]; or standardised targets [n K].
        y: class codes [n], or standardised targets [n K].
        unit: factor on the errors of targets, for all or for each; ``prepared.range100``: every target in [0, 100].

    Returns:
        Accuracy in percent, or √(mean over rows and outputs of squared errors) in the reported unit times ``unit``.
    """
    if prepared.targets is None:
        codes = predicted if predicted.ndim == 1 else predicted.argmax(1)
        return 100.0 * int((codes == y).sum()) / len(y)
    errors = (predicted - y).astype(np.float64) * prepared.targets.scale * unit
    return float(np.sqrt(np.mean(errors**2)))


def rescaled(prepared: Prepared, kind: Scaling) -> Prepared:
    """The same split with its inputs scaled in another way, measured on the training part again."""
    return replace(prepared, **_scaled(prepared.dataset, kind, prepared.train_rows, prepared.test_rows))


def _scaled(dataset: Dataset, kind: Scaling, train: NDArray[np.int64], test: NDArray[np.int64]) -> dict[str, Any]:
    """Inputs of both parts; a picture's grey values share one range."""
    inputs = Scaler.fit(kind, dataset.X, train, common=dataset.image_shape is not None)
    X_train, X_test = (inputs.transform(dataset.X, rows) for rows in (train, test))
    return {"X_train": X_train, "X_test": X_test, "inputs": inputs}


def constant_metric(prepared: Prepared) -> float:
    """The score of the best constant prediction on the test part; a method that learned anything beats it.

    Classification: accuracy in percent of always naming the training part's largest class (the
    lowest code on a tie). Regression: the RMSE of always predicting the training part's mean, in the
    reported unit.
    """
    y = prepared.y_test
    # The training mean is 0 on standardised targets.
    best = 0 if prepared.targets else np.bincount(prepared.y_train).argmax()
    return score(prepared, np.full_like(y, best), y)


def _source_split(dataset: Dataset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    boundary = dataset.source_train_rows
    if boundary is None or not 0 < boundary < dataset.n:
        raise DataError(
            "split=source needs a data set whose source names its own training and test rows",
            f"{dataset.name!r}, which has no such boundary",
            "choose split=random",
        )
    return np.arange(boundary), np.arange(boundary, dataset.n)


def _random_split(dataset: Dataset, test_size: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from sklearn.model_selection import train_test_split

    if not 0 <= seed < 2**32:
        raise OptionError("seed must be a whole number from 0 to 4294967295", seed)
    n = dataset.n
    n_test = int(np.ceil(test_size * n))
    n_train, needed = n - n_test, 1
    classes = None
    if dataset.task == "classification":
        classes = dataset.y
        counts = np.bincount(classes, minlength=dataset.n_outputs)
        if (counts == 1).any():
            lonely = ", ".join(repr(dataset.target_names[k]) for k in np.flatnonzero(counts == 1)[:5])
            raise DataError(
                "every class needs at least two rows, one to train on and one to test",
                f"one row of class {lonely} in {dataset.name!r}",
                "remove that class, join it with another one, or choose split=source where there is a boundary",
            )
        needed = int((counts > 0).sum())
    if min(n_train, n_test) < needed:
        each = f"at least one row for each of the {needed} classes" if classes is not None else "at least one row"
        raise DataError(
            f"training and test part must each have {each}",
            f"test_size {test_size:g} of {n} rows leaves {n_train} to train on and {n_test} to test",
            "choose a test_size nearer to 0.5" if n >= 2 * needed else "add rows",
        )
    if classes is None:
        shuffled = np.random.default_rng(seed).permutation(n)
        return shuffled[:n_train], shuffled[n_train:]
    train, test = train_test_split(np.arange(n), test_size=n_test, random_state=seed, stratify=classes)
    return train, test
