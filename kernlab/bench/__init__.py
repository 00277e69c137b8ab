"""Measurements of speed: every figure is a ratio to a named baseline in the same run, a median of several.

A benchmark is a function registered in :data:`BENCHMARKS` that returns figures by name. Published results are
reproduced by functions registered in :data:`REPRODUCTIONS` that return the rows of a table, and as the stored
comparisons of :data:`TABLES`.
"""

# They register themselves.
from kernlab.bench import (  # noqa: F401
    defaults,
    di_figures,
    discriminant,
    fastfood,
    frames,
    lkrf,
    replicates,
    scrubbing,
    step,
    watching,
)
from kernlab.bench.base import BENCHMARKS, REPRODUCTIONS
from kernlab.bench.tables import TABLES

__all__ = ["BENCHMARKS", "REPRODUCTIONS", "TABLES"]
