"""Heads by name."""

from kernlab.heads.base import HEADS, Fitting, Head, feature_blocks
from kernlab.heads.linear import Joint, LinearHead
from kernlab.heads.ridge import Ridge

__all__ = ["HEADS", "Fitting", "Head", "Joint", "LinearHead", "Ridge", "feature_blocks"]
