"""Baselines with which every method should be compared, computed by scikit-learn.

    constant      the largest class, or the training mean
    svm-rbf       support vector machine with a Gaussian kernel (LibSVM)
    boosting      gradient boosting of trees on histograms
    extra-trees   averages of extremely randomised trees

A baseline is fitted to the same rows as a method, is judged by the same metric, and is tuned by the same rule and
budget; where the budget is in seconds, :data:`LEAST` is its minimum. A new baseline is one class registered in
:data:`BASELINES`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kernlab.compare.spaces import RANGES, Range, space_of
from kernlab.data import Prepared, score
from kernlab.errors import DataError, KernlabError, TrainingError
from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Task

__all__ = ["BASELINES", "LEAST", "Baseline", "Boosting", "Constant", "ExtraTrees", "Predict", "SupportVectorMachine"]


#: The search that a baseline gets however short the time is, in words (:func:`kernlab.compare.searches.coarse_first`).
LEAST = (
    "Whatever the limit in seconds, a baseline tries at least 20 settings (fewer where fewer trials are allowed) on at "
    "most 2000 training rows: the SVM the 5 × 4 grid of C and γ around its own, trees their own and 19 that "
    "fill their ranges evenly. Its own settings and the best three are tried again on all rows. In the remaining "
    "time the search continues from the best of them, with as many trials as a method has."
)


#: Class codes or targets for inputs [n d].
Predict: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]


class Baseline(Component):
    """Base of baselines; subclasses define ``machine``.

    Class attributes:
        tasks: that it can learn.
        ranges: where its options are searched, by key.
        coarse: factors of the values in force, whose product is tried first where time is short; empty: settings
            that fill the ranges evenly.
    """

    tasks: ClassVar[tuple[Task, ...]] = ("classification", "regression")
    ranges: ClassVar[Mapping[str, Range]] = {}
    coarse: ClassVar[Mapping[str, tuple[float, ...]]] = {}

    def machine(self, data: Prepared, seed: int) -> Any:
        """The scikit-learn estimator with these options, for one target."""
        raise NotImplementedError

    def check(self, n: int) -> None:
        """Refuse a training part of ``n`` rows that it cannot be fitted to in reasonable time.

        Raises:
            DataError: with the reason.
        """

    def resolved(self, data: Prepared) -> Baseline:
        """A copy in which every "auto" is the number that the rule finds in the training part."""
        return self

    def space(self, data: Prepared, fixed: tuple[str, ...] = ()) -> dict[str, Range]:
        """The range of every option that is searched."""
        return space_of(self.resolved(data), fixed, {**RANGES, **self.ranges})

    def fitted(self, data: Prepared, seed: int) -> Predict:
        """Fit to the training part on one thread.

        Returns:
            A function of inputs [n d]: class codes [n], or targets [n K] in the unit of ``data.y_train``.

        Raises:
            DataError: too many rows for it.
            TrainingError: scikit-learn could not fit it.
        """
        from threadpoolctl import threadpool_limits

        self.check(len(data.X_train))
        try:
            with threadpool_limits(1):
                columns = [data.y_train] if data.targets is None else list(data.y_train.T)
                machines = [self.machine(data, seed).fit(data.X_train, column) for column in columns]
        except KernlabError:
            raise
        except (ValueError, ArithmeticError, MemoryError) as error:
            raise TrainingError(f"{self.title} must be fitted", error, "change its options or the data") from None

        def predict(X: NDArray[Any]) -> NDArray[Any]:
            found = [machine.predict(X) for machine in machines]
            return np.asarray(found[0]) if data.targets is None else np.stack(found, axis=1)

        return predict

    def fit_score(self, data: Prepared, seed: int = 0) -> tuple[dict[str, float], Predict]:
        """Fit to the training part and measure on both.

        Args:
            data: the split.
            seed: of random choices, where the baseline makes any.

        Returns:
            ``test`` and ``train``: accuracy in percent, or RMSE in the reported unit; ``seconds`` of fitting and
            predicting; for regression ``test_rmse_range100``, with every target stretched to [0, 100]. And the function
            that predicts, as :meth:`fitted` returns it.

        Raises:
            DataError: more rows than it can be fitted to.
            TrainingError: scikit-learn could not fit it.
        """
        began = time.perf_counter()
        predict = self.fitted(data, seed)
        test, train = predict(data.X_test), predict(data.X_train)
        found = {
            "seconds": time.perf_counter() - began,
            "test": score(data, test, data.y_test),
            "train": score(data, train, data.y_train),
        }
        if data.targets:
            found["test_rmse_range100"] = score(data, test, data.y_test, data.range100)
        return found, predict


#: Baselines by name.
BASELINES: Registry[type[Baseline]] = Registry("baseline")


@BASELINES.register("constant")
@component
class Constant(Baseline):
    """The largest class of the training part (the lowest code on a tie), or its mean."""

    name = "constant"
    title = "Constant predictor"

    def machine(self, data: Prepared, seed: int) -> Any:
        from sklearn.dummy import DummyClassifier, DummyRegressor

        return DummyClassifier(strategy="most_frequent") if data.targets is None else DummyRegressor()


@BASELINES.register("svm-rbf")
@component
class SupportVectorMachine(Baseline):
    """Support vector machine with the kernel exp(−γ‖x − x'‖²); ε-regression for real targets."""

    name = "svm-rbf"
    title = "RBF-SVM"
    source = "Cortes & Vapnik 1995; Drucker et al. 1997; Chang & Lin 2011"
    ranges: ClassVar[Mapping[str, Range]] = {
        "gamma": Range(1 / 16, 16, relative=True, grid=tuple(2.0**k for k in range(-9, 4)))  # FKS §5
    }
    coarse: ClassVar[Mapping[str, tuple[float, ...]]] = {"C": (0.01, 0.1, 1, 10, 100), "gamma": (0.25, 1, 3, 9)}
    most: ClassVar[int] = 20_000  # the time grows with n² to n³: minutes at 20 000 rows

    C: float = option(10.0, "Weight of the errors, summed over samples, against ½‖f‖².", gt=0, log=True)
    gamma: float | Literal["auto"] = option(
        "auto", "γ of the kernel; auto: 1/(d · variance of the inputs).", gt=0, log=True
    )
    epsilon: float = option(
        0.1, "Half-width ε of the tube, in standard deviations of the target (regression only).", ge=0
    )

    def check(self, n: int) -> None:
        if n > self.most:
            raise DataError(
                f"{self.title} is fitted to at most {self.most} training rows, since its time grows with their square",
                f"{n} rows",
                "leave it out, or compare on fewer rows",
            )

    def resolved(self, data: Prepared) -> Baseline:
        if self.gamma != "auto":
            return self
        return self.replace(gamma=1.0 / (data.X_train.shape[1] * max(float(data.X_train.var()), 1e-12)))

    def space(self, data: Prepared, fixed: tuple[str, ...] = ()) -> dict[str, Range]:
        found = super().space(data, fixed)
        if data.targets is None:
            found.pop("epsilon", None)
        return found

    def machine(self, data: Prepared, seed: int) -> Any:
        from sklearn.svm import SVC, SVR

        options = self.resolved(data).options()
        shared = {"C": options["C"], "gamma": options["gamma"], "cache_size": 500}
        return SVC(**shared) if data.targets is None else SVR(**shared, epsilon=options["epsilon"])


@BASELINES.register("boosting")
@component
class Boosting(Baseline):
    """Gradient boosting of trees on histograms of the inputs."""

    name = "boosting"
    title = "Gradient boosting"
    source = "Friedman 2001; Ke et al. 2017"
    ranges: ClassVar[Mapping[str, Range]] = {
        "learning_rate": Range(0.02, 0.3),
        "max_iter": Range(50, 500, whole=True),
        "max_leaf_nodes": Range(8, 64, whole=True),
        "min_samples_leaf": Range(5, 50, whole=True),
    }

    learning_rate: float = option(0.1, "Share of each tree that is added.", gt=0, le=1, log=True)
    max_iter: int = option(200, "Number of rounds: one tree each, or one for each class.", ge=1, le=10_000, log=True)
    max_leaf_nodes: int = option(31, "Leaves of a tree at most.", ge=2, le=10_000, log=True)
    min_samples_leaf: int = option(20, "Rows in a leaf at least.", ge=1, le=100_000, log=True)
    l2_regularization: float = option(0.0, "Penalty on the values of the leaves.", ge=0, log=True)

    def machine(self, data: Prepared, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        kind = HistGradientBoostingClassifier if data.targets is None else HistGradientBoostingRegressor
        return kind(**self.options(), early_stopping=False, random_state=seed)


@BASELINES.register("extra-trees")
@component
class ExtraTrees(Baseline):
    """The average of extremely randomised trees."""

    name = "extra-trees"
    title = "Extremely randomised trees"
    source = "Geurts, Ernst & Wehenkel 2006"
    ranges: ClassVar[Mapping[str, Range]] = {
        "min_samples_leaf": Range(1, 10, whole=True),
        "max_features": Range(0.1, 1.0, log=False),
    }

    n_estimators: int = option(200, "Number of trees.", ge=1, le=10_000, log=True)
    min_samples_leaf: int = option(1, "Rows in a leaf at least.", ge=1, le=100_000, log=True)
    max_features: float | Literal["auto"] = option(
        "auto", "Share of the inputs tried at a split; auto: √d of them for classes, all for real targets.", gt=0, le=1
    )

    def resolved(self, data: Prepared) -> Baseline:
        if self.max_features != "auto":
            return self
        d = data.X_train.shape[1]
        return self.replace(max_features=1.0 if data.targets else max(1, int(d**0.5)) / d)

    def machine(self, data: Prepared, seed: int) -> Any:
        from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

        kind = ExtraTreesClassifier if data.targets is None else ExtraTreesRegressor
        return kind(**self.resolved(data).options(), random_state=seed, n_jobs=1)
