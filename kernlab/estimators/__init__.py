"""scikit-learn's interface: every method as a classifier or regressor, every feature map as a transformer."""

from typing import Any

from kernlab.estimators.classifier import KernelClassifier
from kernlab.estimators.columns import TableColumns
from kernlab.estimators.features import TRANSFORMERS, KernelFeatures
from kernlab.estimators.regressor import KernelRegressor

__all__ = ["TRANSFORMERS", "KernelClassifier", "KernelFeatures", "KernelRegressor", "TableColumns", *TRANSFORMERS]


def __getattr__(name: str) -> Any:
    if name in TRANSFORMERS:
        return TRANSFORMERS[name]
    raise AttributeError(f"module 'kernlab.estimators' has no attribute {name!r}")
