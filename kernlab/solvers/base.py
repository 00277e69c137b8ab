"""How the parameters of a method are found."""

from __future__ import annotations

from kernlab.options import Component
from kernlab.registry import Registry

__all__ = ["SOLVERS", "Solver"]


class Solver(Component):
    """Base of solvers: the options of how a method's parameters are found."""


SOLVERS: Registry[type[Solver]] = Registry("solver")
