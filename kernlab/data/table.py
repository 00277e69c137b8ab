"""Columns and targets are checked here, whatever their source, and become a Dataset.

Data that cannot be used raise an error that names the column and the remedy; what can be used but is worth knowing
(constant columns, copies of rows, tiny classes) becomes a warning on the Dataset.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.data.base import Dataset
from kernlab.data.recipe import Preparation
from kernlab.errors import DataError
from kernlab.numerals import number
from kernlab.typing import Task

__all__ = ["encode", "make_dataset", "picture_shape"]

_TINY_CLASS = 5  # rows: below that, an 80/20 split leaves a class without a test row

# Of :func:`picture_shape`.
_ROWS = 1000  # rows used, spread evenly: correlations of a few tenths are clear from so many
_NEIGHBOUR = 0.25  # smallest mean correlation between neighbouring pixels
_MARGIN = 0.1  # by which the pixel below must beat the one half a row away


def encode(values: NDArray[Any]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class codes 0 … K−1 of any values in sorted order, and the K values as words."""
    kinds, codes = np.unique(values, return_inverse=True)
    words = (f"{kind:g}" if isinstance(kind, float) else str(kind) for kind in kinds.tolist())
    return codes.astype(np.int64).reshape(-1), tuple(words)


def make_dataset(
    name: str,
    X: ArrayLike,
    y: ArrayLike,
    task: Task,
    feature_names: Sequence[str] = (),
    target_names: Sequence[str] = (),
    *,
    source_train_rows: int | None = None,
    warnings: Sequence[str] = (),
    description: str = "",
    origin: str = "",
    preparation: Preparation | None = None,
) -> Dataset:
    """A checked Dataset.

    Args:
        name: name of the data set.
        X: inputs [n d]; kept without a copy when they are C-contiguous float32.
        y: class codes [n] (0 … K−1), or targets [n] or [n K].
        task: "classification" or "regression".
        feature_names: d names; x1, x2 … by default.
        target_names: K class labels or target names; the codes, or "target", by default.
        source_train_rows: rows of the source's own training part, which come first.
        warnings: sentences that go before the ones found here.
        description, origin, preparation: see :class:`Dataset`.

    Raises:
        DataError: no or one row, NaN or infinity, one class or one target value only, all columns constant.
    """
    with np.errstate(over="ignore"):
        inputs = np.ascontiguousarray(X, np.float32)
    if inputs.ndim != 2 or inputs.shape[1] == 0:
        raise DataError(f"data set {name!r} must be a table with at least one feature column", f"shape {inputs.shape}")
    n, d = inputs.shape
    if n < 2:
        raise DataError(
            f"data set {name!r} must have at least two rows, one to train on and one to test",
            f"{n} row{'s' * (n != 1)}",
            "add rows",
        )
    features = tuple(map(str, feature_names)) or tuple(f"x{j + 1}" for j in range(d))
    with np.errstate(invalid="ignore"):
        low, high = inputs.min(axis=0), inputs.max(axis=0)
    if not (np.isfinite(low) & np.isfinite(high)).all():
        raise _not_finite("feature", name, inputs, features)

    targets: NDArray[Any]
    if task == "classification":
        targets = np.ascontiguousarray(y, np.int64).reshape(-1)
        labels = tuple(map(str, target_names)) or tuple(str(k) for k in range(int(targets.max(initial=0)) + 1))
        found = _check_classes(name, targets, labels)
    else:
        targets = np.ascontiguousarray(y, np.float64).reshape(n, -1)
        K = targets.shape[1]
        labels = tuple(map(str, target_names)) or (("target",) if K == 1 else tuple(f"target_{k}" for k in range(K)))
        found = _check_targets(name, targets, labels)
    if len(targets) != n or len(features) != d:
        raise DataError(
            f"data set {name!r} must have one target per row and one name per column",
            f"{n} rows with {len(targets)} targets, {d} columns with {len(features)} names",
        )

    constant = low == high
    if constant.all():
        raise DataError(
            f"data set {name!r} must have at least one feature that varies",
            f"{d} feature column{'s' * (d != 1)}, each constant",
            "add a feature that differs between rows",
        )
    shape = picture_shape(inputs)
    magnitude = np.maximum(np.abs(low), np.abs(high))
    # From 2²⁴ on 32 bits skip whole numbers, so even a column that looks constant may have varied before.
    coarse = (high - low < 1000 * np.finfo(np.float32).eps * magnitude) & (~constant | (magnitude >= 2**24))
    if coarse.any():
        found.append(
            f"{_count(coarse.sum(), 'feature column')} nearly constant beside the size of the numbers, which costs "
            f"digits in 32 bits; subtract an offset first: {_list(features, coarse)}."
        )
    constant &= ~coarse
    if constant.any() and shape is None:  # a picture's blank border is no flaw
        found.append(
            f"{_count(constant.sum(), 'feature column')} constant and can be dropped: {_list(features, constant)}."
        )
    copies = n - _distinct_rows(inputs, targets)
    if copies:
        found.append(f"{_count(copies, 'row')} an exact copy of another one; a random split puts copies on both sides.")
    return Dataset(
        name=name,
        X=inputs,
        y=targets,
        task=task,
        feature_names=features,
        target_names=labels,
        source_train_rows=source_train_rows,
        image_shape=shape,
        warnings=(*warnings, *found),
        description=description,
        origin=origin,
        preparation=preparation,
    )


