"""Bounds by name, as terms."""

from kernlab.bounds.base import BOUNDS, Bound, Term
from kernlab.bounds.spectral import SPECTRAL, spectral_terms

__all__ = ["BOUNDS", "SPECTRAL", "Bound", "Term", "spectral_terms"]
