"""The errors that kernlab raises, as one tree.

    KernlabError
    ├── UnknownNameError     no method, data set, option ... of that name (the nearest names are offered)
    ├── OptionError          an option's value is outside its range or of the wrong type
    ├── CompositionError     parts that make no mathematical sense together
    ├── DataError            the data cannot be used as they are
    ├── DeviceError          the machine lacks what was asked for
    ├── TrainingError        training had to stop (divergence)
    ├── StoreError           a run cannot be read, written or found
    └── AppError             the app cannot be started

Each message says what must be true, then what was given instead, then what to change. The page shows it beside the
widget, the command line prints it and exits with code 2, Python raises it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "AppError",
    "CompositionError",
    "DataError",
    "DeviceError",
    "KernlabError",
    "OptionError",
    "StoreError",
    "TrainingError",
    "UnknownNameError",
]


class KernlabError(Exception):
    """A mistake the user can mend.

    Args:
        must: what must be true, as a sentence without its full stop.
        given: what was given instead; empty where repeating it would not help.
        fix: what to do about it, as a sentence without its full stop.
    """

    def __init__(self, must: str, given: object = "", fix: str = "") -> None:
        self.must, self.given, self.fix = must, str(given), fix
        parts = [f"{must}."]
        if self.given:
            parts.append(f"Given: {self.given}.")
        if fix:
            parts.append(f"{fix[0].upper()}{fix[1:]}.")
        super().__init__(" ".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle by their args, which are the finished sentence; the parts are kept instead.
        return type(self), (self.must, self.given, self.fix)


class UnknownNameError(KernlabError, KeyError, ValueError):
    """No entry of that name; the nearest names come first in the advice."""

    __str__ = Exception.__str__  # KeyError would quote the whole sentence

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """The error for ``name``, which is none of the ``known`` names."""
        names = sorted({*filter(None, known)}, key=str.casefold)
        folded = {each.casefold(): each for each in names}
        near = [folded[n] for n in difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.5)]
        advice = f"did you mean {' or '.join(near)}? " if near else ""
        listing = ", ".join(names) if names else "none is registered"
        return cls(f"{kind} must be one that kernlab knows", repr(name), f"{advice}Known: {listing}")


class OptionError(KernlabError, ValueError):
    """A value outside its range or of the wrong type."""


class CompositionError(KernlabError, ValueError):
    """Parts that make no mathematical sense together, with the reason."""


class DataError(KernlabError, ValueError):
    """Data that cannot be used as they are."""


class DeviceError(KernlabError, RuntimeError):
    """The machine lacks what was asked for."""


class TrainingError(KernlabError, RuntimeError):
    """Training had to stop; what it had stored is kept."""


class StoreError(KernlabError, RuntimeError):
    """A run cannot be read, written or found."""


class AppError(KernlabError, RuntimeError):
    """The app cannot be started."""
