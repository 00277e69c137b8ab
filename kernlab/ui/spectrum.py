"""What stands around the pictures of frequencies: numbers about them, and the frequencies as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from kernlab.pictures.base import At
from kernlab.pictures.directions import chosen_direction, direction
from kernlab.pictures.phases import phases_now
from kernlab.pictures.selection import selection
from kernlab.pictures.spectrum import Spectrum, frequencies_at, nonstationarity, ranked, selected
from kernlab.ui.controls import control
from kernlab.ui.glossary import meaning

__all__ = ["frequency_list", "numbers", "phases"]

LISTED = 50  # rows of the list, unless more are selected
_EXPLAINED = (
    "ν = E‖ω − ω'‖² / 2E[‖ω‖² + ‖ω'‖²]: 0 where the kernel is stationary, ½ where the two frequencies of a pair are "
    "uncorrelated, 1 where they are opposite."
)
_DISTANCE = (
    "‖ΦΦᵀ − K‖ / ‖K‖ on a sample: how far the features' Gram matrix, which predicts, is from the kernel K of the "
    "frequencies, which the pictures of the spectrum show. 0 for pairs of cosine and sine."
)


def numbers(shown: Sequence[At]) -> None:
    """ν of all inputs, with the change since training began; and what random phases make of it."""
    phases(shown)
    for column, at in zip(st.columns(len(shown)), shown, strict=True):
        if "omega_prime" not in at.arrays:
            continue
        now, before = (_degree(each) for each in frequencies_at(at))
        with column, st.container(horizontal=True, key=f"nonstationarity{at.side.replace('.', '-')}"):
            st.metric("Non-stationarity ν", f"{now:.3f}", f"{now - before:+.3f} since it began", help=_EXPLAINED,
                      delta_color="off", width="content")  # fmt: skip
            if places := selected(at):
                part = _degree(frequencies_at(at)[0].taken(places))
                st.metric(f"of the {len(places)} selected", f"{part:.3f}", width="content")


def phases(shown: Sequence[At]) -> None:
    """The distance of each run's features from the kernel of their frequencies, where they have random phases."""
    found = [(at, phases_now(at)) for at in shown]
    if not any(distance for _, distance in found):
        return
    for column, (at, distance) in zip(st.columns(len(shown)), found, strict=True):
        if distance is None:
            continue
        assert at.method
        learned, kind = at.method.learned, at.method.options().get("phase", "shared")
        with column, st.container(key=f"phases{at.side.replace('.', '-')}"):
            st.metric("Distance from the kernel of the frequencies", f"{distance.own:.3f}",
                      f"{distance.redrawn:.3f} with phases drawn anew", help=_DISTANCE, delta_color="off",
                      delta_arrow="off", width="content")  # fmt: skip
            st.caption(
                f"The features of this run have random phases (phase={kind}). "
                + ("Frequencies that are learned beside their phases make another kernel than their density says: what "
                   "is shown of the frequencies is not quite the kernel that predicts. "
                   if learned else "What is shown of the frequencies is their kernel but for the noise of the phases. ")
                + "With phase=paired both are one."
            )  # fmt: skip


def frequency_list(shown: Sequence[At]) -> None:
    """The frequencies as a table: the selected ones first, then the others in the chosen order."""
    listed = [at for at in shown if "omega" in at.arrays]
    if listed and not any(at.image for at in listed):  # pictures of frequencies bring that switch with them
        control("order", listed[0])
    for column, at in zip(st.columns(len(shown)), shown, strict=True):
        if "omega" in at.arrays:
            with column:
                _list(at)


_VALUES = ("uᵀω", "uᵀω'", "length", "‖ω − ω'‖", "moved", "weight")


def _list(at: At) -> None:
    now, before = frequencies_at(at)
    picked = selected(at)
    places, order = ranked(now, before, at.view["order"], picked)
    places = places[: max(LISTED, len(picked))]
    table = selection(direction(at), now, places, before, what=chosen_direction(at))
    columns: dict[str, Any] = {
        "selected": np.isin(places, picked),
        "frequency": places,
        "uᵀω": table.along,
        "uᵀω'": table.along_prime,
        "length": table.length,
        "‖ω − ω'‖": table.apart,
        "moved": table.moved,
        "weight": table.share if now.weights is not None else None,
    }
    which = f"the {len(picked)} selected first, then" if len(picked) else "the"
    st.markdown(f"**Frequencies** along {table.what}: {which} {order}")
    st.dataframe(
        {name: values for name, values in columns.items() if values is not None},
        hide_index=True,
        height=320,
        key=f"frequencies{at.side}",
        column_config={
            "selected": st.column_config.CheckboxColumn(help=meaning("selected")),
            "frequency": st.column_config.NumberColumn(help=meaning("frequency")),
            **{name: st.column_config.NumberColumn(format="%.4g", help=meaning(name)) for name in _VALUES},
        },
    )
    st.caption(
        f"{len(places)} of {now.size} frequencies, in radians per scaled unit. Draw a box round some in a picture, or "
        "click them one by one, to see what they carry."
    )


def _degree(one: Spectrum) -> float:
    assert one.omega_prime is not None
    return nonstationarity(one.omega, one.omega_prime)
