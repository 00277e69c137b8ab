"""Solvers by name."""

from kernlab.solvers.base import SOLVERS, Solver
from kernlab.solvers.proximal_gradient import ProximalGradient

__all__ = ["SOLVERS", "ProximalGradient", "Solver"]
