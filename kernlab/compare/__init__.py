"""Comparing methods on the same splits."""

from kernlab.compare.base import Cell, Comparison, Record, Tuning

__all__ = ["Cell", "Comparison", "Record", "Tuning"]
