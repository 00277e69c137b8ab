"""All pictures of runs, in the order of the pages.

    at = seen(run, {"look": "principal direction 2"})
    for picture in offered("overview", at): picture.make(at)

A new picture is a new file in this folder. The files that :data:`_ORDER` does not name come last, by the alphabet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from kernlab.errors import OptionError, UnknownNameError
from kernlab.pictures.base import CHOICES, REGISTERED, VIEW, At, Picture
from kernlab.pictures.recorded import RecordedRun

_ORDER = (
    "examples",  # before training
    "function_view", "density", "landmarks", "reweighting", "frame_spectrum", "curves", "results",  # Train
    "selection", "joint", "lengths", "profile", "importance", "frequency_pictures",  # Spectrum
    "gram", "sample_plane", "gram_rows", "kernel_around", "draws", "balance", "decay", "alignment", "phases",
    "approximation", "weights",
    "bound_terms", "identity",  # Bounds
    "certainty", "left_out", "influence",  # Certainty
)  # fmt: skip
_FILES = list(dict.fromkeys((*_ORDER, *sorted(each.name for each in iter_modules([str(Path(__file__).parent)])))))
_ABOVE = ("gallery", "frames")  # these build on the gallery
for _name in _FILES:
    if _name not in _ABOVE:
        import_module(f"kernlab.pictures.{_name}")

#: Every picture by its name, in that order, whichever files were imported before.
PICTURES = REGISTERED
for _key in sorted(REGISTERED, key=lambda key: _FILES.index(REGISTERED[key].make.__module__.rpartition(".")[2])):
    PICTURES[_key] = PICTURES.pop(_key)


def views_of(page: str) -> tuple[str, str]:
    """The views that a page which looks inside runs shows: the Train page's of that name, and its own."""
    return page, f"inside.{page}"


def offered(views: str | Sequence[str], at: At) -> list[Picture]:
    """The pictures that a view, or any of several, shows of this run."""
    wanted = {views} if isinstance(views, str) else set(views)
    return [each for each in PICTURES.values() if wanted & set(each.views) and each.fits(at)]


def seen(run: RecordedRun, settings: Mapping[str, str] | None = None) -> At:
    """A run at the moment and with the switches that are given as text.

    Args:
        run: refreshed.
        settings: switches of :data:`VIEW` as text; ``at`` and ``reference`` in epochs, the newest moment by default.

    Raises:
        UnknownNameError: a switch is unknown, or the run does not offer that value.
        OptionError: a value has the wrong type, or the run has no snapshot.
    """
    view = dict(VIEW)
    for name, text in (settings or {}).items():
        view[name] = read_switch(name, text)
    moment = run.moment(view["at"])
    if moment is None:
        raise OptionError("a run must have a snapshot before it can be drawn", run.id, "wait until it has started")
    reference = None if view["reference"] is None else run.moment(view["reference"])
    at = At(run, moment, view, reference)
    for name in (settings or {}).keys() & CHOICES.keys():
        _among(f"value of {name} for this run", view[name], CHOICES[name](at))
    return at


def read_switch(name: str, text: str) -> Any:
    """The value of a switch of :data:`VIEW` that a text stands for; raises KernlabError."""
    default = VIEW[_among("switch of the view", name, VIEW)]
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise OptionError(f"{name} must be true or false", text)
        return text.lower() == "true"
    try:
        number = float(text) if default is None else int(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        kind = "a number" if default is None else "a whole number"
        raise OptionError(f"{name} must be {kind} of at least 0", text)
    return number


def picture_for(key: str, at: At) -> Picture:
    """The picture of that name.

    Raises:
        UnknownNameError: no picture has that name, or the run lacks what it needs.
    """
    found = PICTURES[_among("picture", key, PICTURES)]
    if not found.fits(at):
        advice = f"its pictures are {', '.join(each.key for each in PICTURES.values() if each.fits(at))}"
        raise UnknownNameError(f"the run must have what {key} needs", at.run.id, advice)
    return found


def _among(kind: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    if name not in names:
        raise UnknownNameError.among(kind, name, names)
    return name
