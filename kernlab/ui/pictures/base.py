"""What a picture is, and how it comes onto the page.

One registration a picture. It says which arrays or metrics it needs, and is shown in its views wherever they
are there, whatever the method is called; a new map's pictures are a new entry in a file of this package.

    at = Shown(watch, moment, view)
    for picture in offered("overview", at): draw(picture, at)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import plotly.graph_objects as go
import streamlit as st

from kernlab.analysis.moment import KernelAt, kernel_at
from kernlab.analysis.sample import Sample, sorted_sample
from kernlab.bounds import BOUNDS, Bound
from kernlab.composition import MethodSpec
from kernlab.ui import view
from kernlab.ui.chart import live_chart, to_json
from kernlab.ui.watch import Moment, Watch

__all__ = ["PICTURES", "Picture", "Shown", "draw", "offered", "picture", "show"]


class Shown(NamedTuple):
    """What pictures are made of.

    Attributes:
        watch: the run.
        moment: when.
        view: what the page's switches say (kernlab.ui.view).
        reference: an earlier or later moment that this one is compared with; None: nothing is compared.
        side: tells the runs of a page apart where there are two.
    """

    watch: Watch
    moment: Moment
    view: Mapping[str, Any]
    reference: Moment | None = None
    side: str = ""

    @property
    def arrays(self) -> Mapping[str, Any]:
        """What the snapshot holds."""
        return self.moment.arrays

    @property
    def static(self) -> Mapping[str, Any]:
        """What stays the same over the run."""
        return self.watch.static

    @property
    def facts(self) -> Mapping[str, Any]:
        """What Started said."""
        return self.watch.facts

    @property
    def method(self) -> MethodSpec | None:
        """The method, resolved."""
        return self.watch.method

    @property
    def mark(self) -> float | None:
        """Where curves are marked: the moment, unless it is the newest."""
        return None if self.view["at"] is None else self.moment.epoch

    @property
    def bound(self) -> Bound | None:
        """The bound that is shown for the method."""
        return BOUNDS.get(str(self.facts.get("bound")))

    @property
    def kernel(self) -> KernelAt | None:
        """The kernel as it stands at the moment; None where a snapshot does not hold it."""
        return kernel_at(self.method, self.arrays) if self.method else None

    @property
    def kernel_before(self) -> KernelAt | None:
        """The kernel as it was before training."""
        return kernel_at(self.method, {}, initial=self.static) if self.method else None

    @property
    def kernel_of_reference(self) -> KernelAt | None:
        """The kernel at the moment that this one is compared with."""
        return kernel_at(self.method, self.reference.arrays) if self.method and self.reference else None

    @property
    def sample(self) -> Sample | None:
        """Rows of the run, sorted by class or target."""
        # Of a regression "classes" are the names of its outputs.
        classes = self.facts.get("classes") if self.facts.get("task") == "classification" else None
        return sorted_sample(self.static, classes or (), output=self.view["output"])

    @property
    def frequencies(self) -> tuple[int, ...]:
        """Places of the selected frequencies."""
        return view.places(self.view["frequencies"])

    @property
    def points(self) -> tuple[int, ...]:
        """Places of the selected rows in the sorted sample."""
        return view.places(self.view["points"])

    @property
    def image(self) -> tuple[int, int] | None:
        """Height and width, where inputs are pictures."""
        shape = self.facts.get("image_shape")
        return (int(shape[0]), int(shape[1])) if shape else None


class Picture(NamedTuple):
    """One picture, and when it is shown.

    Attributes:
        key: its identity on the page.
        make: draws it.
        views: where it is shown, by name.
        alt: what it shows, for those who hear it.
        arrays: what the snapshot must hold.
        metrics: what must have been measured.
        when: what else must be so.
        height: in CSS pixels.
        uses: the page's switches that change it.
        over_time: it is drawn from the metrics of the whole run; else from one snapshot.
        note: a formula and a sentence beneath it.
        wide: it takes the whole width of the page.
        events: what the browser reports of it.
        taken: what such a report changes of the view: (at, event, what was reported) -> new values by name.
    """

    key: str
    make: Callable[[Shown], go.Figure]
    views: tuple[str, ...]
    alt: str
    arrays: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    when: Callable[[Shown], bool] = lambda at: True
    height: int = 340
    uses: tuple[str, ...] = ()
    over_time: bool = False
    note: Callable[[Shown], tuple[str, str]] | None = None
    wide: bool = False
    events: tuple[Literal["click", "select", "hover"], ...] = ()
    taken: Callable[[Shown, str, Any], Mapping[str, Any]] | None = None

    def fits(self, at: Shown) -> bool:
        """Whether all that it needs is there."""
        there = set(self.arrays) <= at.arrays.keys() and set(self.metrics) <= at.watch.history.keys()
        return there and self.when(at)

    def stamp(self, at: Shown) -> Hashable:
        """Changes whenever the picture does."""
        time: tuple[Hashable, ...] = (at.moment.step, len(at.watch.snapshots.steps) if "look" in self.uses else 0)
        if self.over_time:
            time = (*at.watch.version, at.watch.live, at.mark)
        compared = at.reference.step if at.reference else None
        return (at.watch.id, *time, compared, *(at.view[name] for name in self.uses))


Drawing: TypeAlias = Callable[[Shown], go.Figure]

#: Every picture, in the order of the page.
PICTURES: dict[str, Picture] = {}


def picture(*views: str, key: str = "", **rest: Any) -> Callable[[Drawing], Drawing]:
    """Decorator that files a drawing under ``key`` or its own name; the rest is as in :class:`Picture`."""

    def file(make: Drawing) -> Drawing:
        name = key or make.__name__
        if name in PICTURES and PICTURES[name].make.__module__ != make.__module__:  # a hot reload may file one again
            raise ValueError(f"two pictures are called {name}")
        PICTURES[name] = Picture(name, make, views, **rest)
        return make

    return file


def offered(views: str | Sequence[str], at: Shown) -> list[Picture]:
    """The pictures that a view, or any of several, has for this run."""
    wanted = {views} if isinstance(views, str) else set(views)
    return [each for each in PICTURES.values() if wanted & set(each.views) and each.fits(at)]


def draw(each: Picture, at: Shown, height: int = 0) -> None:
    """Put a picture on the page, and take up what is done in it."""
    key = each.key + at.side
    reported = show(
        key, each.stamp(at), lambda: each.make(at), alt=each.alt, height=height or each.height, events=each.events
    )
    if each.note:
        formula, words = each.note(at)
        st.latex(formula)
        st.caption(words)
    if each.taken:
        _take(key, each, at, reported)


def _take(key: str, each: Picture, at: Shown, reported: Any) -> None:
    """A report is taken up once: the browser goes on saying the last one."""
    assert each.taken
    seen: dict[tuple[str, str], Any] = st.session_state.setdefault("pictures.reported", {})
    for event in each.events:
        value = getattr(reported, event, None)
        if value == seen.get((key, event)):
            continue
        seen[key, event] = value
        if value is not None and (changes := each.taken(at, event, value)):
            view.change(**changes)
            st.rerun(scope="fragment")


def show(
    key: str,
    stamp: Hashable,
    make: Callable[[], go.Figure],
    *,
    alt: str,
    height: int = 300,
    events: Sequence[Literal["click", "select", "hover"]] = (),
) -> Any:
    """Draw ``make()``; as long as ``stamp`` stays the same the figure is neither made nor sent again.

    Returns:
        What the browser reported, as :func:`kernlab.ui.chart.live_chart`.
    """
    kept: dict[str, tuple[Hashable, str]] = st.session_state.setdefault("pictures", {})
    if key not in kept or kept[key][0] != stamp:
        kept[key] = (stamp, to_json(make()))
    return live_chart(kept[key][1], key=key, alt=alt, height=height, events=events)
