"""Spectrum: the frequencies a kernel is made of, at any moment of a run."""

from kernlab.ui import inside, spectrum

inside.page(
    "spectrum",
    "Spectrum",
    "The frequencies that a kernel is made of, before, now and at any moment.",
    before=spectrum.numbers,
    after=spectrum.frequency_list,
)
