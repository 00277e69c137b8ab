"""The named methods: each is one literal composition, with where it comes from.

ASKL family     SK, NSK, SKL, NSKL, ASKL, Deep-ASKL                       mini-batches, map and weights together
DI              RFDI, NysDI; RF-LS, Nys-LS, RF-CE, Nys-CE; RF, Nys, Nys-kmeans    the map first, then a head
LKRF            LKRF, LKRF-resampled                                      weights of random features, then a head
FKS             FKS-Fourier, FKS-wavelet                                  the spectrum of a frame kernel
exact kernels   eSVR-rbf, eSVR-poly, nuSVR-rbf, nuSVR-poly, SVC-rbf, KRR, MKL
"""

from __future__ import annotations

from typing import Any

from kernlab.composition import METHODS, REPRESENTATIONS, MethodSpec
from kernlab.feature_maps import NonStationary, Stationary
from kernlab.regularizers import FeatureNorm, Frobenius, TraceNorm

__all__ = ["METHODS", "REPRESENTATIONS", "MethodSpec", "method"]


def method(name: str, **options: Any) -> MethodSpec:
    """The named method with some options changed: ``method("ASKL", n_features=500)``.

    Raises:
        UnknownNameError: no such method or option.
        OptionError: a bad value.
    """
    return METHODS[name].with_options(options)


for _spec in (
    MethodSpec(
        "SK", Stationary(), learned=False, regularizers=(Frobenius(),),
        title="Stationary kernel, assigned density", source="ASKL Table 1; Rahimi & Recht 2007",
    ),
    MethodSpec(
        "NSK", NonStationary(), learned=False, regularizers=(Frobenius(),),
        title="Non-stationary kernel, assigned density", source="ASKL Table 1; Samo & Roberts 2015",
    ),
    MethodSpec(
        "SKL", Stationary(), learned=True, regularizers=(Frobenius(),),
        title="Stationary kernel, learned density", source="ASKL Table 1; Huang et al. 2014",
    ),
    MethodSpec(
        "NSKL", NonStationary(), learned=True, regularizers=(Frobenius(),),
        title="Non-stationary kernel, learned density", source="ASKL Table 1",
    ),
    MethodSpec(
        "ASKL", NonStationary(), learned=True, regularizers=(TraceNorm(), FeatureNorm()),
        title="Automated spectral kernel learning", source="ASKL eq. 4–9",
    ),
):  # fmt: skip
    METHODS.add(_spec.name, _spec)
