"""When a difference between two methods is real: how often a test finds one where there is none.

Two methods are equal by construction: one sees the first inputs, the other as many more of the same law. Splits of the
same rows share most of them, so that the ordinary paired t-test takes their agreement for evidence.

Source: Nadeau & Bengio 2003.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from kernlab.compare.significance import t_test
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import YOURS, stacked
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, fade, figure

_ROWS, _INPUTS = 100, 5
_EXPERIMENTS = 200
_MOST = 50
_LEVEL = 0.05
_SHIFT = 0.35  # of the mean of each input in the second class


class Differences(NamedTuple):
    """Many comparisons of two equal methods."""

    differences: Vector  #: accuracy of the first − of the second on each split of one comparison, in points [s]
    p: Vector  #: p of each comparison, paired t-test [e]
    p_corrected: Vector  #: corrected for the overlap of the splits [e]
    alarms: float  #: percentage of comparisons with p < 0.05, paired
    alarms_corrected: float  #: corrected
    mean: float  #: mean difference over all comparisons, in points
    first: float  #: p of the comparison that is shown


def differences(splits: int = 30, share: float = 0.2, gap: float = 0.0) -> Differences:
    """So many splits with that share of test rows; the first method is better by ``gap`` times the second's signal."""
    found = _accuracies(share, gap)[:, :splits]
    each = found[..., 0] - found[..., 1]
    tested = round(share * _ROWS)
    ratio = tested / (_ROWS - tested)
    p = np.array([1.0 if (value := t_test(one[:, 0], one[:, 1])) is None else value for one in found])
    corrected = np.array([1.0 if (value := t_test(one[:, 0], one[:, 1], ratio)) is None else value for one in found])
    shown = int(np.argsort(p)[len(p) // 4])  # one that looks convincing
    return Differences(
        100 * each[shown], p, corrected, float(100 * (p < _LEVEL).mean()), float(100 * (corrected < _LEVEL).mean()),
        float(100 * each.mean()), float(p[shown]),
    )  # fmt: skip


@lru_cache(16)
def _accuracies(share: float, gap: float) -> Vector:
    """Accuracy of both methods on every split of every experiment [e s 2]."""
    random = np.random.default_rng(0)
    y = np.tile(np.repeat([-1.0, 1.0], _ROWS // 2), (_EXPERIMENTS, 1))
    signal = np.repeat(np.array([_SHIFT * (1 + gap), _SHIFT]), _INPUTS)
    X = random.standard_normal((_EXPERIMENTS, _ROWS, 2 * _INPUTS)) + y[..., None] * signal
    tested = round(share * _ROWS)
    train = np.ones((_EXPERIMENTS, _MOST, _ROWS))
    order = np.argsort(random.random((_EXPERIMENTS, _MOST, _ROWS)), axis=-1)
    np.put_along_axis(train, order[..., :tested], 0.0, axis=-1)
    # The nearest mean: the direction from one class's mean to the other's, and the middle between them.
    scores = []
    for half in (slice(None, _INPUTS), slice(_INPUTS, None)):
        means = []
        for label in (-1.0, 1.0):
            chosen = train * (y == label)[:, None]
            means.append(chosen @ X[..., half] / np.maximum(chosen.sum(-1, keepdims=True), 1))
        direction, middle = means[1] - means[0], (means[1] + means[0]) / 2
        score = direction @ X[..., half].swapaxes(-1, -2) - (direction * middle).sum(-1, keepdims=True)
        right = (score > 0) == (y > 0)[:, None]
        scores.append((right * (1 - train)).sum(-1) / tested)
    return np.stack(scores, axis=-1)


def draw_differences(view: Differences, seen: bool, guess: Guess | None) -> go.Figure:
    """The differences of one comparison; with the answer, p of all of them and how often each test finds one."""
    upper = [
        go.Bar(x=np.arange(1, len(view.differences) + 1), y=view.differences, name="difference on a split",
               marker={"color": BLUE}, hovertemplate="%{y:+.0f} points<extra>split %{x}</extra>")
    ]  # fmt: skip
    title, x, y = f"One comparison of two equal methods: p = {view.first:.2g}", "split", "difference (points)"
    if not seen:
        return figure(upper, title="One comparison of two methods", x=x, y=y, revision="differences")
    bins = {"start": 0, "end": 1, "size": 0.05}
    lower = [
        go.Histogram(x=each, xbins=bins, histnorm="percent", name=name, marker={"color": fade(colour, 0.55)},
                     hovertemplate="%{y:.0f} %<extra>p in %{x}</extra>")
        for each, name, colour in (
            (view.p, "paired t-test", VERMILLION), (view.p_corrected, "corrected for shared rows", BLUE),
        )
    ]  # fmt: skip
    shapes = []
    for value, (colour, dash) in (
        (_LEVEL * 100, (GREY, "dash")),
        *(((float(guess), YOURS),) if guess is not None else ()),
    ):
        shapes.append({"type": "line", "x0": 0, "x1": 1, "xref": "x2", "yref": "y2", "y0": value, "y1": value,
                       "line": {"color": colour, "dash": dash, "width": 2.5}})  # fmt: skip
    heading = f"p below 0.05: {view.alarms:.3g} % and {view.alarms_corrected:.3g} %"
    if guess is not None:
        lower.append(go.Scatter(x=[None], y=[None], mode="lines", name="your prediction",
                                line={"color": YOURS[0], "dash": YOURS[1], "width": 2.5}))  # fmt: skip
    return stacked(
        upper, lower, title=title, heading=heading, x=x, y=y, lower_x="p", lower_y="comparisons (%)", shapes=shapes,
        revision="differences", barmode="overlay", xaxis2={"range": [0, 1]},
    )  # fmt: skip


offer(Computation(
    "difference",
    "Differences of two methods over the splits of one comparison, and p of many comparisons",
    differences,
    draw_differences,
    (
        Slider("splits", "Splits", (3, 5, 10, 20, 30, 50), 30),
        Slider("share", "Share of test rows", (0.1, 0.2, 0.5), 0.2),
        Slider("gap", "How much better the first is", (0.0, 0.1, 0.25, 0.5, 1.0), 0.0),
    ),
    {
        "alarms": lambda view: view.alarms,
        "corrected": lambda view: view.alarms_corrected,
        "times": lambda view: view.alarms / (100 * _LEVEL),
        "mean": lambda view: view.mean,
        "first": lambda view: view.first,
        "experiments": lambda view: float(len(view.p)),
    },
    {"alarms": Asked("number", lambda view: view.alarms)},
))  # fmt: skip
