"""Every method that can classify, as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from kernlab.errors import DataError
from kernlab.estimators.base import OPTIONS, KernelEstimator, learns_by_passes
from kernlab.estimators.options import described
from kernlab.estimators.persistence import Saved

__all__ = ["KernelClassifier"]


def _gives_probabilities(estimator: KernelClassifier) -> bool:
    """Whether the softmax of the outputs stands for probabilities: they were fitted by cross-entropy."""
    method = estimator._method_or_none()
    if method is None:
        return False
    if method.head.takes == "solver":
        return method.objective is not None and method.objective.name == "cross_entropy"
    return method.head.loss == "cross_entropy"


class KernelClassifier(Saved, ClassifierMixin, KernelEstimator):  # type: ignore[misc]
    __doc__ = f"""A classifier by any of kernlab's methods.

    Every option of every method is a parameter; ``None`` stands for the method's own value, and ``fit`` refuses an
    option that the method does not have. Inputs are scaled as ``scaling`` says, in ``fit``. ``sample_weight`` is
    there where a sample of weight k can count exactly as k copies of it, ``partial_fit`` where map and weights are
    learned together from mini-batches, ``predict_proba`` where they were fitted by cross-entropy.

    Parameters
    ----------
    method : str or MethodSpec, default="ASKL"
        A named method of ``kernlab.METHODS``, or a composition of one's own.
    random_state : int, RandomState instance or None, default=None
        Decides what is drawn and the order of the mini-batches.
    device : str, default="auto"
        "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1" or "mps".
    scaling : str, default="auto"
        "standardize", "[0,1]", "[-1,1]", "none", "ranks", or "auto": what the method asks for, else standardize.
{described(OPTIONS)}

    Attributes
    ----------
    classes_ : ndarray of the class labels, [K].
    model_ : the learned :class:`kernlab.Model`.
    method_ : the method with every "auto" replaced by what it came to.
    n_iter_ : epochs that the model was trained for, or steps of a solver that sees all rows at once.
    kept_ : what the held-out rows chose, a dict of ``epoch`` (0: the map as it was drawn), ``of`` (epochs at most),
        ``rows``, ``penalty`` (of the head; None: chosen elsewhere) and ``learned`` (False: the assigned map is kept);
        None where no rows were held out.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    """

    _task = "classification"
    classes_: NDArray[Any]

    def _targets(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        return rows, labels

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], tuple[str, ...]]:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                "a classifier needs rows of at least two classes to learn from",
                f"{len(y)} sample{'s' * (len(y) != 1)} of one class, {self.classes_[0]!r}",
            )
        return codes.reshape(-1).astype(np.int64), tuple(map(str, self.classes_))

    @available_if(learns_by_passes)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> KernelClassifier:
        """One pass over these rows, going on from where the last call or ``fit`` left off.

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
        return self.model_.decision_function(validate_data(self, X, dtype=[np.float64, np.float32], reset=False))

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
