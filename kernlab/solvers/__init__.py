"""Solvers by name."""

from kernlab.solvers.base import SOLVERS, Assigned, FullBatchSolver, Problem, Solver, parameters
from kernlab.solvers.chi_square_ball import ChiSquareBall
from kernlab.solvers.frame_selection import FrameSelection
from kernlab.solvers.mkl import MultipleKernels
from kernlab.solvers.proximal_gradient import ProximalGradient

__all__ = [
    "SOLVERS",
    "Assigned",
    "ChiSquareBall",
    "FrameSelection",
    "FullBatchSolver",
    "MultipleKernels",
    "Problem",
    "ProximalGradient",
    "Solver",
    "parameters",
]
