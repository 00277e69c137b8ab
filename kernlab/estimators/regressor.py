"""Every method that can predict numbers, as a scikit-learn regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from kernlab.errors import DataError
from kernlab.estimators.base import OPTIONS, KernelEstimator, learns_by_passes
from kernlab.estimators.options import described
from kernlab.estimators.persistence import Saved

__all__ = ["KernelRegressor"]


class KernelRegressor(Saved, RegressorMixin, KernelEstimator):  # type: ignore[misc]
    __doc__ = f"""A regressor by any of kernlab's methods, of one target or, where the method can, of several.

    Every option of every method is a parameter; ``None`` stands for the method's own value, and ``fit`` refuses an
    option that the method does not have. Inputs are scaled as ``scaling`` says and targets are standardised, in
    ``fit``; predictions are in the targets' own unit. ``sample_weight`` is there where a sample of weight k can
    count exactly as k copies of it, ``partial_fit`` where map and weights are learned together from mini-batches.

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
    model_ : the learned :class:`kernlab.Model`.
    method_ : the method with every "auto" replaced by what it came to.
    n_iter_ : epochs that the model was trained for, or steps of a solver that sees all rows at once.
    kept_ : what the held-out rows chose, a dict of ``epoch`` (0: the map as it was drawn), ``of`` (epochs at most),
        ``rows``, ``penalty`` (of the head; None: chosen elsewhere) and ``learned`` (False: the assigned map is kept);
        None where no rows were held out.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    """

    _task = "regression"
    _flat: bool  # targets came as one column without a second axis

    def _targets(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        return self._checked(X, y, reset=True)

    def _checked(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, numbers = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            multi_output=self._method().head.multi_output,
            y_numeric=True,
            reset=reset,
            ensure_min_samples=2 if reset else 1,
        )
        return rows, numbers.astype(np.float64)

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], tuple[str, ...]]:
        self._flat = y.ndim == 1
        Y = y.reshape(len(y), -1)
        return Y, tuple(f"y{k}" for k in range(Y.shape[1]))

    @available_if(learns_by_passes)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> KernelRegressor:
        """One pass over these rows, going on from where the last call or ``fit`` left off.

        The learning rate stays the same; scalings and automatic scales are those of the first call.

        Args:
            X: inputs, [n d].
            y: targets, [n] or [n K].

        Raises:
            ValueError: another number of inputs or targets than before.
        """
        first = not hasattr(self, "model_")
        rows, numbers = self._checked(X, y, reset=first)
        codes, names = self._coded(numbers)
        if not first and len(names) != len(self.model_.names):
            raise DataError("the number of targets must stay the same", len(names), f"pass {len(self.model_.names)}")
        self._pass(rows, codes, names)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Targets in their own unit, [n] or [n K] as they came."""
        check_is_fitted(self)
        Y = self.model_.decision_function(validate_data(self, X, dtype=[np.float64, np.float32], reset=False))
        return Y[:, 0] if self._flat else Y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        method = self._method_or_none()
        tags.target_tags.multi_output = bool(method and method.head.multi_output)
        return tags
