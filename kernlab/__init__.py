"""See kernel learning: train, watch and compare spectral kernels.

    from kernlab import RunSpec, fit
    result = fit(RunSpec.of("ASKL", "digits", n_features=500))
    result.summary["test_metric"]

Names are imported when they are first used, so that ``import kernlab`` costs nothing.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernlab.errors import KernlabError
    from kernlab.estimators import KernelClassifier, KernelRegressor
    from kernlab.methods import METHODS, MethodSpec, method
    from kernlab.model import Model
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import Result, fit, train

__version__ = "0.1.0"

# Threads of OpenMP (torch, scikit-learn) spin for a while where they wait for each other. On a busy machine they spin
# on the core that the awaited thread needs: a training of many small steps took fifty times as long there. Threads
# that sleep cost nothing measurable on an idle machine. OpenMP reads this when torch is loaded; the choice of a user
# who has set it stays.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

_HOMES = {
    "KernelClassifier": "estimators",
    "KernelRegressor": "estimators",
    "KernlabError": "errors",
    "METHODS": "methods",
    "MethodSpec": "methods",
    "method": "methods",
    "Model": "model",
    "RunSpec": "spec",
    "Result": "training.trainer",
    "fit": "training.trainer",
    "train": "training.trainer",
}
__all__ = [
    "METHODS",
    "KernelClassifier",
    "KernelRegressor",
    "KernlabError",
    "MethodSpec",
    "Model",
    "Result",
    "RunSpec",
    "fit",
    "method",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"kernlab.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'kernlab' has no attribute {name!r}")
