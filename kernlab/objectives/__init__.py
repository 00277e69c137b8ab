"""Objectives by name."""

from kernlab.objectives.alignment import Alignment
from kernlab.objectives.base import OBJECTIVES, Loss, MapObjective, Objective
from kernlab.objectives.cross_entropy import CrossEntropy
from kernlab.objectives.hinge import Hinge
from kernlab.objectives.squared import Squared

__all__ = ["OBJECTIVES", "Alignment", "CrossEntropy", "Hinge", "Loss", "MapObjective", "Objective", "Squared"]
