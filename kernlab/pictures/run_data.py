"""The rows that a run trains and is tested on, and the features of a moment on them, of which Bayesian regression is
made: read anew from the data set, since a run keeps a sample of them alone.

Wide features and many rows are a sample, so that a picture takes a fraction of a second: at most :data:`COLUMNS`
features, which are random draws and make the same kernel with more noise, and as many rows as :data:`WORK` allows. The
features of an exact kernel are coordinates in the span of those rows (:mod:`kernlab.heads.coordinates`): regression on
them is the Gaussian process of the kernel.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.data import DataSpec, Prepared, fingerprint, load, prepare
from kernlab.errors import DataError, StoreError
from kernlab.feature_maps import ExactKernel
from kernlab.heads.coordinates import coordinates
from kernlab.linalg import real_targets
from kernlab.model import Model
from kernlab.numerals import number
from kernlab.pictures.base import At
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.recorded import RecordedRun
from kernlab.training import rules
from kernlab.typing import Float, Targets, Tensor

COLUMNS = 600  # features
WORK = 1e9  # multiplications for their second moments
_LEAST, _MOST, _TEST = 300, 20_000, 2000  # rows


class RowsAt(NamedTuple):
    """Features of a moment on rows of its run."""

    data: Prepared
    train: NDArray[np.int64]  # places among the training rows [n]
    test: NDArray[np.int64]  # places among the test rows [m]
    features: Callable[[NDArray[Any]], Float[Tensor, "b D"]]  # of scaled inputs [b d], in float64
    columns: int  # D of these features
    total: int  # features of the model

    @property
    def Phi(self) -> Float[Tensor, "n D"]:
        """Features of the training rows."""
        return self.features(self.data.X_train[self.train])

    @property
    def y(self) -> Targets:
        """Class codes or standardised targets of the training rows."""
        return torch.from_numpy(self.data.y_train[self.train])

    @property
    def Y(self) -> Float[Tensor, "n K"]:
        """The same as numbers: one-hot for classes."""
        return real_targets(self.y, self.data.dataset.n_outputs, torch.float64).double()

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Numbers of the training rows in the data set [n]."""
        return np.asarray(self.data.train_rows[self.train])

    @property
    def whole(self) -> bool:
        """All rows and all features are used."""
        return len(self.train) == len(self.data.X_train) and self.columns == self.total

    @property
    def words(self) -> str:
        """What is used, where it is a part: "2 000 of 16 000 training rows, 600 of 2 000 features"."""
        parts = []
        if len(self.train) < len(self.data.X_train):
            parts.append(f"{number(len(self.train))} of {number(len(self.data.X_train))} training rows")
        if self.columns < self.total:
            parts.append(f"{number(self.columns)} of {number(self.total)} features")
        return ", ".join(parts)


def data_of(run: RecordedRun) -> Prepared:
    """The rows of a run, split and scaled as it has them; those of the last two runs are kept.

    Raises:
        KernlabError: the data set is gone, or is another one by now.
    """
    spec = run.spec
    if spec is None:
        raise StoreError("a run must be of a kind that this version can read", run.id, "train it again")
    source = rules.resolve_data(spec.data, spec.method)
    return _data(json.dumps(source.options(), sort_keys=True), spec.seed, str(run.run.fingerprint))


@lru_cache(maxsize=2)
def _data(options: str, seed: int, known: str) -> Prepared:
    source = DataSpec.build(**json.loads(options))
    dataset = load(source)
    if known and fingerprint(dataset) != known:
        fix = "train the run again, or bring the table back as it was"
        raise DataError("the rows of a run must be those that it was trained on", "a data set that has changed", fix)
    return prepare(dataset, source, seed)


def has_features(at: At) -> bool:
    """Whether the moment has features, or an exact kernel, that can be computed for any rows."""
    if at.run.spec is None or at.method is None:
        return False
    return at.kernel is not None or (at.moment.latest and at.run.run.status == "finished")


def rows_at(at: At, *, columns: int = COLUMNS, work: float = WORK, most: int = _MOST) -> RowsAt:
    """The rows of a run and its features at a moment for which :func:`has_features` is true.

    Args:
        columns: features at most.
        work: multiplications for the regression at most, but for the first 300 rows.
        most: rows at most.

    Raises:
        KernlabError: the data set cannot be read.
    """
    data = data_of(at.run)
    order = np.random.default_rng(0).permutation(len(data.X_train))
    test = np.random.default_rng(0).permutation(len(data.X_test))[:_TEST]
    kernel = at.kernel
    if kernel is not None and isinstance(kernel.representation, ExactKernel):
        train = np.sort(order[: max(_LEAST, int(work ** (1 / 3)))])
        found = coordinates(kernel.representation, kernel.params, torch.from_numpy(data.X_train[train]))
        return RowsAt(data, train, np.sort(test), partial(_of_rows, found), len(train) + 1, len(train) + 1)
    features, D, total = _features(at, columns)
    size = min(most, max(_LEAST, int(work / D / (D + 20 * data.dataset.n_outputs))))
    return RowsAt(data, np.sort(order[:size]), np.sort(test), features, D, total)


def _of_rows(features: Callable[[Tensor], Tensor], X: NDArray[Any]) -> Tensor:
    with torch.no_grad():
        return features(torch.from_numpy(np.ascontiguousarray(X)))


def _features(at: At, most: int) -> tuple[Callable[[NDArray[Any]], Tensor], int, int]:
    method, kernel = at.method, at.kernel
    assert method
    if kernel is None:  # a snapshot does not have stacked layers, the model at the end does
        model = Model.from_arrays(*at.run.store.model(at.run.id))
        columns = method.feature_map.columns(model.params)
        kernel = KernelAt(method.feature_map, model.params, columns, columns)
        return partial(_apply, kernel), columns, columns
    if kernel.kept > most:
        share = most / kernel.kept
        parts = {name: torch.as_tensor(np.asarray(value)) for name, value in at.arrays.items()}
        known = kernel.representation.frequencies(kernel.params)
        cut = {name: value[:, : max(1, int(share * value.shape[1]))] for name, value in known.items()}
        if known and (found := method.feature_map.restored({**parts, **cut})):
            representation, params = found
            fewer = representation.columns(params)
            cut_at = KernelAt(representation, params, fewer, kernel.total)
            return partial(_apply, cut_at.precise()), fewer, kernel.total
    return partial(_apply, kernel.precise()), kernel.kept, kernel.total


def _apply(kernel: KernelAt, X: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(kernel.features(X)))
