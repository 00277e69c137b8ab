"""What of a published result is computed anew: for each result its own data sets, repeats and tuning.

Widgets that are not drawn lose their value, so what they say is kept here and given to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from kernlab.ui.forms import to_text

__all__ = ["Choices", "choices_of", "fill_choices", "keep", "scene_of"]


class Choices(NamedTuple):
    """What is computed.

    Attributes:
        datasets: by name, as they were said; empty: a few that are quick.
        repeats: splits or draws; 0: as many as are quick.
        tune: search settings.
        budget: minutes of that.
        seed: of the first split or draw.
    """

    datasets: tuple[str, ...] = ()
    repeats: int = 0
    tune: bool = False
    budget: float = 10.0
    seed: int = 0


_USUAL = Choices()


def _all() -> dict[str, Choices]:
    kept: dict[str, Choices] = st.session_state.setdefault("papers.choices", {})
    return kept


def choices_of(result: str) -> Choices:
    """What was chosen for a result."""
    return _all().get(result, _USUAL)


def keep(result: str, choices: Choices) -> None:
    """What is chosen for it now."""
    _all()[result] = choices


def fill_choices(result: str, scene: Mapping[str, str]) -> None:
    """Take the choices for one result from an address; a number that makes no sense there means the default."""
    said = (name.strip() for name in scene.get("datasets", "").split(","))
    _all()[result] = Choices(
        tuple(dict.fromkeys(filter(None, said))),
        int(_number(scene, "repeats", 1, 1000, _USUAL.repeats)),
        scene.get("tune") == "true",
        _number(scene, "budget", 0.1, 10_000, _USUAL.budget),
        int(_number(scene, "seed", 0, 2**31 - 1, _USUAL.seed)),
    )
    for key in Choices._fields:
        st.session_state.pop(f"papers.{key}.{result}", None)


def _number(scene: Mapping[str, str], key: str, low: float, high: float, usual: float) -> float:
    try:
        value = float(scene.get(key, ""))
    except ValueError:
        return usual
    return value if low <= value <= high else usual


def scene_of(result: str, usual: Choices) -> dict[str, str]:
    """What the address has to say: what differs from ``usual``."""
    now = choices_of(result)
    scene = {"datasets": ",".join(now.datasets)} if now.datasets not in ((), usual.datasets) else {}
    if now.repeats not in (0, usual.repeats):
        scene["repeats"] = str(now.repeats)
    if now.tune:
        scene |= {"tune": "true"} | ({"budget": to_text(now.budget)} if now.budget != usual.budget else {})
    return scene | ({"seed": str(now.seed)} if now.seed else {})
