"""Measurements of speed: every figure is the median ratio to a named baseline that is measured in the same run.

A benchmark is a function registered in :data:`BENCHMARKS` that returns figures by name.
"""

# They register themselves.
from kernlab.bench import (  # noqa: F401
    alive,
    bring,
    busy,
    crowd,
    defaults,
    discriminant,
    fastfood,
    film,
    frames,
    lab,
    lasting,
    lessons,
    opening,
    pages,
    pictures,
    posterior,
    preview,
    replicates,
    step,
)
from kernlab.bench.base import BENCHMARKS

__all__ = ["BENCHMARKS"]
