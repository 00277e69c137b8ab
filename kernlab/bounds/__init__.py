"""Bounds by name, as terms."""

from kernlab.bounds.alignment import ALIGNMENT, alignment_terms
from kernlab.bounds.base import BOUNDS, DELTA, Bound, Estimate, Term
from kernlab.bounds.discriminant import DISCRIMINANT, discriminant_terms
from kernlab.bounds.frame import FRAME, FrameSetting, eigenvalue_tails, frame_terms, power_law_tails, with_root
from kernlab.bounds.spectral import SPECTRAL, Guarantee, guaranteed, spectral_formula, spectral_terms

__all__ = [
    "ALIGNMENT",
    "BOUNDS",
    "DELTA",
    "DISCRIMINANT",
    "FRAME",
    "SPECTRAL",
    "Bound",
    "Estimate",
    "FrameSetting",
    "Guarantee",
    "Term",
    "alignment_terms",
    "discriminant_terms",
    "eigenvalue_tails",
    "frame_terms",
    "guaranteed",
    "power_law_tails",
    "spectral_formula",
    "spectral_terms",
    "with_root",
]
