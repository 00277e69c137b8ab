"""Bounds by name, as terms."""

from kernlab.bounds.alignment import ALIGNMENT, alignment_terms
from kernlab.bounds.base import BOUNDS, Bound, Estimate, Term
from kernlab.bounds.discriminant import DISCRIMINANT, discriminant_terms
from kernlab.bounds.frame import FRAME, frame_terms
from kernlab.bounds.spectral import SPECTRAL, spectral_terms

__all__ = [
    "ALIGNMENT",
    "BOUNDS",
    "DISCRIMINANT",
    "FRAME",
    "SPECTRAL",
    "Bound",
    "Estimate",
    "Term",
    "alignment_terms",
    "discriminant_terms",
    "frame_terms",
    "spectral_terms",
]
