"""Bounds by name, as terms."""

from kernlab.bounds.base import BOUNDS, Bound, Estimate, Term
from kernlab.bounds.spectral import SPECTRAL, spectral_terms

__all__ = ["BOUNDS", "SPECTRAL", "Bound", "Estimate", "Term", "spectral_terms"]
