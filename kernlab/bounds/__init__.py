"""Bounds by name, as terms."""

from kernlab.bounds.alignment import ALIGNMENT, alignment_terms
from kernlab.bounds.base import BOUNDS, Bound, Estimate, Term
from kernlab.bounds.spectral import SPECTRAL, spectral_terms

__all__ = ["ALIGNMENT", "BOUNDS", "SPECTRAL", "Bound", "Estimate", "Term", "alignment_terms", "spectral_terms"]
