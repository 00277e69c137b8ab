"""The named methods: each is one literal composition, with where it comes from.

ASKL family     SK, NSK, SKL, NSKL, ASKL, Deep-ASKL                       mini-batches, map and weights together
DI              RFDI, NysDI; RF-LS, Nys-LS, RF-CE, Nys-CE; RF, Nys, Nys-kmeans    the map first, then a head
LKRF            LKRF, LKRF-resampled                                      weights of random features, then a head
FKS             FKS-Fourier, FKS-wavelet                                  the spectrum of a frame kernel
others          Fastfood, A-la-carte; ArcCosine                           products of Hadamard matrices; random ReLUs
exact kernels   eSVR-rbf, eSVR-poly, nuSVR-rbf, nuSVR-poly, SVC-rbf, KRR, MKL
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernlab.feature_maps import (
    ArcCosine,
    Deep,
    Dictionary,
    Exact,
    Fastfood,
    FourierFrame,
    NonStationary,
    Nystroem,
    Stationary,
    WaveletFrame,
    Weighted,
)
from kernlab.heads import SVC, EpsilonSVR, Expansion, KernelRidge, LinearSVM, NuSVR, Ridge
from kernlab.methods.composition import METHODS, MethodSpec
from kernlab.objectives import CrossEntropy, Discriminant, RidgeLoss
from kernlab.regularizers import FeatureNorm, Frobenius, TraceNorm
from kernlab.solvers import Assigned, ChiSquareBall, FrameSelection, MultipleKernels, ProximalGradient

__all__ = ["method"]


def method(name: str, **options: Any) -> MethodSpec:
    """The named method with some options changed: ``method("ASKL", n_features=500)``.

    Raises:
        UnknownNameError: no such method or option.
        OptionError: a bad value.
    """
    return METHODS[name].with_options(options)


def _named(family: str, *specs: MethodSpec) -> None:
    for spec in specs:
        METHODS.add(spec.name, replace(spec, family=family))


_named(
    "Spectral kernels (ASKL)",
    MethodSpec(
        "SK", Stationary(), learned=False, regularizers=(Frobenius(),),
        title="Stationary kernel, assigned density", source="ASKL Table 1; Rahimi & Recht 2007",
        look="sky dot circle-open",
    ),
    MethodSpec(
        "NSK", NonStationary(), learned=False, regularizers=(Frobenius(),),
        title="Non-stationary kernel, assigned density", source="ASKL Table 1; Samo & Roberts 2015",
        look="orange dashdot diamond-open",
    ),
    MethodSpec(
        "SKL", Stationary(), learned=True, regularizers=(Frobenius(),),
        title="Stationary kernel, learned density", source="ASKL Table 1; Huang et al. 2014",
        look="blue dash circle",
    ),
    MethodSpec(
        "NSKL", NonStationary(), learned=True, regularizers=(Frobenius(),),
        title="Non-stationary kernel, learned density", source="ASKL Table 1",
        look="vermillion longdash diamond",
    ),
    MethodSpec(
        "ASKL", NonStationary(), learned=True, regularizers=(TraceNorm(), FeatureNorm()),
        title="Automated spectral kernel learning", source="ASKL eq. 4–9",
        look="green solid star",
    ),
    MethodSpec(
        "Deep-ASKL", Deep(), learned=True, regularizers=(TraceNorm(), FeatureNorm()),
        title="ASKL on stacked spectral layers", source="ASKL, discussion",
        look="purple solid star-diamond",
    ),
)  # fmt: skip

#: How Discriminant Information is learned: large mini-batches, and a rate that falls where learning stands still.
_BY_PLATEAU: dict[str, Any] = {
    "solver": ProximalGradient(learning_rate=1e-3, batch_size="auto", schedule="plateau"),
    "heads": (Ridge(), LinearSVM()),
    "scaling": "[0,1]",
}
_ASSIGNED: dict[str, Any] = {"learned": False, "solver": Assigned()}
_LEARNED = Stationary(n_features=200, learn_phase=True)

_named(
    "Discriminant information (DI)",
    MethodSpec(
        "RFDI", _LEARNED, objective=Discriminant(), **_BY_PLATEAU,
        title="Random Fourier features learned by Discriminant Information", source="DI eq. 7, Algorithm 2",
        look="blue solid square",
    ),
    MethodSpec(
        "NysDI", Nystroem(n_features=200), objective=Discriminant(), **_BY_PLATEAU,
        title="Nyström landmarks learned by Discriminant Information", source="DI eq. 10, Algorithm 1",
        look="vermillion solid triangle-up",
    ),
    MethodSpec(
        "RF-LS", _LEARNED, objective=RidgeLoss(), **_BY_PLATEAU,
        title="Random Fourier features learned by alternating ridge regression", source="DI §5.2",
        look="sky dash square-cross",
    ),
    MethodSpec(
        "Nys-LS", Nystroem(n_features=200), objective=RidgeLoss(), **_BY_PLATEAU,
        title="Nyström landmarks learned by alternating ridge regression", source="DI §5.2",
        look="orange dash triangle-right",
    ),
    MethodSpec(
        "RF-CE", _LEARNED, objective=CrossEntropy(), **_BY_PLATEAU,
        title="Random Fourier features learned by cross-entropy", source="DI §5.3",
        look="sky longdash square-x",
    ),
    MethodSpec(
        "Nys-CE", Nystroem(n_features=200), objective=CrossEntropy(), **_BY_PLATEAU,
        title="Nyström landmarks learned by cross-entropy", source="DI §5.3",
        look="orange longdash triangle-left",
    ),
    MethodSpec(
        "RF", Stationary(n_features=200), heads=(Ridge(), LinearSVM()), scaling="[0,1]", **_ASSIGNED,
        title="Random Fourier features", source="DI §5.3; Rahimi & Recht 2007",
        look="blue dot square-open",
    ),
    MethodSpec(
        "Nys", Nystroem(n_features=200), heads=(Ridge(), LinearSVM()), scaling="[0,1]", **_ASSIGNED,
        title="Nyström features, random landmarks", source="DI §3.2; Williams & Seeger 2001",
        look="vermillion dot triangle-up-open",
    ),
    MethodSpec(
        "Nys-kmeans", Nystroem(n_features=200, selection="kmeans"), heads=(Ridge(), LinearSVM()), scaling="[0,1]",
        **_ASSIGNED, title="Nyström features, k-means landmarks", source="DI §5.3; Zhang et al. 2008",
        look="vermillion dashdot triangle-down-open",
    ),
)  # fmt: skip
_named(
    "Learned random features (LKRF)",
    MethodSpec(
        "LKRF", Weighted(), solver=ChiSquareBall(), heads=(Ridge(), LinearSVM()),
        title="Re-weighted random features", source="LKRF eq. 8–12",
        look="purple longdash pentagon",
    ),
    MethodSpec(
        "LKRF-resampled", Weighted(), solver=ChiSquareBall(resample=500), heads=(Ridge(), LinearSVM()),
        title="Random features drawn again from the learned weights", source="LKRF eq. 8–12",
        look="purple dashdot pentagon-open",
    ),
)  # fmt: skip
_named(
    "Frame kernels (FKS)",
    MethodSpec(
        "FKS-Fourier", FourierFrame(), solver=FrameSelection(),
        title="Frame kernel selection, Fourier frame", source="FKS eq. 12–13, Theorem 4",
        look="sky solid hourglass",
    ),
    MethodSpec(
        "FKS-wavelet", WaveletFrame(), solver=FrameSelection(),
        title="Frame kernel selection, wavelet frame", source="FKS eq. 12–13, Theorem 4",
        look="orange solid bowtie",
    ),
)  # fmt: skip
_named(
    "Fast and other random features",
    MethodSpec(
        "Fastfood", Fastfood(), heads=(Ridge(), LinearSVM()), **_ASSIGNED,
        title="Random Fourier features from products of Hadamard matrices", source="Le, Sarlós & Smola 2013",
    ),
    MethodSpec(
        "A-la-carte", Fastfood(), regularizers=(Frobenius(),),
        title="Fastfood with learned diagonals", source="Yang et al. 2015",
    ),
    MethodSpec(
        "ArcCosine", ArcCosine(), heads=(Ridge(), LinearSVM()), **_ASSIGNED,
        title="Random features of the arc-cosine kernel", source="Cho & Saul 2009",
    ),
)  # fmt: skip
_named(
    "Exact kernels",
    MethodSpec(
        "eSVR-rbf", Exact(), heads=(EpsilonSVR(),), **_ASSIGNED,
        title="ε-support vector regression, Gaussian kernel", source="FKS Table 2; Vapnik 1995",
        look="green dash cross",
    ),
    MethodSpec(
        "eSVR-poly", Exact(kernel="polynomial"), heads=(EpsilonSVR(),), **_ASSIGNED,
        title="ε-support vector regression, polynomial kernel", source="FKS Table 2; Vapnik 1995",
        look="green dot cross-open",
    ),
    MethodSpec(
        "nuSVR-rbf", Exact(), heads=(NuSVR(),), **_ASSIGNED,
        title="ν-support vector regression, Gaussian kernel", source="FKS Table 2; Schölkopf et al. 2000",
        look="green longdash x",
    ),
    MethodSpec(
        "nuSVR-poly", Exact(kernel="polynomial"), heads=(NuSVR(),), **_ASSIGNED,
        title="ν-support vector regression, polynomial kernel", source="FKS Table 2; Schölkopf et al. 2000",
        look="green dashdot x-open",
    ),
    MethodSpec(
        "SVC-rbf", Exact(), heads=(SVC(),), **_ASSIGNED,
        title="Support vector classification, Gaussian kernel", source="DI §3.1; Cortes & Vapnik 1995",
        look="purple dash hexagram",
    ),
    MethodSpec(
        "KRR", Exact(), heads=(KernelRidge(),), **_ASSIGNED,
        title="Kernel ridge regression", source="FKS eq. 2; Saunders et al. 1998",
        look="purple dot hexagon-open",
    ),
    MethodSpec(
        "MKL", Dictionary(), solver=MultipleKernels(), heads=(Expansion(),),
        title="Multiple kernel learning, ℓ_p norm", source="FKS Table 2; Kloft et al. 2011",
        look="blue dashdot octagon-open",
    ),
)  # fmt: skip
