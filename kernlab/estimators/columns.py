"""Raw tables in a pipeline: numbers, categories, dates, yes and no, and gaps become inputs.

    make_pipeline(TableColumns(), KernelClassifier(method="ASKL")).fit(frame, labels).predict(other_frame)

It is the preparation of an import (:mod:`kernlab.data.recipe`), measured on the rows that it is fitted to: in
cross-validation on the training rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from kernlab.data.kinds import Kind
from kernlab.data.recipe import Categories, Missing, Preparation, preparation_of
from kernlab.errors import OptionError

__all__ = ["TableColumns"]


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Columns of a raw table as inputs.

    Args:
        missing: what stands for a missing value: "mean", "most frequent", or "indicator" (the mean, and a column of
            zeros and ones beside it; of categories one of its own).
        categories: "one-hot" or "ordinal".
        kinds: kinds of columns by name, where another one is wanted than is found: "number", "boolean", "date",
            "category", "text" (left out) or "drop".
        decimal: the decimal sign of numbers that are text.

    Attributes:
        preparation_ : the :class:`kernlab.data.Preparation` that was measured; ``to_dict`` makes JSON of it.
        n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    """

    preparation_: Preparation

    def __init__(
        self,
        missing: Missing = "mean",
        categories: Categories = "one-hot",
        kinds: Mapping[str, Kind] | None = None,
        decimal: str = ".",
    ) -> None:
        self.missing = missing
        self.categories = categories
        self.kinds = kinds
        self.decimal = decimal

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the columns' kinds and measure means, most frequent values and categories.

        Args:
            X: a pandas frame, a ``pyarrow`` table, a list of dicts, or an array [n, columns] of numbers or objects.
            y: not used.

        Raises:
            KernlabError: a cell is not what its column is, or no column can become an input.
        """
        if self.missing == "drop":
            raise OptionError("missing must be mean, most frequent or indicator", "drop, which would leave rows out",
                              "leave the rows out before the pipeline")  # fmt: skip
        names = getattr(X, "column_names", getattr(X, "columns", None))  # of an Arrow table, or a frame
        columns = None if names is None else tuple(map(str, names))
        if columns is not None:
            self.feature_names_in_ = np.array(columns, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.preparation_, self.n_features_in_ = preparation_of(
            X, columns, missing=self.missing, categories=self.categories, kinds=self.kinds or {}, decimal=self.decimal
        )
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Inputs [n d], float32.

        Raises:
            NotFittedError: nothing was fitted.
            DataError: a column is not there, or a cell is not what its column is (with row and column).
        """
        check_is_fitted(self)
        return self.preparation_.transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the d inputs."""
        check_is_fitted(self)
        return np.array(self.preparation_.names, object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags
