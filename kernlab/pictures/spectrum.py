"""The frequencies of a run at one moment, as the pictures of a spectrum take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures.base import CHOICES, At
from kernlab.pictures.directions import chosen_direction, unit

Order: TypeAlias = Literal["longest", "most moved", "heaviest", "first"]
#: Which frequencies come first in a list.
ORDERS: tuple[Order, ...] = ("longest", "most moved", "heaviest", "first")


class Spectrum(NamedTuple):
    """Frequencies of one moment."""

    omega: NDArray[Any]  # Ω [d D], radians per unit of the scaled inputs
    omega_prime: NDArray[Any] | None = None  # Ω' [d D] of a non-stationary map, else None
    weights: NDArray[Any] | None = None  # q [D] of a re-weighted map, else None: all count alike

    @property
    def d(self) -> int:
        """Inputs."""
        return int(self.omega.shape[0])

    @property
    def size(self) -> int:
        """Frequencies D; of pairs, how many pairs."""
        return int(self.omega.shape[1])

    @property
    def both(self) -> tuple[NDArray[Any], ...]:
        """Ω, and Ω' where there is one."""
        return (self.omega,) if self.omega_prime is None else (self.omega, self.omega_prime)

    @property
    def shares(self) -> NDArray[np.float64]:
        """How much each frequency counts [D]: q scaled to the sum 1, or 1/D."""
        if self.weights is None:
            return np.full(self.size, 1 / max(1, self.size))
        q = np.asarray(self.weights, np.float64)
        return np.asarray(q / q.sum())

    def along(self, direction: ArrayLike) -> tuple[NDArray[np.float64], ...]:
        """uᵀω [D], and uᵀω' where there is one, for the unit vector u along ``direction``."""
        line = unit(direction)
        return tuple(line @ each for each in self.both)

    def taken(self, places: ArrayLike) -> Spectrum:
        """Some of the frequencies, with their weights."""
        return Spectrum(*(None if each is None else each[..., np.asarray(places)] for each in self))  # type: ignore[arg-type]


def spectrum_at(arrays: Mapping[str, Any], *, initial: bool = False) -> Spectrum | None:
    """The frequencies among a run's arrays; None where there are none.

    A snapshot may keep the first frequencies of a wide map only, yet all of its weights: those are cut to match.

    Args:
        arrays: of a snapshot, or what stays the same over the run.
        initial: the frequencies before training, ``omega_initial`` …
    """
    end = "_initial" if initial else ""
    omega, other, q = arrays.get(f"omega{end}"), arrays.get(f"omega_prime{end}"), arrays.get(f"q{end}")
    if omega is None:
        return None
    omega = np.asarray(omega)
    kept = None if q is None else np.asarray(q)[: omega.shape[1]]
    return Spectrum(omega, None if other is None else np.asarray(other), kept)


def chosen(places: ArrayLike, count: int) -> NDArray[np.intp]:
    """Selected frequencies in ascending order, each once.

    Raises:
        OptionError: one of them is not from 0 to count − 1.
    """
    found = np.unique(np.asarray(places, np.intp))
    if len(found) and not 0 <= found[0] <= found[-1] < count:
        wrong = found[0] if found[0] < 0 else found[-1]
        raise OptionError(f"a selected frequency must be a whole number from 0 to {count - 1}", wrong)
    return found


def lengths(spectrum: Spectrum) -> NDArray[np.float64]:
    """‖ω‖ [D]; of pairs √(‖ω‖² + ‖ω'‖²), the length of both together."""
    return np.asarray(np.sqrt(sum(np.einsum("ij,ij->j", each, each, dtype=np.float64) for each in spectrum.both)))


def distances(now: Spectrum, then: Spectrum) -> NDArray[np.float64] | None:
    """How far each frequency has moved [D]; None where the two have not the same frequencies (some were dropped)."""
    if now.omega.shape != then.omega.shape or len(now.both) != len(then.both):
        return None
    return lengths(Spectrum(*(a - b for a, b in zip(now.both, then.both, strict=True))))


def ranked(
    now: Spectrum, then: Spectrum | None, order: Order, selected: ArrayLike = ()
) -> tuple[NDArray[np.intp], Order]:
    """Every frequency in the wanted order, the selected ones before all others; and the order that was used.

    "most moved" needs an earlier moment and "heaviest" needs weights; without them the order is "longest".

    Args:
        now, then: frequencies at the moment and at an earlier one.
        order: "longest", "most moved" (since ``then``), "heaviest" (by q) or "first" (by their number).
        selected: frequencies that come first.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    places = chosen(selected, now.size)
    value: NDArray[Any] | None = None
    if order == "first":
        value = -np.arange(now.size)
    elif order == "most moved" and then is not None:
        value = distances(now, then)
    elif order == "heaviest" and now.weights is not None:
        value = now.shares
    if value is None:
        value, order = lengths(now), "longest"
    found = np.argsort(-value, kind="stable")
    wanted = np.isin(found, places)
    return np.concatenate([found[wanted], found[~wanted]]), order


def nonstationarity(omega: ArrayLike, omega_prime: ArrayLike) -> float:
    """ν as :mod:`kernlab.pictures.joint` defines it, for frequencies [d D] or [D]; 0 when every frequency is zero."""
    # In float64: where training has run away, squares would not fit into the frequencies' own precision.
    first, second = (np.ravel(each).astype(np.float64) for each in (omega, omega_prime))
    size = float(first @ first + second @ second)
    difference = first - second
    return float(difference @ difference) / (2 * size) if size > 0 else 0.0


LOOK = ("look", "custom")  # the switches of pictures along a line
CHOICES["order"] = lambda at: ORDERS


# -- the frequencies of a run at a moment ----------------------------------------------------------------------


def frequencies_at(at: At) -> tuple[Spectrum, Spectrum]:
    """The frequencies now and before training."""
    now, before = spectrum_at(at.arrays), spectrum_at(at.static, initial=True)
    assert now
    return now, before or now


def selected(at: At) -> tuple[int, ...]:
    """Places of those selected frequencies that this run has."""
    now = spectrum_at(at.arrays)
    return tuple(place for place in at.frequencies if now and place < now.size)


def then_at(at: At) -> Spectrum | None:
    """The frequencies at the moment that this one is compared with."""
    return spectrum_at(at.reference.arrays) if at.reference else None


def since(at: At) -> str:
    """The reference moment in words: "epoch 2.50"."""
    assert at.reference
    unit = at.run.unit
    return f"{unit} {at.reference.epoch:.2f}" if unit == "epoch" else f"{unit} {at.reference.epoch:.0f}"


def law_at(at: At) -> FrequencyLaw | None:
    """The density from which the frequencies were drawn."""
    return at.method.feature_map.law() if at.method else None


def where(at: At) -> str:
    """The direction in words, and what the frequencies belong to, where that is not the whole map."""
    part = at.method.feature_map.frequencies_of if at.method else ""
    return chosen_direction(at) + (f", {part}" if part else "")
