"""Objectives by name."""

from kernlab.objectives.alignment import Alignment
from kernlab.objectives.base import OBJECTIVES, Loss, MapObjective, Objective
from kernlab.objectives.cross_entropy import CrossEntropy
from kernlab.objectives.discriminant import Discriminant
from kernlab.objectives.hinge import Hinge
from kernlab.objectives.ridge_loss import RidgeLoss
from kernlab.objectives.squared import Squared

__all__ = [
    "OBJECTIVES",
    "Alignment",
    "CrossEntropy",
    "Discriminant",
    "Hinge",
    "Loss",
    "MapObjective",
    "Objective",
    "RidgeLoss",
    "Squared",
]
