"""Regularizers by name."""

from kernlab.regularizers.base import REGULARIZERS, Regularizer, Weighed
from kernlab.regularizers.feature_norm import FeatureNorm
from kernlab.regularizers.frobenius import Frobenius
from kernlab.regularizers.omega_norm import OmegaNorm
from kernlab.regularizers.trace_norm import TraceNorm

__all__ = ["REGULARIZERS", "FeatureNorm", "Frobenius", "OmegaNorm", "Regularizer", "TraceNorm", "Weighed"]
