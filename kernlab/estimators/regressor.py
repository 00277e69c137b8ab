"""Every method that can predict numbers, as a scikit-learn regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from kernlab.errors import DataError
from kernlab.estimators.base import ATTRIBUTES, OPTIONS, KernelEstimator, learns_by_passes
from kernlab.estimators.options import SCALINGS, described
from kernlab.heads.coordinates import Coordinates
from kernlab.heads.posterior import LinearPosterior, posterior

__all__ = ["KernelRegressor"]


class KernelRegressor(RegressorMixin, KernelEstimator):  # type: ignore[misc]
    __doc__ = f"""A regressor by any of kernlab's methods, of one target or, where the method can, of several.

    Every option of every method is a parameter; ``None`` stands for the method's own value, and ``fit`` refuses an
    option that the method does not have. Inputs are scaled as ``scaling`` says and targets are standardised, in
    ``fit``; predictions are in the targets' own unit. ``sample_weight`` is offered where a sample of weight k
    can count exactly as k copies of it, ``partial_fit`` where map and weights are learned together from mini-batches.

    Parameters
    ----------
    method : str or MethodSpec, default="ASKL"
        A named method of ``kernlab.METHODS``, or a composition of one's own.
    scaling : str, default="auto"
        {SCALINGS}, or "auto": what the method asks for, else standardize.
{described(OPTIONS)}

    Attributes
    ----------
    {ATTRIBUTES}
    """

    _task = "regression"
    _span: Coordinates | None = None
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
        """One pass over these rows, continuing after the last call or ``fit``.

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

    def predict(
        self, X: ArrayLike, return_std: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Targets in their own unit, [n] or [n K] as they came.

        Args:
            X: inputs, [n d].
            return_std: also return the standard deviation of an observation at each row, of the same shape: that of
                Bayesian linear regression on the learned features (:mod:`kernlab.heads.posterior`), or of the Gaussian
                process of an exact kernel (:mod:`kernlab.heads.coordinates`), noise included. Its ρ is that of a ridge
                head, whose prediction is then its mean; of other heads it has the largest evidence, and its mean may
                differ from the prediction.

        Raises:
            ValueError: of the deviation: the rows of ``fit`` are not known (after ``load`` and ``partial_fit``), or
                they had weights.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        Y = self.model_.decision_function(rows)
        mean = Y[:, 0] if self._flat else Y
        if not return_std:
            return mean
        deviation = self._deviation(rows)
        return mean, deviation[:, 0] if self._flat else deviation

    def _keep(self, X: NDArray[Any], y: NDArray[Any], weighted: bool) -> None:
        self._rows: tuple[NDArray[Any], NDArray[Any]] | None = None if weighted else (X, y)
        self._posterior: LinearPosterior | None = None

    def _pass(self, X: NDArray[Any], y: NDArray[Any], names: tuple[str, ...]) -> Any:
        self._rows = self._posterior = None
        return super()._pass(X, y, names)

    def _deviation(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Deviation of an observation at each row [n K]; the posterior is computed at the first call."""
        model = self.model_
        if getattr(self, "_posterior", None) is None:
            if getattr(self, "_rows", None) is None:
                must = "return_std needs the rows of fit, each of which counts once"
                raise DataError(must, "an estimator that was loaded, fitted by passes, or to weighted rows", "call fit")
            inputs, targets = (torch.from_numpy(np.asarray(each, np.float64)) for each in self._rows or ())
            params, self._span = self._params(), self._span_of(inputs)
            penalty = float(params["penalty"]) if "penalty" in params else None
            if self._span is not None and penalty is not None:
                penalty *= len(targets)  # that of kernel ridge regression is against a mean over rows
            self._posterior = posterior(lambda: self._blocks(inputs, self._span), targets, penalty=penalty,
                                        bias="bias" in params or self._span is not None)  # fmt: skip
        found, new = self._posterior, torch.from_numpy(model.inputs.transform(X, dtype=np.float64))
        assert found
        spread = torch.cat([found.spread(Phi) for Phi in self._blocks(new, self._span)])
        assert model.targets
        return np.asarray(((spread[:, None] + 1) * found.noise).sqrt().numpy() * model.targets.scale)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        method = self._method_or_none()
        tags.target_tags.multi_output = bool(method and method.head.multi_output)
        return tags