def _check_classes(name: str, codes: NDArray[np.int64], labels: tuple[str, ...]) -> list[str]:
    counts = np.bincount(codes, minlength=len(labels))
    if (counts > 0).sum() < 2:
        raise DataError(
            f"data set {name!r} must have at least two classes",
            f"only class {labels[int(counts.argmax())]!r}",
            "add rows of another class, or store the target as decimal numbers for regression",
        )
    tiny = (counts > 0) & (counts < _TINY_CLASS)
    if not tiny.any():
        return []
    return [f"{_count(tiny.sum(), 'class', 'classes')} smaller than {_TINY_CLASS} rows: {_list(labels, tiny)}."]


def _check_targets(name: str, targets: NDArray[np.float64], names: tuple[str, ...]) -> list[str]:
    if not np.isfinite(targets).all():
        raise _not_finite("target", name, targets, names)
    constant = targets.min(axis=0) == targets.max(axis=0)
    if constant.any():
        raise DataError(
            f"every target of data set {name!r} must vary",
            f"constant: {_list(names, constant)}",
            "drop that target column",
        )
    return []


def _not_finite(what: str, name: str, values: NDArray[Any], names: tuple[str, ...]) -> DataError:
    """The error that names the columns and counts what is wrong in them."""
    found = []
    for j, column in enumerate(names):
        missing, infinite = int(np.isnan(values[:, j]).sum()), int(np.isinf(values[:, j]).sum())
        counts = [f"{missing} missing (NaN)"] * (missing > 0) + [f"{infinite} infinite"] * (infinite > 0)
        if counts:
            found.append(f"column {column!r}: {' and '.join(counts)}")
    more = f"; and {len(found) - 5} more columns" if len(found) > 5 else ""
    return DataError(
        f"every {what} of data set {name!r} must be a finite number (at most 3.4e38 in size)",
        "; ".join(found[:5]) + more,
        "remove those rows or fill in the values",
    )


def _distinct_rows(X: NDArray[np.float32], y: NDArray[Any]) -> int:
    """Number of different rows, counted by a random 64-bit linear hash of each row's bits and target."""
    rng = np.random.default_rng(0)
    factors = rng.integers(0, 2**64, size=(2, X.shape[1]), dtype=np.uint64)
    targets = np.unique(y, axis=0, return_inverse=True)[1].reshape(-1).astype(np.uint64)
    hashes = np.empty(len(X), np.uint64)
    step = max(1, 2**18 // X.shape[1])
    for start in range(0, len(X), step):
        bits = (X[start : start + step] + np.float32(0)).view(np.uint32).astype(np.uint64)  # −0 and 0 are one number
        bits *= factors[0] | np.uint64(1)
        bits ^= bits >> np.uint64(32)
        hashes[start : start + step] = bits @ factors[1]
    hashes += targets * rng.integers(0, 2**64, dtype=np.uint64)
    return len(np.unique(hashes))


def _count(things: Any, one: str, many: str = "") -> str:
    return f"{number(things)} {one} is" if things == 1 else f"{number(things)} {many or one + 's'} are"


def _list(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    """Up to five of the chosen names."""
    picked = [name for name, each in zip(names, chosen, strict=True) if each]
    return ", ".join(picked[:5]) + (f" and {len(picked) - 5} more" if len(picked) > 5 else "")


def picture_shape(X: NDArray[np.float32]) -> tuple[int, int] | None:
    """(height, width) when the rows of X [n d] are square pictures of at least 8 × 8 pixels, else None.

    The answer depends on the numbers alone, never on a name. A square grey picture of side s, read row by row, has
    three properties:

    1. the pixels share one range: most columns reach the table's smallest value, or span most of its range;
    2. a pixel resembles its right-hand neighbour (lag 1) and the one below (lag s);
    3. it resembles the one below *more* than the one half a row away (lag s/2). A time series or a
       spectrum of s² points has the first two properties too, but its resemblance only falls with the lag.
    """
    n, d = X.shape
    side = math.isqrt(d)
    if side < 8 or side * side != d or n < 20:
        return None
    Z = X[np.linspace(0, n - 1, min(n, _ROWS)).astype(int)].astype(np.float64)
    low, high = Z.min(axis=0), Z.max(axis=0)
    shared = (low == low.min()) | (high - low >= 0.5 * (high.max() - low.min()))
    if shared.mean() < 0.5:
        return None
    Z -= Z.mean(axis=0)
    deviation = np.sqrt((Z**2).mean(axis=0))
    varies = deviation > 0
    Z /= np.where(varies, deviation, 1.0)
    grid, alive = Z.reshape(-1, side, side), varies.reshape(side, side)

    def resemblance(dy: int, dx: int) -> float:
        """Mean correlation of pixels (y, x) and (y + dy, x + dx); blank pixels have none."""
        both = alive[: side - dy, : side - dx] & alive[dy:, dx:]
        pairs = (grid[:, : side - dy, : side - dx] * grid[:, dy:, dx:]).mean(axis=0)
        return float(pairs[both].mean()) if both.any() else 0.0

    right, below, away = resemblance(0, 1), resemblance(1, 0), resemblance(0, side // 2)
    return (side, side) if min(right, below) >= _NEIGHBOUR and below - away >= _MARGIN else None
