"""Objectives by name."""

from kernlab.objectives.base import OBJECTIVES, Loss, MapObjective, Objective
from kernlab.objectives.cross_entropy import CrossEntropy
from kernlab.objectives.hinge import Hinge
from kernlab.objectives.squared import Squared

__all__ = ["OBJECTIVES", "CrossEntropy", "Hinge", "Loss", "MapObjective", "Objective", "Squared"]
