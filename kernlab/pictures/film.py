"""A picture over the snapshots of a run: a layout for the whole run, and a frame for each snapshot.

    fixed = layout(picture, run, view)          the look of every trace, axes and colours over the whole run
    shot = frame(picture, at)                   arrays of the traces, and the words that change
    shown = figure(fixed, shot)                 the picture at that snapshot; axes and colours are those of the run

Ranges are the union over at most :data:`SAMPLED` snapshots, the first and the last among them; a frame says how far its
numbers reach, so that axes and colours can grow for one between those. What a full-batch solver starts from may be of
another size than all that it finds: then the ranges are those of its solutions, and the start has its own. A trace is
identified by its type and its name without numbers, so that "rank 3" and "rank 2" are one trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.pictures.base import VIEW, At, Picture
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.theme import unchecked
from kernlab.pictures.thinning import spread

SAMPLED = 3
ROUNDING = 1e-9  # relative differences below it are none
UNLIKE = 10.0  # times as wide as the ranges of the solutions, those with the start hide what they show

_LOOKS = {"colorscale", "colorbar", "selections"}  # lists that are the look of a trace and no data
_WORDS = ("name", "hovertemplate", "legendgroup", "width")  # of bars, the width follows the values
_CHANGING = ("title", "shapes", "annotations", "selectionrevision", "uirevision")  # of the layout
_PAIRS = (("zmin", "zmax"), ("marker.cmin", "marker.cmax"), ("contours.start", "contours.end"))
#: Limits of colours and contours, and which end of them the union takes.
_LIMITS: dict[str, Callable[[float, float], float]] = {
    "zmin": min, "zmax": max, "marker.cmin": min, "marker.cmax": max, "contours.start": min, "contours.end": max,
    "contours.size": max,
}  # fmt: skip


class Layout(NamedTuple):
    """The part of a figure that is constant over a run."""

    traces: dict[str, dict[str, Any]]  # identity of a trace to its look, without arrays
    layout: dict[str, Any]  # as of a Plotly figure, with the ranges of all axes that numbers run along


class Frame(NamedTuple):
    """The part of a figure that belongs to one snapshot."""

    # identity of a trace to its arrays and words, by path: "x", "marker.size", "name".
    traces: dict[str, dict[str, Any]]
    layout: dict[str, Any]  # headings, marks and lines that change
    # Lowest and highest coordinate by axis, on a logarithmic one as powers of ten; of a scene, the heights.
    reach: Mapping[str, list[float]] = {}
    limits: Mapping[str, dict[str, float]] = {}  # identity of a trace to the limits of its colours or contours, by path
    # Of a full-batch solver's start: its axes and limits, which count where those of the run do not contain them.
    start: Mapping[str, dict[str, Any]] = {}


def layout(
    picture: Picture, run: RecordedRun, view: Mapping[str, Any] = VIEW, *, side: str = "", of: int | None = None
) -> Layout:
    """The layout of a picture over a run that is seen with these switches; the moments that have the picture count.

    Args:
        of: how many of the first snapshots count; default: all.
    """
    drawn, count, began = [], len(run.snapshots.steps[:of]), False
    # A picture over training is the same at every moment.
    for place in [count - 1] if picture.over_time and count else spread(count, SAMPLED).tolist():
        moment = run.moment(float(run.snapshots.epochs[place]))
        reference = None if view["reference"] is None else run.moment(view["reference"])
        if moment and picture.fits(at := At(run, moment, view, reference, side)):
            drawn.append(_plain(picture.make(at)))
            began = began or (place == 0 and _solved(picture, run))
    return _narrowed(over(drawn), over(drawn[1:])) if began and len(drawn) > 1 else over(drawn)


def frame(picture: Picture, at: At) -> Frame:
    """The frame of a picture at a moment; one over training has its own ends of the axes, since time goes on."""
    with unchecked():
        drawn = _plain(picture.make(at))
    shot = cut(drawn)
    if picture.over_time:
        return shot._replace(layout=shot.layout | _axes([drawn], drawn["layout"]))
    if at.moment.index == 0 and _solved(picture, at.run):
        return shot._replace(start={"axes": _axes([drawn], drawn["layout"]), "limits": _limits(drawn)})
    return shot._replace(reach=_reach(drawn), limits=_limits(drawn))


def over(figures: list[dict[str, Any]]) -> Layout:
    """The layout that holds several figures of one picture; words and look are those of the last."""
    traces: dict[str, dict[str, Any]] = {}
    for each in figures:
        for key, trace in _identified(each):
            look = {path: value for path, value in _leaves(trace) if not _shown(path, value)}
            for path, end in _LIMITS.items():
                if path in look and path in traces.get(key, {}):
                    look[path] = end(look[path], traces[key][path])
            traces[key] = look
    shared = {key: value for key, value in figures[-1]["layout"].items() if key not in _CHANGING} if figures else {}
    margins = [each["layout"].get("margin", {}) for each in figures]
    margin = {side: max(each.get(side, 0) for each in margins) for each in margins for side in each}
    return Layout(traces, shared | ({"margin": margin} if margin else {}) | _axes(figures, shared))


def cut(drawn: dict[str, Any]) -> Frame:
    """The frame of one figure."""
    traces = {key: {path: v for path, v in _leaves(trace) if _shown(path, v)} for key, trace in _identified(drawn)}
    return Frame(traces, {key: drawn["layout"][key] for key in _CHANGING if key in drawn["layout"]})


def figure(fixed: Layout, shot: Frame) -> go.Figure:
    """A frame in its layout. A trace that no sampled snapshot had takes the default look of its type."""
    own = shot.start.get("axes", {})
    axes = {name: own[name] for name in own if _beyond(_ends(name, fixed.layout), _ends(name, own))}
    data = []
    for key, shown in shot.traces.items():
        trace: dict[str, Any] = {}
        look, limits = fixed.traces.get(key, {}), shot.start.get("limits", {}).get(key, {})
        if any(_LIMITS[path](look[path], end) != look[path] for path, end in limits.items() if path in look):
            look = look | limits
        for path, value in ({"type": key.split(":")[0]} | look | shown).items():
            *parents, last = path.split(".")
            inner = trace
            for each in parents:
                inner = inner.setdefault(each, {})
            inner[last] = value
        data.append(trace)
    return go.Figure(data, {**fixed.layout, **axes, **shot.layout})


def _plain(drawn: go.Figure) -> dict[str, Any]:
    """A figure as dictionaries whose arrays are arrays."""
    return {"data": [each.to_plotly_json() for each in drawn.data], "layout": drawn.layout.to_plotly_json()}


# -- traces ----------------------------------------------------------------------------------------------------


def _identified(drawn: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every trace after its identity: its type, its name without numbers, and its place among traces of that name."""
    counts: dict[str, int] = {}
    for trace in drawn["data"]:
        name = re.sub(r"( × )?[\d.,e+−-]*\d", "", str(trace.get("name", "")))  # a factor may come and go
        key = f"{trace.get('type', 'scatter')}:{name}"
        counts[key] = counts.get(key, 0) + 1
        yield f"{key}:{counts[key]}", trace


