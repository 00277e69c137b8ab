"""Spectrum: the frequencies a kernel is made of, at any moment of a run."""

from kernlab.ui import inside, spectrum

inside.page(
    "spectrum",
    "Spectrum",
    "The frequencies that a kernel is made of, before, now and at any moment.",
    before=spectrum.numbers,
    after=spectrum.frequency_list,
    without="The kernel of this run is used as it is, without random features: it has no frequencies to show.",
)
