"""What the Spectrum and Kernel pages say where features have random phases: frequencies then tell of another kernel."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kernlab.pictures.base import At
from kernlab.pictures.phases import phases_now

__all__ = ["phases"]

_EXPLAINED = (
    "‖ΦΦᵀ − K‖ / ‖K‖ on a sample: how far the features' Gram matrix, which predicts, is from the kernel K of the "
    "frequencies, which the pictures of the spectrum show. 0 for pairs of cosine and sine."
)


def phases(shown: Sequence[At]) -> None:
    """The distance of each run's features from the kernel of their frequencies, where they have random phases."""
    found = [(at, phases_now(at)) for at in shown]
    if not any(distance for _, distance in found):
        return
    for column, (at, distance) in zip(st.columns(len(shown)), found, strict=True):
        if distance is None:
            continue
        assert at.method
        learned = at.method.learned
        with column, st.container(key=f"phases{at.side.replace('.', '-')}"):
            st.metric("Distance from the kernel of the frequencies", f"{distance.own:.3f}",
                      f"{distance.redrawn:.3f} with phases drawn anew", help=_EXPLAINED, delta_color="off",
                      delta_arrow="off", width="content")  # fmt: skip
            st.caption(
                f"The features of this run have random phases ({_kind(at)}). "
                + ("Frequencies that are learned beside their phases make another kernel than their density says: what "
                   "is shown of the frequencies is not quite the kernel that predicts. "
                   if learned else "What is shown of the frequencies is their kernel but for the noise of the phases. ")
                + "With phase=paired both are one."
            )  # fmt: skip


def _kind(at: At) -> str:
    assert at.method
    return f"phase={at.method.options().get('phase', 'shared')}"
