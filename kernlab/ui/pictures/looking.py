"""Along which line frequencies are looked at: what there is to choose from, and the line that was chosen."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlab.analysis.density import coordinate, principal_directions
from kernlab.analysis.directions import between_classes, read_direction
from kernlab.analysis.sample import sorted_sample
from kernlab.errors import KernlabError
from kernlab.ui.pictures.base import Shown

__all__ = ["OWN", "direction", "directions", "input_names", "input_place", "looked"]

OWN = "weights of my own"
_PRINCIPAL = "principal direction "
_EVERY = 1_000_000  # all of the rows that a run keeps


def directions(at: Shown) -> list[str]:
    """What can be looked along: principal directions, from class to class, freely, one input; a frame's: one input."""
    names = input_names(at)
    inputs = [f"input {name}" for name in names]
    if "omega" not in at.arrays:
        return inputs if "spectrum" in at.arrays else []
    leading = [f"{_PRINCIPAL}{i + 1}" for i in range(min(3, len(names)))]
    return [*leading, *([OWN] if len(names) > 1 else []), *_between(at), *inputs]


def looked(at: Shown) -> str:
    """The direction that is looked along, in words; the first one where this run has not the one asked for."""
    offered, wanted = directions(at), str(at.view["look"])
    return wanted if wanted in offered or not offered else offered[0]


def direction(at: Shown) -> NDArray[np.float64]:
    """The line itself [d]."""
    look = looked(at)
    if look.startswith("input "):
        return coordinate(at.arrays["omega"].shape[0], input_place(at))
    if look.startswith("class "):
        sample = sorted_sample(at.static, _classes(at), rows=_EVERY)
        assert sample
        return between_classes(sample.X, sample.targets, *_between(at)[look])
    if look == OWN:
        try:
            return read_direction(at.view["custom"], input_names(at))
        except KernlabError:  # said beside the field; until it is mended the first principal direction stands in
            look = f"{_PRINCIPAL}1"
    # Of the newest snapshot, so that the line one looks along stays put while time is scrubbed.
    newest = at.watch.moment()
    basis = principal_directions((newest or at.moment).arrays["omega"], 3)
    return basis[:, int(look.removeprefix(_PRINCIPAL)) - 1]


def input_place(at: Shown) -> int:
    """Which input is looked along."""
    return [f"input {name}" for name in input_names(at)].index(looked(at))


def input_names(at: Shown) -> list[str]:
    """Names of the inputs."""
    return [str(name) for name in at.facts.get("feature_names") or ()]


def _classes(at: Shown) -> tuple[str, ...]:
    names = at.facts.get("classes") if at.facts.get("task") == "classification" else None
    return tuple(str(name) for name in names or ())


def _between(at: Shown) -> dict[str, tuple[int, int]]:
    """Pairs of classes of which the run keeps rows."""
    classes = _classes(at)
    sample: Any = sorted_sample(at.static, classes, rows=_EVERY) if classes else None
    there = [] if sample is None else np.unique(sample.targets).tolist()
    return {f"class {classes[a]} → {classes[b]}": (a, b) for a, b in combinations(there, 2)}
