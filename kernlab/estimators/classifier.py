"""Every method that can classify, as a scikit-learn classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from kernlab.errors import DataError, OptionError
from kernlab.estimators import inputs
from kernlab.estimators.base import ATTRIBUTES, OPTIONS, KernelEstimator, learns_by_passes
from kernlab.estimators.options import SCALINGS, STOPPING, constructor, described
from kernlab.heads.coordinates import Coordinates
from kernlab.heads.laplace import SoftmaxPosterior, laplace
from kernlab.typing import Tensor

__all__ = ["KernelClassifier"]


def _passes(estimator: KernelClassifier) -> bool:
    """Whether more rows can follow: not where a posterior is made of all rows together."""
    return estimator.probability == "plain" and learns_by_passes(estimator)


def _gives_probabilities(estimator: KernelClassifier) -> bool:
    """Whether probabilities are calibrated, or the softmax of the outputs stands for them: these were fitted by
    cross-entropy."""
    if estimator.probability == "laplace":
        return True
    method = estimator._method_or_none()
    if method is None:
        return False
    if method.head.stage == "joint":
        return method.objective is not None and method.objective.name == "cross_entropy"
    return method.head.loss == "cross_entropy"


class KernelClassifier(ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    __doc__ = f"""A classifier by any of kernlab's methods.

    Every option of every method is a parameter; ``None`` stands for the method's own value, and ``fit`` refuses an
    option that the method does not have. Inputs are scaled as ``scaling`` says, in ``fit``. ``sample_weight`` is
    offered where a sample of weight k can count exactly as k copies of it, ``partial_fit`` where map and weights are
    learned together from mini-batches, ``predict_proba`` where they were fitted by cross-entropy, and for every method
    with ``probability="laplace"``.

    Parameters
    ----------
    method : str or MethodSpec, default="ASKL"
        A named method of ``kernlab.METHODS``, or a composition of one's own.
    scaling : str, default="auto"
        {SCALINGS}, or "auto": what the method asks for, else standardize.
    probability : "plain" or "laplace", default="plain"
        "laplace": calibrated probabilities, those of softmax regression on the learned features with Laplace's
        approximation (:mod:`kernlab.heads.laplace`), which ``fit`` computes after the training, in the time of some
        dozen passes over the features. It takes the place of the method's own head: ``predict`` is the most probable
        class, and ``decision_function`` the logarithm of its probability. There is no ``partial_fit`` then, rows
        cannot be weighted, and ``save`` is refused. "plain": the method's own outputs, and their softmax.
{described(OPTIONS)}

    Attributes
    ----------
    classes_ : ndarray of the class labels, [K].
    {ATTRIBUTES}
    """

    _task = "classification"
    classes_: NDArray[Any]
    probability: str = "plain"  # of one that was pickled by an earlier version
    _span: Coordinates | None = None
    _laplace: SoftmaxPosterior | None = None

    __init__ = constructor(
        {"method": "ASKL", "random_state": None, "device": "auto", "scaling": "auto", "probability": "plain",
         **STOPPING}, OPTIONS,
    )  # fmt: skip

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        if self.probability not in ("plain", "laplace"):
            raise OptionError('probability must be "plain" or "laplace"', repr(self.probability))
        return super()._fit(X, y, sample_weight)

    def _weighable(self) -> bool:
        return self.probability == "plain" and super()._weighable()

    def _keep(self, X: NDArray[Any], y: NDArray[Any], weighted: bool) -> None:
        self._laplace = None
        if self.probability == "laplace":
            rows = torch.from_numpy(np.asarray(X, np.float64))
            self._span = self._span_of(rows)
            self._laplace = laplace(self._features(rows), torch.from_numpy(y), len(self.classes_))

    def _write(self, path: str | Path, described: dict[str, Any]) -> None:
        if self.probability == "laplace":
            fix = 'save one with probability="plain", or keep this one by joblib'
            raise OptionError("the posterior of probability=laplace has no place in the file", "save", fix)
        super()._write(path, described)

    def _features(self, X: Tensor) -> Tensor:
        """Features of scaled inputs, in float64."""
        return torch.cat(list(self._blocks(X, self._span)))

    def _log_probabilities(self, X: NDArray[Any]) -> NDArray[np.float64]:
        assert self._laplace
        scaled = torch.from_numpy(self.model_.inputs.transform(X, dtype=np.float64))
        chances = self._laplace.probabilities(self._features(scaled)).numpy()
        return np.asarray(np.log(np.maximum(chances, np.finfo(np.float64).tiny)))

    def _targets(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        return rows, labels

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], tuple[str, ...]]:
        self.classes_, codes, names = inputs.class_codes(y)
        return codes, names

    @available_if(_passes)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> KernelClassifier:
        """One pass over these rows, continuing after the last call or ``fit``.

        The learning rate stays the same; scaling and automatic scales are those of the first call.

        Args:
            X: inputs, [n d].
            y: labels, [n].
            classes: all labels there will ever be; needed at the first call.

        Raises:
            ValueError: no classes at the first call, other ones later, or labels that are not among them.
        """
        first = not hasattr(self, "model_")
        rows, labels = validate_data(self, X, y, dtype=[np.float64, np.float32], reset=first)
        check_classification_targets(labels)
        if first and classes is None:
            raise DataError("classes must be given at the first call of partial_fit", "none", "pass all labels")
        known: NDArray[Any] = self.classes_ if classes is None else np.unique(column_or_1d(classes))
        if not first and not np.array_equal(known, self.classes_):
            raise DataError("classes must stay those of the first call", list(known), f"pass {list(self.classes_)}")
        if len(known) < 2:
            raise DataError("a classifier needs at least two classes", list(known))
        if len(strange := np.setdiff1d(labels, known)):
            raise DataError("every label must be one of the classes", list(strange), f"the classes are {list(known)}")
        self.classes_ = known
        self._pass(rows, np.searchsorted(known, labels).astype(np.int64), tuple(map(str, known)))
        return self

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return self._log_probabilities(rows) if self._laplace else self.model_.decision_function(rows)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scores of the classes, [n K]; of two classes how far the second is above the first, [n]."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the largest score, [n]."""
        best = self._scores(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Logarithms of the probabilities of the classes, [n K]."""
        return np.asarray(log_softmax(self._scores(X), axis=1))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of the classes, [n K]."""
        return np.asarray(np.exp(self.predict_log_proba(X)))
