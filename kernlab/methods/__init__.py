"""Methods: what one is made of (:mod:`kernlab.methods.composition`) and those that have a name."""

from kernlab.methods.composition import CHOICES, METHODS, REPRESENTATIONS, SLOTS, MethodSpec
from kernlab.methods.named import method  # fills METHODS, which nobody therefore finds empty

__all__ = ["CHOICES", "METHODS", "REPRESENTATIONS", "SLOTS", "MethodSpec", "method"]
