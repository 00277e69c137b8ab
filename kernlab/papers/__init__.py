"""The papers that kernlab implements, one file each: printed tables, reproductions, and the errors found."""

# They register themselves, in the order of the page.
from kernlab.papers import askl, discriminant, frames, lkrf  # noqa: F401
from kernlab.papers.base import PAPERS, REPRODUCTIONS, TABLES

__all__ = ["PAPERS", "REPRODUCTIONS", "TABLES"]
