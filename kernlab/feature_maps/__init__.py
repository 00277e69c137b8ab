"""Feature maps by name."""

from kernlab.feature_maps.arc_cosine import ArcCosine
from kernlab.feature_maps.base import EXACT_KERNELS, FEATURE_MAPS, ExactKernel, FeatureMap, Representation
from kernlab.feature_maps.deep import Deep
from kernlab.feature_maps.exact import Dictionary, Exact
from kernlab.feature_maps.fastfood import Fastfood
from kernlab.feature_maps.frames import FourierFrame, WaveletFrame
from kernlab.feature_maps.nystroem import Nystroem
from kernlab.feature_maps.spectral import NonStationary, Stationary
from kernlab.feature_maps.weighted import Weighted

__all__ = [
    "EXACT_KERNELS",
    "FEATURE_MAPS",
    "ArcCosine",
    "Deep",
    "Dictionary",
    "Exact",
    "ExactKernel",
    "Fastfood",
    "FeatureMap",
    "FourierFrame",
    "NonStationary",
    "Nystroem",
    "Representation",
    "Stationary",
    "WaveletFrame",
    "Weighted",
]
