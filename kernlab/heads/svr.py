"""Support vector regression on an exact kernel.

    ε-SVR    min over f, b of      ½‖f‖² + C Σ_i w_i |f(x_i) + b − y_i|_ε
    ν-SVR    min over f, b, ε of   ½‖f‖² + C (ν Σ_i w_i ε + Σ_i w_i |f(x_i) + b − y_i|_ε)

with |r|_ε = max(|r| − ε, 0), for each target by itself. At most a share ν of the rows lies outside the tube
of ν-SVR and at least a share ν are support points. C sums over samples, as in LibSVM.

Source: FKS section 5; Drucker et al. 1997; Schölkopf et al. 2000.
"""

from __future__ import annotations

from typing import Any

from kernlab.heads.base import HEADS, Fitting
from kernlab.heads.dual import expansion
from kernlab.heads.libsvm import SupportVectors, one_for_each
from kernlab.heads.rows import weighted_rows
from kernlab.options import component, option
from kernlab.typing import Tensor

__all__ = ["EpsilonSVR", "NuSVR"]


class SupportVectorRegression(SupportVectors):
    """Base of both: the same fit, by another of scikit-learn's machines."""

    tasks = ("regression",)
    machine: str

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` [s d], ``dual`` [s K] and ``bias`` [K]."""
        from sklearn import svm

        fitting = weighted_rows(fitting)
        kernel, given = self.given(fitting)
        found = one_for_each(getattr(svm, self.machine), kernel | self.settings(), given, fitting.Y, fitting.weight)
        return expansion(fitting.X, *found)


@HEADS.register("epsilon_svr")
@component
class EpsilonSVR(SupportVectorRegression):
    """Support vector regression with a tube of half-width ε."""

    name = "epsilon_svr"
    title = "ε-support vector regression"
    formula = r"\min_f\tfrac12\|f\|_{\mathcal H}^2+C\sum_i|f(x_i)-y_i|_\varepsilon"
    source = "FKS section 5; Drucker et al. 1997"
    machine = "SVR"

    epsilon: float = option(0.1, "Half-width ε of the tube, in standard deviations of the target.", ge=0)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"epsilon": self.epsilon}


@HEADS.register("nu_svr")
@component
class NuSVR(SupportVectorRegression):
    """Support vector regression that chooses its tube: at most a share ν of the rows lies outside."""

    name = "nu_svr"
    title = "ν-support vector regression"
    formula = r"\min_{f,\varepsilon}\tfrac12\|f\|_{\mathcal H}^2+C\,(\nu n\varepsilon+\sum_i|f(x_i)-y_i|_\varepsilon)"
    source = "FKS section 5; Schölkopf et al. 2000"
    machine = "NuSVR"

    nu_svr: float = option(0.5, "Share ν of the rows that may lie outside the tube.", gt=0, le=1)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"nu": self.nu_svr}
