"""Heads by name."""

from kernlab.heads.base import HEADS, Fitting, Head, feature_blocks
from kernlab.heads.linear import Joint, LinearHead

__all__ = ["HEADS", "Fitting", "Head", "Joint", "LinearHead", "feature_blocks"]
