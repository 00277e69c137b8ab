"""What is worth knowing of a table before one trains on it: one function a question, each with its result.

    for finding in findings_of(dataset, prepared, preview):
        print(finding.sentence)

Nothing here changes data. Each function looks at no more rows and columns than it needs to be quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernlab.data.base import Dataset, Prepared
from kernlab.data.tables import TablePreview
from kernlab.numerals import number

__all__ = [
    "Finding",
    "constant_columns",
    "copies_across_split",
    "duplicate_columns",
    "duplicate_rows",
    "empty_columns",
    "findings_of",
    "identifiers",
    "outliers",
    "row_hashes",
    "telltale_columns",
    "tiny_classes",
]

_ROWS = 2000  # rows on which a column is tried as the only input
_COLUMNS = 300  # columns that are tried so
_FAR = 10.0  # robust standard deviations


class Finding(NamedTuple):
    """One thing worth knowing.

    Attributes:
        kind: "constant", "duplicate columns", "duplicate rows", "copies across the split", "telltale", "tiny classes",
            "outliers", "identifier" or "empty".
        sentence: what it is and what follows.
        columns: the columns that it is about.
        rows: the first rows that it is about (row numbers from 0), at most 100.
        number: how many columns, rows or classes.
    """

    kind: Literal[
        "constant",
        "duplicate columns",
        "duplicate rows",
        "copies across the split",
        "telltale",
        "tiny classes",
        "outliers",
        "identifier",
        "empty",
    ]
    sentence: str
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    number: int = 0


def findings_of(
    dataset: Dataset, prepared: Prepared | None = None, preview: TablePreview | None = None
) -> tuple[Finding, ...]:
    """All that is found, what spoils a result first.

    Args:
        dataset: the table.
        prepared: its split, for copies of rows on both sides.
        preview: the raw table, for identifiers and empty columns.
    """
    found = [
        telltale_columns(dataset),
        copies_across_split(prepared) if prepared else duplicate_rows(dataset),
        identifiers(dataset, preview),
        tiny_classes(dataset),
        duplicate_columns(dataset),
        constant_columns(dataset),
        outliers(dataset),
        empty_columns(preview) if preview else None,
    ]
    return tuple(each for each in found if each)


def constant_columns(dataset: Dataset) -> Finding | None:
    """Columns with one value only."""
    if dataset.image_shape:
        return None  # the blank border of pictures
    low, high = dataset.X.min(axis=0), dataset.X.max(axis=0)
    names = _chosen(dataset.feature_names, low == high)
    if not names:
        return None
    return Finding("constant", f"{_are(names, 'column')} constant and can be dropped: {_some(names)}.", names,
                   number=len(names))  # fmt: skip


def duplicate_columns(dataset: Dataset) -> Finding | None:
    """Columns that equal an earlier one in every row."""
    if dataset.image_shape:
        return None
    seen: dict[tuple[bytes, float], int] = {}
    pairs = []
    few = np.linspace(0, dataset.n - 1, min(dataset.n, 64)).astype(int)
    for j in range(dataset.d):
        column = dataset.X[:, j]
        if column.min() == column.max():
            continue
        key = (column[few].tobytes(), float(column.sum(dtype=np.float64)))
        first = seen.setdefault(key, j)
        if first != j and np.array_equal(column, dataset.X[:, first]):
            pairs.append((first, j))
    if not pairs:
        return None
    names = tuple(dataset.feature_names[j] for _, j in pairs)
    shown = ", ".join(f"{dataset.feature_names[j]} ({dataset.feature_names[i]})" for i, j in pairs[:5])
    return Finding("duplicate columns", f"{_are(names, 'column')} an exact copy of another one: {shown}.", names,
                   number=len(names))  # fmt: skip


def row_hashes(X: NDArray[np.float32], y: NDArray[Any]) -> NDArray[np.uint64]:
    """A 64-bit hash of each row's inputs and target, [n]: equal rows have equal hashes, others practically never."""
    random = np.random.default_rng(0)
    factors = random.integers(1, 2**63, size=X.shape[1], dtype=np.uint64) | np.uint64(1)
    targets = np.unique(y, axis=0, return_inverse=True)[1].reshape(-1).astype(np.uint64)
    hashes = targets * random.integers(1, 2**63, dtype=np.uint64)
    step = max(1, 2**18 // X.shape[1])
    for start in range(0, len(X), step):
        bits = (X[start : start + step] + np.float32(0)).view(np.uint32).astype(np.uint64)  # −0 and 0 are one number
        bits = (bits ^ (bits << np.uint64(21))) * np.uint64(0x9E3779B97F4A7C15)
        hashes[start : start + step] += (bits ^ (bits >> np.uint64(32))) @ factors
    return hashes


def duplicate_rows(dataset: Dataset) -> Finding | None:
    """Rows that equal an earlier one, target included."""
    hashes = row_hashes(dataset.X, dataset.y)
    _, first = np.unique(hashes, return_index=True)
    copies = np.setdiff1d(np.arange(dataset.n), first)
    if not len(copies):
        return None
    rows = tuple(copies[:100].tolist())
    return Finding("duplicate rows", f"{_are(copies, 'row')} an exact copy of another one; a random split puts copies "
                   "on both sides.", rows=rows, number=len(copies))  # fmt: skip


def copies_across_split(prepared: Prepared) -> Finding | None:
    """Test rows that stand in the training part too, target included."""
    hashes = row_hashes(prepared.dataset.X, prepared.dataset.y)
    both = prepared.test_rows[np.isin(hashes[prepared.test_rows], hashes[prepared.train_rows])]
    if not len(both):
        return None
    share = 100 * len(both) / len(prepared.test_rows)
    return Finding("copies across the split", f"{_are(both, 'test row')} also in the training part ({share:.1f} % of "
                   "the test part): the measured error is too small by what the method learns by heart.",
                   rows=tuple(both[:100].tolist()), number=len(both))  # fmt: skip


def telltale_columns(dataset: Dataset) -> Finding | None:
    """Columns that give the target away: a tree of that one column is right on rows that it has not seen.

    Classes: at least 99.5 % of them, where the largest class has at most 95 %. Regression: R² of 0.999 or more.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    rows = np.random.default_rng(0).permutation(dataset.n)[:_ROWS]
    half = len(rows) // 2
    if half < 10:
        return None
    X, y = dataset.X[rows], dataset.y[rows]
    classes = dataset.task == "classification"
    if classes and np.bincount(y).max() > 0.95 * len(y):
        return None
    tree = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(random_state=0)
    names = []
    for j in _promising(X, y, classes):
        column = X[:, [j]]
        if column.min() == column.max():
            continue
        score = min(
            tree.fit(column[a], y[a]).score(column[b], y[b])
            for a, b in ((slice(half), slice(half, None)), (slice(half, None), slice(half)))
        )
        if score >= (0.995 if classes else 0.999) or (not classes and _linear(column[:, 0], y) > 0.99999):
            names.append(dataset.feature_names[j])
    if not names:
        return None
    verb, it = ("gives", "it is") if len(names) == 1 else ("give", "they are")
    return Finding("telltale", f"{_some(names)} alone {verb} the target away. Ask whether {it} known "
                   "before the target is; drop what is not.", tuple(names), number=len(names))  # fmt: skip


def _promising(X: NDArray[np.float32], y: NDArray[Any], classes: bool) -> NDArray[np.int64]:
    """The columns to try: all of a few, of many those that differ most between classes or go along with the target."""
    d = X.shape[1]
    if d <= _COLUMNS:
        return np.arange(d)
    Z = (X - X.mean(axis=0)) / np.where((deviation := X.std(axis=0)) > 0, deviation, 1)
    T = np.eye(int(y.max()) + 1)[y] if classes else y.reshape(len(y), -1)
    T = (T - T.mean(axis=0)) / np.maximum(T.std(axis=0), 1e-12)
    return np.sort(np.argsort(-np.abs(Z.T @ T).max(axis=1))[:_COLUMNS])


def _linear(x: NDArray[Any], y: NDArray[Any]) -> float:
    """The largest |correlation| with a target."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = [abs(np.corrcoef(x.astype(np.float64), t)[0, 1]) for t in y.reshape(len(y), -1).T]
    return float(np.nanmax([*found, 0.0]))


def tiny_classes(dataset: Dataset, least: int = 5) -> Finding | None:
    """Classes with fewer rows than ``least``."""
    if dataset.task != "classification":
        return None
    counts = np.bincount(dataset.y, minlength=dataset.n_outputs)
    names = _chosen(dataset.target_names, (counts > 0) & (counts < least))
    if not names:
        return None
    return Finding("tiny classes", f"{_are(names, 'class', 'classes')} smaller than {least} rows: {_some(names)}; "
                   "join them with others or leave their rows out.", names, number=len(names))  # fmt: skip


def outliers(dataset: Dataset) -> Finding | None:
    """Values more than ten robust standard deviations (interquartile range / 1.35) from the median."""
    low, middle, high = np.percentile(dataset.X[:: max(1, dataset.n // 20_000)], [25, 50, 75], axis=0)
    spread = (high - low) / 1.349
    strange = np.zeros(dataset.n, bool)
    names = []
    for j in np.flatnonzero(spread > 0):
        far = np.abs(dataset.X[:, j] - middle[j]) > _FAR * spread[j]
        if far.any() and far.mean() < 0.05:  # more than that are a second group, not outliers
            names.append(dataset.feature_names[j])
            strange |= far
    if not names:
        return None
    rows = np.flatnonzero(strange)
    return Finding("outliers", f"{_have(rows, 'row')} values far from all others in {_some(names)}; the scaling "
                   "normal-scores takes ranks and is not moved by them.", tuple(names), tuple(rows[:100].tolist()),
                   len(rows))  # fmt: skip


def identifiers(dataset: Dataset, preview: TablePreview | None = None) -> Finding | None:
    """Inputs that number the rows (whole numbers, each once, without a gap or in the rows' order), and words that
    nearly all differ.
    """
    names = []
    if dataset.n >= 20:
        for j in range(dataset.d):
            column = dataset.X[:, j]
            if column[0] == column[1] or not np.array_equal(column[:100], np.floor(column[:100])):
                continue
            ordered = np.sort(column)
            steps = np.diff(ordered)
            if (steps > 0).all() and ((steps == 1).all() or np.array_equal(ordered, column)):
                names.append(dataset.feature_names[j])
    words = [each.name for each in preview.columns if each.kind == "text"] if preview else []
    if not (names or words):
        return None
    sentences = []
    if names:
        verb = "numbers" if len(names) == 1 else "number"
        sentences.append(f"{_some(names)} {verb} the rows: a method can learn rows by it and not what they mean.")
    if words:
        verb = "is" if len(words) == 1 else "are"
        sentences.append(f"{_some(words)} {verb} different in nearly every row and not used.")
    return Finding("identifier", " ".join(sentences), (*names, *words), number=len(names) + len(words))


def empty_columns(preview: TablePreview) -> Finding | None:
    """Columns of which more than half of the cells are missing, in the rows looked at."""
    n = max(1, preview.looked_at)
    names = tuple(each.name for each in preview.columns if each.missing > n / 2)
    if not names:
        return None
    return Finding("empty", f"{_are(names, 'column')} missing in more than half of the rows: {_some(names)}.", names,
                   number=len(names))  # fmt: skip


def _chosen(names: Sequence[str], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, each in zip(names, mask, strict=True) if each)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _number(things: Any, one: str, many: str) -> str:
    return f"{number(len(things))} {one if len(things) == 1 else many or one + 's'}"


def _are(things: Any, one: str, many: str = "") -> str:
    return f"{_number(things, one, many)} {'is' if len(things) == 1 else 'are'}"


def _have(things: Any, one: str) -> str:
    return f"{_number(things, one, '')} {'has' if len(things) == 1 else 'have'}"
