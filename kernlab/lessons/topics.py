"""The computations, which register themselves: a new one is a file and its name here."""

from kernlab.lessons import (
    bandwidth,
    density,
    descent,
    diagonal,
    difference,
    proof,
    random_features,
    rank,
    reading,
    shell,
    walking,
)

__all__ = ["TOPICS"]

#: In the order of the lessons.
TOPICS = (
    random_features, density, diagonal, bandwidth, rank, reading, walking, shell, proof, difference, descent
)  # fmt: skip
