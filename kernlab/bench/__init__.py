"""Measurements of speed: every figure is a ratio to a named baseline in the same run, a median of several.

A benchmark is a function registered in :data:`BENCHMARKS` that returns figures by name. Published results are
reproduced by functions registered in :data:`REPRODUCTIONS` that return the rows of a table, and as the stored
comparisons of :data:`TABLES`.
"""

# They register themselves.
from kernlab.bench import defaults, di_figures, discriminant, frames, lkrf, replicates, scrubbing, step, watching  # noqa: F401
from kernlab.bench.base import BENCHMARKS, REPRODUCTIONS
from kernlab.bench.tables import TABLES

__all__ = ["BENCHMARKS", "REPRODUCTIONS", "TABLES"]
