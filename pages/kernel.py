"""Kernel: which points a run calls alike, at any moment of it."""

from kernlab.ui import inside
from kernlab.ui.phases import phases

inside.page("kernel", "Kernel", "Which points a model calls alike, and how its kernel's matrix is made.", before=phases)
