"""Methods: what one is made of (:mod:`kernlab.methods.composition`) and those that have a name."""

from kernlab.methods.composition import CHOICES, METHODS, REPRESENTATIONS, SLOTS, MethodSpec
from kernlab.methods.named import method  # fills METHODS as soon as the package is imported
from kernlab.methods.symbols import SYMBOLS

__all__ = ["CHOICES", "METHODS", "REPRESENTATIONS", "SLOTS", "SYMBOLS", "MethodSpec", "method"]
