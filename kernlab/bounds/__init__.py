"""Bounds by name, as terms."""

from kernlab.bounds.alignment import ALIGNMENT, alignment_terms
from kernlab.bounds.base import BOUNDS, Bound, Estimate, Term
from kernlab.bounds.frame import FRAME, frame_terms
from kernlab.bounds.spectral import SPECTRAL, spectral_terms

__all__ = [
    "ALIGNMENT",
    "BOUNDS",
    "FRAME",
    "SPECTRAL",
    "Bound",
    "Estimate",
    "Term",
    "alignment_terms",
    "frame_terms",
    "spectral_terms",
]
