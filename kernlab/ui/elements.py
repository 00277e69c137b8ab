"""The elements of a page that follow a run by themselves: the slider over time, the line of progress, and numbers.

    timeline(run.id);  progress(f"film/{run.id}", phase);  values(run.id)

All of them, and the charts that show films, follow one clock (film/film.mjs) without the page's script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from kernlab.ui.assets import component
from kernlab.ui.state import Values

__all__ = ["against", "line", "marks", "progress", "selection", "timeline", "values"]

_component = component("elements", "elements.js")


def timeline(
    run: str | Sequence[str],
    marks: Sequence[tuple[float, str, str]] = (),
    *,
    words: Sequence[str] = (),
    every: float | None = None,
    plays: bool = False,
    view: Values | None = None,
    equal: str = "epochs",
) -> None:
    """The slider over the snapshots of a run, with Play, speed and loop; every film on the page follows it.

    Args:
        run: its id, or those of several runs, which share the slider.
        marks: epochs that are marked on the track, each with a colour and words.
        words: of a run that is solved in one step, what the moments before and after it are called.
        every: seconds after which the script runs again while the run goes on, where texts on the page say numbers of
            the newest moment; None: never.
        plays: it plays by itself, as soon as the run is over.
        view: the values whose ``at`` is the moment that is shown, in epochs, None for the newest; the page's script
            runs again when time rests at another one. None: the script takes no part in it.
        equal: several runs are shown after equal "epochs" or after equal "seconds" of work.
    """
    state = st.session_state

    def rested() -> None:
        if view is not None:
            at = state["timeline"]["at"]
            view.change(at=None if at == "newest" else at)

    runs = [run] if isinstance(run, str) else list(run)
    data: dict[str, Any] = {"kind": "timeline", "runs": runs, "at": None, "decided": 0, "tells": view is not None,
                            "equal": equal}  # fmt: skip
    if view is not None:
        data |= {"at": view["at"], "decided": state.get("view.decided", 0)}
    data |= {"marks": [list(each) for each in marks], "words": list(words), "every": every, "plays": plays}
    _component(key="timeline", data=data, on_at_change=rested, on_tick_change=_nothing)


def marks(run: str, version: str = "", key: str = "marks") -> None:
    """The moments of a run that have words, each a button that goes there: options that changed, and notes.

    Args:
        run: its id.
        version: a text that changes when a person has changed them: then the browser asks for them again.
        key: identity on the page.
    """
    _component(key=key, data={"kind": "marks", "run": run, "version": version})


def selection(
    data: str,
    selected: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    then: Callable[[Mapping[str, str]], None],
) -> None:
    """What is selected in the pictures of a page, at the edge of the screen, with a button that lets go of it.

    Args:
        data: the name of the data to which it belongs.
        selected: numbers as a text like "3,17", by kind; the browser takes them on arrival and when a run is opened,
            and then decides by itself.
        names: what the numbers of a kind are called.
        then: called with what is selected when it has rested; the page's script runs again.
    """
    state = st.session_state
    shown = {
        "kind": "selection",
        "data": data,
        "selected": dict(selected),
        "names": {key: list(each) for key, each in names.items()},
        "decided": state.get("view.decided", 0),
    }
    _component(key="selection", data=shown, on_selected_change=lambda: then(state["selection"]["selected"] or {}))


def progress(
    news: str, phase: Sequence[Any], key: str = "progress", *, before: Sequence[Sequence[Any]] = ()
) -> None:  # fmt: skip
    """How far a job is, in a line and a bar. The page's script runs again when the job comes into another phase.

    Args:
        news: "film/RUN", "comparison/ID" or "reproduction/ID": where the browser asks (kernlab.ui.films).
        phase: the phase that the script knows; a text or a list as in the news.
        key: identity on the page.
        before: earlier phases in which the job may still be, and for which the script need not run.
    """
    kind, _, job = news.partition("/")
    followed = {"run": job} if kind == "film" else {"address": f"news/{news}"}
    known = {"phase": list(phase), "before": [list(each) for each in before]}
    _component(key=key, data={"kind": "progress", **followed, **known}, on_phase_change=_nothing)


def values(run: str, key: str = "values") -> None:
    """The numbers of a run at the moment that is shown."""
    _component(key=key, data={"kind": "values", "run": run})


def against(
    runs: Sequence[str],
    names: Sequence[str],
    colors: Sequence[str],
    phases: Sequence[Sequence[Any]],
    equal: str = "epochs",
) -> None:
    """The numbers of several runs at the moment that is shown, how far each is, and what differs in a sentence.

    The page's script runs again when one of them comes into another phase.

    Args:
        runs: their ids.
        names: what they are called.
        colors: of each, as CSS writes them.
        phases: those that the script knows.
        equal: as of :func:`timeline`.
    """
    data = {"kind": "against", "runs": list(runs), "names": list(names), "colors": list(colors), "equal": equal}
    _component(key="against", data={**data, "phases": [list(each) for each in phases]}, on_phase_change=_nothing)


def line(address: str) -> None:
    """A line whose words the browser fetches, because they may not be known yet.

    Args:
        address: where the browser asks for them, below the app's own address.
    """
    _component(key=f"line.{address}", data={"kind": "line", "address": address})


def _nothing() -> None: ...
