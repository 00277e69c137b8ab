"""What stands beneath the pictures of the Certainty page: the rows whose labels the model contradicts, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from kernlab.errors import KernlabError
from kernlab.numerals import number
from kernlab.pictures.base import At, places
from kernlab.pictures.influence import has_influence, influence_at
from kernlab.pictures.left_out import LISTED, LeftOutRows, left_out_at
from kernlab.pictures.run_data import data_of, has_features
from kernlab.ui.glossary import meaning
from kernlab.ui.view import VIEW, show_moment

__all__ = ["row_list"]

_INPUTS = 8  # that are listed with a row


def row_list(shown: Sequence[At]) -> None:
    """The most doubtful training rows of each run, with their labels, and their inputs where these are no pictures."""
    for column, at in zip(st.columns(len(shown)), shown, strict=True):
        if not has_features(at):
            continue
        with column:
            try:
                _list(at, left_out_at(at))
            except KernlabError as error:
                st.warning(str(error), icon=":material/warning:")


def _list(at: At, found: LeftOutRows) -> None:
    worst = found.worst(LISTED)
    numbers = found.numbers[worst]
    answers = [found.answers(int(place)) for place in worst]
    columns: dict[str, Any] = {
        "row": numbers,
        "label": [label for label, _ in answers],
        "the model says": [other for _, other in answers],
        "margin" if found.classes else "residual (σ)": found.doubt[worst],
        "leverage": found.leverage[worst],
    }
    if has_influence(at):
        rows, values = influence_at(at, numbers.tolist())
        known = dict(zip(rows.tolist(), values.tolist(), strict=True))
        columns["influence on itself"] = [known[row] for row in numbers.tolist()]
    if not at.image:
        data = data_of(at.run).dataset
        for place, name in enumerate(data.feature_names[:_INPUTS]):
            columns.setdefault(str(name), data.X[numbers, place])
    what = "Probably mislabelled rows" if found.classes else "Rows of the largest residual"
    st.markdown(f"**{what}**, of {number(len(found.numbers))} training rows")
    words = [name for name, values in columns.items() if np.asarray(values).dtype.kind == "f"]
    event = st.dataframe(
        columns, hide_index=True, height=320, key=f"doubtful{at.side}", on_select="rerun", selection_mode="multi-row",
        column_config={name: st.column_config.NumberColumn(format="%.3g", help=meaning(name)) for name in words},
    )  # fmt: skip
    _take(at, [int(numbers[place]) for place in event.selection.rows if place < len(numbers)])
    st.caption(
        "What the model says of a row without having been fitted to it. Rows that are chosen in the list are marked in "
        "all pictures that have them. Influence on itself, in units of its mean, is TracIn over the snapshots."
    )


def _take(at: At, chosen: Sequence[int]) -> None:
    """Select the rows that have just been chosen in the list."""
    state, key = st.session_state, f"doubtful.taken{at.side}"
    if chosen == state.get(key, []):
        return
    state[key] = list(chosen)
    if set(chosen) != set(places(VIEW["points"])):
        VIEW.change(points=",".join(map(str, chosen)), around="")
        show_moment(VIEW["at"])
        st.rerun(scope="fragment")
