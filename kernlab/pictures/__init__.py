"""The pictures of a run: one file a topic, from the numbers over a NamedTuple to the figure and its registration.

A new picture is a new file here. Files are imported in the order in which pages show their pictures; those that
:data:`_ORDER` does not name come last, by the alphabet.
"""

from importlib import import_module
from pkgutil import iter_modules

_ORDER = (
    "curves", "results", "function_view", "landmarks", "reweighting", "mixture", "frame_spectrum",  # Train
    "density", "joint", "selection", "lengths", "profile", "importance", "frequency_pictures",  # Spectrum
    "gram", "sample_plane", "gram_rows", "kernel_around", "decay", "alignment", "phases", "approximation", "weights",
    "bound_terms", "identity",  # Bounds
)  # fmt: skip
for _name in dict.fromkeys((*_ORDER, *sorted(each.name for each in iter_modules(__path__)))):
    import_module(f"{__name__}.{_name}")
