"""Lines along which frequencies are projected: principal directions, from class to class, one input, chosen weights."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.pictures.base import CHOICES, At
from kernlab.pictures.sample import sorted_sample

_LARGEST_EXACT = 200  # up to this many inputs the eigenvectors are computed exactly


def coordinate(d: int, j: int) -> NDArray[np.float64]:
    """The unit vector e_j [d].

    Raises:
        OptionError: j is not one of 0 … d−1.
    """
    if not 0 <= j < d:
        raise OptionError(f"the coordinate must be a whole number from 0 to {d - 1}", j)
    unit = np.zeros(d)
    unit[j] = 1.0
    return unit


def principal_directions(omega: ArrayLike, count: int = 3) -> NDArray[np.float64]:
    """The directions along which the frequencies are longest: leading eigenvectors of ΩΩᵀ/D.

    Not centred, because ω and −ω mean the same to a kernel. Signs are such that each vector's largest entry is
    positive. Above 200 inputs a few subspace iterations replace the eigendecomposition; their span is exact where
    the spectrum decays.

    Args:
        omega: frequencies [d D].
        count: directions wanted, at most d.

    Returns:
        Unit vectors as columns [d count], longest first.
    """
    omega = np.asarray(omega, np.float32)
    d = omega.shape[0]
    count = min(count, d)
    if d <= _LARGEST_EXACT:
        wide = omega.astype(np.float64)
        vectors = np.linalg.eigh(wide @ wide.T)[1][:, ::-1][:, :count]
    else:
        start = np.random.default_rng(0).standard_normal((d, min(d, count + 5))).astype(np.float32)
        basis = np.linalg.qr(start)[0]
        for _ in range(8):
            basis = np.linalg.qr(omega @ (omega.T @ basis))[0]
        inner = (omega.T @ basis).astype(np.float64)
        vectors = basis @ np.linalg.eigh(inner.T @ inner)[1][:, ::-1][:, :count]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])
    return np.asarray(vectors * signs, np.float64)


def unit(direction: ArrayLike) -> NDArray[np.float64]:
    """The direction scaled to length one.

    Raises:
        OptionError: it has length zero.
    """
    line = np.asarray(direction, np.float64)
    length = float(np.linalg.norm(line))
    if not length > 0:
        raise OptionError("the direction must have a length above 0", length)
    return line / length


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
        UnknownNameError: no input has that name.
        OptionError: the text is empty, or all weights are 0.
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


OWN = "weights of my own"
_PRINCIPAL = "principal direction "
_EVERY = 1_000_000  # all of the rows that a run keeps


def directions(at: At) -> list[str]:
    """The directions that a run offers, in words; of a frame, whose functions depend on one input each, the inputs."""
    names = input_names(at)
    inputs = [f"input {name}" for name in names]
    if "omega" not in at.arrays:
        return inputs if "spectrum" in at.arrays else []
    leading = [f"{_PRINCIPAL}{i + 1}" for i in range(min(3, len(names)))]
    return [*leading, *([OWN] if len(names) > 1 else []), *_between(at), *inputs]


def chosen_direction(at: At) -> str:
    """The chosen direction in words; the first one where this run does not offer the chosen one."""
    offered, wanted = directions(at), str(at.view["look"])
    return wanted if wanted in offered or not offered else offered[0]


def direction(at: At) -> NDArray[np.float64]:
    """The chosen direction as a unit vector [d]."""
    look = chosen_direction(at)
    if look.startswith("input "):
        return coordinate(at.arrays["omega"].shape[0], input_place(at))
    if look.startswith("class "):
        sample = sorted_sample(at.static, at.class_names, rows=_EVERY)
        assert sample
        return between_classes(sample.X, sample.targets, *_between(at)[look])
    if look == OWN:
        try:
            return read_direction(at.view["custom"], input_names(at))
        except KernlabError:  # the page shows the error beside the field
            look = f"{_PRINCIPAL}1"
    # Of the newest snapshot, so that the direction stays the same while time is scrubbed.
    newest = at.run.moment()
    basis = principal_directions((newest or at.moment).arrays["omega"], 3)
    return basis[:, int(look.removeprefix(_PRINCIPAL)) - 1]


def input_place(at: At) -> int:
    """The place of the chosen input."""
    return [f"input {name}" for name in input_names(at)].index(chosen_direction(at))


def input_names(at: At) -> list[str]:
    """Names of the inputs."""
    return [str(name) for name in at.facts.get("feature_names") or ()]


def _between(at: At) -> dict[str, tuple[int, int]]:
    """Pairs of classes of which the run keeps rows."""
    names = at.class_names
    sample = sorted_sample(at.static, names, rows=_EVERY) if names else None
    codes = np.unique(sample.targets).tolist() if sample else []
    return {f"class {names[a]} → {names[b]}": (a, b) for a, b in combinations(codes, 2)}


CHOICES["look"] = directions
