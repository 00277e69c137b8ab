"""Kernel: which points a model treats as similar, at any moment of it."""

from kernlab.ui import inside
from kernlab.ui.spectrum import phases

inside.page("kernel", "Kernel", "Which points a model treats as similar, and the matrix of its kernel.", before=phases)
