"""Heads by name."""

from kernlab.heads.base import HEADS, Fitting, Head, Joint, LinearHead, feature_blocks
from kernlab.heads.dual import DualHead, Expansion
from kernlab.heads.kernel_ridge import KernelRidge
from kernlab.heads.libsvm import SVC, EpsilonSVR, NuSVR
from kernlab.heads.logistic import Logistic
from kernlab.heads.ridge import Ridge
from kernlab.heads.svm import LinearSVM

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

# In the order of the forms.
for _head in (Expansion, KernelRidge, Joint, Logistic, Ridge, SVC, LinearSVM, EpsilonSVR, NuSVR):
    HEADS.add(_head.name, _head)
