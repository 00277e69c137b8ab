"""Heads by name."""

from kernlab.heads.base import HEADS, Fitting, Head, feature_blocks
from kernlab.heads.dual import DualHead, Expansion
from kernlab.heads.kernel_ridge import KernelRidge
from kernlab.heads.linear import Joint, LinearHead
from kernlab.heads.logistic import Logistic
from kernlab.heads.ridge import Ridge
from kernlab.heads.svc import SVC
from kernlab.heads.svm import LinearSVM
from kernlab.heads.svr import EpsilonSVR, NuSVR

__all__ = [
    "HEADS",
    "SVC",
    "DualHead",
    "EpsilonSVR",
    "Expansion",
    "Fitting",
    "Head",
    "Joint",
    "KernelRidge",
    "LinearHead",
    "LinearSVM",
    "Logistic",
    "NuSVR",
    "Ridge",
    "feature_blocks",
]
