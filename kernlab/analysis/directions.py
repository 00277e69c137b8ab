"""Lines to look along: the difference of two class means, or inputs with weights of one's own.

Coordinates and principal directions are in :mod:`kernlab.analysis.density`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.density import unit
from kernlab.errors import OptionError, UnknownNameError

__all__ = ["between_classes", "read_direction"]


def between_classes(points: ArrayLike, codes: ArrayLike, first: int, second: int) -> NDArray[np.float64]:
    """The unit vector from the mean of one class to the mean of another [d].

    Args:
        points: scaled inputs [n d].
        codes: class of each [n].
        first, second: two class codes.

    Raises:
        OptionError: a class has no points, or both have the same mean.
    """
    X, y = np.asarray(points, np.float64), np.asarray(codes)
    means = []
    for code in (first, second):
        if not (y == code).any():
            raise OptionError("both classes must have points among those that the run keeps", f"class {code}")
        means.append(X[y == code].mean(axis=0))
    if np.allclose(means[0], means[1]):
        raise OptionError("the two classes must differ in their means", f"classes {first} and {second}")
    return unit(means[1] - means[0])


def read_direction(text: str, names: Sequence[str]) -> NDArray[np.float64]:
    """The unit vector [d] that a line such as ``alcohol 1, ash -0.5`` describes.

    Args:
        text: entries with commas between them, each the name of an input and its weight; without one it is 1.
        names: of the d inputs.

    Raises:
        UnknownNameError: there is no such input.
        OptionError: nothing was said, or all weights are 0.
    """
    places = {name: place for place, name in enumerate(names)}
    line = np.zeros(len(places))
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, weight = entry, 1.0
        if name not in places:  # names may hold blanks and end in numbers
            head, _, last = entry.rpartition(" ")
            try:
                name, weight = head.strip(" :"), float(last.replace("−", "-"))
            except ValueError:
                name = entry
        if name not in places:
            near = difflib.get_close_matches(name, places, n=3)
            advice = f"did you mean {' or '.join(near)}" if near else f"the first is {names[0]}, the last {names[-1]}"
            raise UnknownNameError("an entry must begin with the name of an input", repr(name), advice)
        line[places[name]] += weight
    if not line.any() or not np.isfinite(line).all():
        raise OptionError(
            "a direction must have an input with a weight other than 0",
            text.strip() or "nothing",
            f"write, for instance, {names[0]} 1, {names[-1]} -0.5",
        )
    return unit(line)