def _leaves(trace: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in trace.items():
        if isinstance(value, Mapping) and key not in _LOOKS:
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield before + key, value


def _shown(path: str, value: Any) -> bool:
    """Whether this is data of a trace or a changing word, and no part of its look."""
    last = path.split(".")[-1]
    return (
        path in _WORDS
        or path.startswith("meta.")
        or (isinstance(value, list | tuple | np.ndarray) and last not in _LOOKS)
    )


# -- ranges ----------------------------------------------------------------------------------------------------


def _solved(picture: Picture, run: RecordedRun) -> bool:
    """Whether a full-batch solver makes what is shown: pictures of the data are those of every method."""
    return run.unit == "step" and not picture.of_data


def _narrowed(fixed: Layout, later: Layout) -> Layout:
    """The layout with the ranges of later moments wherever its own are :data:`UNLIKE` times as wide."""
    axes = {name: axis for name, axis in later.layout.items()
            if _unlike(_ends(name, fixed.layout), _ends(name, later.layout))}  # fmt: skip
    traces = dict(fixed.traces)
    for key, look in later.traces.items():
        pairs = [[[each[low], each[high]] for each in (traces[key], look)] for low, high in _PAIRS if low in look]
        if any(_unlike(*pair) for pair in pairs):
            traces[key] = traces[key] | {path: look[path] for path in _LIMITS if path in look}
    return Layout(traces, fixed.layout | axes)


def _ends(name: str, layout: Mapping[str, Any]) -> list[float]:
    """The range of an axis of numbers, of a scene that of its heights; nothing where there is none."""
    if name not in ("xaxis", "yaxis", "scene"):
        return []
    axis = layout.get(name, {})
    return list((axis.get("zaxis", {}) if name == "scene" else axis).get("range") or [])


def _unlike(wide: list[float], narrow: list[float]) -> bool:
    """Whether one range is so much wider than another that nothing of the other could be seen in it."""
    return bool(wide and narrow) and 0 < UNLIKE * abs(narrow[1] - narrow[0]) < abs(wide[1] - wide[0])


def _beyond(fixed: list[float], own: list[float]) -> bool:
    """Whether a range lies in part outside that of the run."""
    return bool(fixed and own) and (min(own) < min(fixed) or max(own) > max(fixed))


def _numeric(layout: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The letters and looks of the axes that numbers run along, each with a scale of its own."""
    for letter in "xy":
        axis = dict(layout.get(f"{letter}axis", {}))
        if "scaleanchor" not in axis and axis.get("visible") is not False and axis.get("type") != "category":
            yield letter, axis


def _reach(drawn: dict[str, Any]) -> dict[str, list[float]]:
    """The lowest and the highest coordinate along each axis, or the range that the figure states."""
    spans = {f"{letter}axis": axis.get("range") or (_span(drawn, letter, axis) or ())[:2]
             for letter, axis in _numeric(drawn["layout"])}  # fmt: skip
    if "scene" in drawn["layout"]:
        spans["scene"] = _heights([drawn])
    return {name: sorted(map(float, span)) for name, span in spans.items() if span}


def _limits(drawn: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The limits of colours and contours of each trace that has some."""
    found = {key: {path: v for path, v in _leaves(trace) if path in _LIMITS} for key, trace in _identified(drawn)}
    return {key: limits for key, limits in found.items() if limits}


def _axes(figures: list[dict[str, Any]], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The axes with ranges that hold every figure; axes of categories and of images stay as they are."""
    found: dict[str, Any] = {}
    for letter, axis in _numeric(shared):
        explicit = [each["layout"].get(f"{letter}axis", {}).get("range") for each in figures]
        if all(explicit):
            low, high = float(np.min(explicit)), float(np.max(explicit))
            reversed_ = explicit[-1][0] > explicit[-1][1]
            found[f"{letter}axis"] = axis | {"range": [high, low] if reversed_ else [low, high]}
            continue
        spans = [span for each in figures if (span := _span(each, letter, axis)) is not None]
        if spans and len(spans) == len(figures):
            low, high = _roomy(spans, axis)
            further = axis.get("autorangeoptions", {}).get("include", ())  # as Plotly heeds it where no range is given
            low, high = min([low, *further]), max([high, *further])
            ends = [high, low] if axis.pop("autorange", None) == "reversed" else [low, high]
            found[f"{letter}axis"] = axis | {"range": ends}
    if "scene" in shared:
        height = {**shared["scene"].get("zaxis", {}), "range": _heights(figures)}
        found["scene"] = {**shared["scene"], "zaxis": height}
    return found


def _heights(figures: list[dict[str, Any]]) -> list[float]:
    """The lowest and the highest height of what is drawn in three dimensions."""
    heights = [_numbers(trace.get("z")) for each in figures for trace in each["data"]]
    known = np.concatenate([each for each in heights if each is not None])
    return [float(known.min()), float(known.max())]


def _roomy(spans: list[tuple[float, float, float]], axis: Mapping[str, Any]) -> tuple[float, float]:
    """The range that holds what several figures span; one that is flat has no scale of its own beside another."""
    low, high = min(low for low, _, _ in spans), max(high for _, high, _ in spans)
    share = max(share for _, _, share in spans)
    zero = axis.get("type") != "log" and low >= 0 and (axis.get("rangemode") == "tozero" or low == 0.0)
    low = 0.0 if zero else low
    flat = high - low <= ROUNDING * max(abs(low), abs(high))
    margin = (share or 0.5) * (abs(high) or 1.0) if flat else share * (high - low)
    return low if zero else low - margin, high + margin


def _span(drawn: dict[str, Any], letter: str, axis: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """Lowest and highest coordinate of a figure, on a logarithmic axis as powers of ten; the share of room beside."""
    log, share, parts = axis.get("type") == "log", 0.0, []
    piles: dict[Any, float] = {}
    for trace in drawn["data"]:
        values = _numbers(trace.get(letter))
        if values is None:
            cells = _cells(trace, letter)
            if cells is None and trace.get(letter) is not None and len(trace[letter]):
                return None  # categories
            values = cells
        if values is None or not values.size:
            continue
        kind, along = trace.get("type", "scatter"), trace.get("orientation", "v") == "h"
        if kind == "heatmap" and len(values) > 1:
            step = (values[-1] - values[0]) / (len(values) - 1) / 2
            values = np.array([values[0] - step, values[-1] + step])
        elif kind == "bar" and (letter == "x") == along:
            values = np.append(values, 0.0)
            if drawn["layout"].get("barmode") == "stack":
                values = _piled(piles, "bar", trace, "y" if along else "x", values)
        elif kind == "bar" and trace.get("width") is not None:
            values = np.concatenate([values, values + np.max(trace["width"])])
        elif letter == "y" and trace.get("stackgroup"):
            values = _piled(piles, "area", trace, "x", np.append(values, 0.0))
        elif letter == "y" and trace.get("fill") == "tozeroy":
            values = np.append(values, 0.0)
        bars = trace.get(f"error_{letter}")
        if bars is not None and bars.get("array") is not None:
            reach = np.asarray(bars["array"], float)
            values = np.concatenate([values, values[: len(reach)] + reach, values[: len(reach)] - reach])
        if kind not in ("heatmap", "contour"):
            wide = "text" in str(trace.get("mode", "")) or trace.get("textposition") == "outside"
            share = max(
                share, 0.15 if wide else 0.05 if letter == "y" or "markers" in str(trace.get("mode", "")) else 0.0
            )
        parts.append(values)
    if not parts:
        return None
    known = np.concatenate(parts)
    known = known[np.isfinite(known)]
    known = np.log10(known[known > 0]) if log else known
    if not known.size:
        return None
    return float(known.min()), float(known.max()), share


def _piled(
    piles: dict[Any, float], group: str, trace: dict[str, Any], along: str, values: NDArray[Any]
) -> NDArray[Any]:
    """Upper ends of what is stacked on the traces before it, and 0."""
    tops = []
    for place, value in zip(trace[along], values, strict=False):
        piles[group, str(place)] = piles.get((group, str(place)), 0.0) + float(value)
        tops.append(piles[group, str(place)])
    return np.array([*tops, 0.0])


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """Numbers as an array [n]; None for words, and where nothing is given."""
    if values is None or isinstance(values, str):
        return None
    found = np.asarray(
        [np.nan if each is None else each for each in values] if isinstance(values, list | tuple) else values
    )
    return found.astype(np.float64).ravel() if found.dtype.kind in "fiu" else None


def _cells(trace: dict[str, Any], letter: str) -> NDArray[np.float64] | None:
    """Positions of the columns or rows of a heatmap without coordinates."""
    if trace.get("type") != "heatmap" or trace.get(letter) is not None:
        return None
    return np.arange(np.shape(trace["z"])[1 if letter == "x" else 0], dtype=np.float64)
