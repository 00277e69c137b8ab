"""Colours, dashes and markers, fixed in one place, and the layout all pictures share.

The colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart; methods differ in dash and
marker too. Learned frequencies have unbroken or long-dashed lines and filled markers, assigned ones dots and open
markers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NamedTuple, TypeVar

# Plotly takes a pandas that another thread is still loading for a whole one: it is here before the first figure.
import pandas  # noqa: F401
import plotly.graph_objects as go

from kernlab.methods import METHODS
from kernlab.regularizers import REGULARIZERS

T = TypeVar("T")

SKY, BLUE, GREEN = "#56B4E9", "#0072B2", "#009E73"
ORANGE, VERMILLION, PURPLE = "#E69F00", "#D55E00", "#CC79A7"
#: It replaces their yellow, which is hardly visible on white.
OLIVE = "#999933"
#: Legible on white and on black alike (contrast above 4.5 on both).
GREY = "#767676"
#: Behind words that stand on a picture; the app replaces it by the colour of its page.
PAPER = "#FFFFFF"
#: For values of either sign. Zero is a light grey, which shows the extent of a tile on either background.
DIVERGING = [[0, VERMILLION], [0.5, "#e8e8e8"], [1, BLUE]]


class Style(NamedTuple):
    """How one method looks everywhere: colour, line dash, marker symbol."""

    colour: str
    dash: str
    symbol: str


#: Colours by the names that methods give theirs.
COLOURS = {
    "sky": SKY, "blue": BLUE, "green": GREEN, "orange": ORANGE, "vermillion": VERMILLION, "purple": PURPLE,
}  # fmt: skip

#: The epoch that a run keeps, on curves and sliders.
KEPT = GREEN
#: The moment at which an option of a run was changed, and a note at a moment: legible on white and on black alike.
CHANGED, NOTE = "#AA4499", "#3B82C4"
#: The constant predictor, on every page.
CONSTANT = Style(GREY, "dot", "line-ew-open")
#: Baselines of comparisons.
BASELINES: dict[str, Style] = {
    "constant": CONSTANT,
    "svm-rbf": Style(OLIVE, "solid", "diamond-wide"),
    "boosting": Style(GREY, "solid", "star-square"),
    "extra-trees": Style(OLIVE, "dash", "star-triangle-up"),
}

_PENALTY = {  # colour and dash, by how a penalty acts
    "weight gradient": (ORANGE, "dash"),
    "proximal step": (VERMILLION, "dash"),
    "feature gradient": (GREEN, "dashdot"),
    "map gradient": (PURPLE, "dashdot"),
}
#: Words, colour and dash of a curve where one run is drawn alone.
ROLES: dict[str, tuple[str, str, str]] = {
    "objective": ("objective", GREY, "solid"),
    "loss": ("loss", BLUE, "dash"),
    "penalty": ("penalty", ORANGE, "dash"),
    "norm": ("norm", ORANGE, "dash"),
    **{name: (each.letter + each.norm, *_PENALTY[each.acts]) for name, each in REGULARIZERS.items()},
    "learning_rate": ("learning rate", PURPLE, "dot"),
    "train_metric": ("train", BLUE, "dash"),
    "test_metric": ("test", VERMILLION, "solid"),
    "validation_metric": ("held-out rows", GREEN, "solid"),
    "assigned_validation_metric": ("held-out rows, assigned map", ORANGE, "dot"),
    "train_loss": ("train loss", BLUE, "dash"),
    "test_loss": ("test loss", VERMILLION, "solid"),
    "constant": ("constant predictor", *CONSTANT[:2]),
    "total": ("total", GREY, "solid"),
    "complexity": ("complexity", BLUE, "dash"),
    "complexity_exact": ("exact", GREEN, "longdash"),
    "complexity_worst": ("worst case", ORANGE, "dot"),
    "confidence": ("confidence", PURPLE, "dashdot"),
    "empirical_risk": ("train risk", SKY, "longdash"),
    "gap": ("gap", VERMILLION, "solid"),
    "weight_norm": ("‖W‖⁎", GREEN, "dot"),
    "mean_trace": ("‖φ(X)‖²/n", SKY, "dot"),
    "rank": ("rank of W", PURPLE, "dot"),
    "target_norm": ("‖Ȳ‖²", GREY, "dash"),
    "discriminant_information": ("DI", BLUE, "solid"),
    "predicted_error": ("‖Ȳ‖² − DI", ORANGE, "solid"),
    "ridge_error": ("ridge error, measured", VERMILLION, "dot"),
}

#: Colours and markers of classes in regions and projections.
CLASSES: tuple[tuple[str, str], ...] = (
    (BLUE, "circle"),
    (ORANGE, "diamond"),
    (GREEN, "square"),
    (VERMILLION, "triangle-up"),
    (PURPLE, "cross"),
    (SKY, "triangle-down"),
    (OLIVE, "star"),
    (GREY, "hourglass"),
    ("#332288", "pentagon"),
    ("#882255", "hexagon"),
)


_AXIS: dict[str, Any] = {
    "automargin": True,
    "gridcolor": "rgba(128,128,128,0.25)",
    "zerolinecolor": "rgba(128,128,128,0.5)",
    "zerolinewidth": 1,
    "linecolor": "rgba(128,128,128,0.6)",
    "showline": True,
    "ticks": "outside",
    "tickcolor": "rgba(128,128,128,0.6)",
    "tickfont": {"size": 14},
    "title": {"font": {"size": 15}, "standoff": 8},
}


@cache
def _template() -> go.layout.Template:
    """What all figures share; made with the first of them, since plotly's classes take long to load."""
    return go.layout.Template(
        layout={
            "font": {"size": 14, "color": GREY, "family": '"Source Sans Pro", "Source Sans 3", system-ui, sans-serif'},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            # The first line ends 27 pixels below the top: titles of neighbouring pictures stand at one height, whether
            # they have a second line or not.
            "title": {
                "x": 0, "xref": "container", "xanchor": "left", "y": 1, "yref": "container", "yanchor": "bottom",
                "pad": {"l": 8, "b": -27}, "font": {"size": 17},
            },
            "xaxis": _AXIS,
            "yaxis": _AXIS,
            "margin": {"l": 8, "r": 12, "b": 8},
            "hoverlabel": {"font": {"size": 14}},
            "hovermode": "closest",
            # Beneath the plot, so that a narrow screen keeps its width for the curves.
            "legend": {
                "orientation": "h", "xref": "container", "yref": "container", "x": 0, "y": 0, "xanchor": "left",
                "yanchor": "bottom", "font": {"size": 14}, "bgcolor": "rgba(0,0,0,0)",
            },
        }
    )  # fmt: skip


def method_style(name: str) -> Style:
    """The style of a named method or baseline; a method of any other name always gets the same style."""
    if name in BASELINES:
        return BASELINES[name]
    looks = [each.look for each in METHODS.values() if each.look]
    own = METHODS[name].look if name in METHODS else ""
    colour, dash, symbol = (own or looks[zlib.crc32(name.encode()) % len(looks)]).split()
    return Style(COLOURS[colour], dash, symbol)


def class_style(code: int) -> tuple[str, str]:
    """Colour and marker of a class; colours repeat after ten, and both together after a hundred."""
    several = len(CLASSES)
    return CLASSES[code % several][0], CLASSES[(code + code // several) % several][1]


def role(name: str) -> tuple[str, str, str]:
    """Words, colour and dash of a curve by its metric."""
    plain = name.removeprefix("bound/")
    return ROLES.get(plain, (plain.replace("_", " "), GREY, "solid"))


def fade(colour: str, opacity: float) -> str:
    """``#RRGGBB`` as an rgba colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


#: Ticks of numbers that may be small: without powers of ten Plotly writes 150µ.
POWERS: dict[str, Any] = {"exponentformat": "power"}


def colourbar(title: str) -> dict[str, Any]:
    """The strip beside a heatmap, named along its side so that a narrow screen keeps its width."""
    return {"thickness": 12, "tickfont": {"size": 14}, "nticks": 5, "title": {"text": title, "side": "right"}} | POWERS


_checked = ContextVar("checked", default=True)


@contextmanager
def unchecked() -> Iterator[None]:
    """Figures that are made inside have no template, and Plotly does not check what they are made of.

    That takes half of the time of a figure. It is for those that are made several times a second and of which nothing
    but arrays and words is used.
    """
    before = _checked.set(False)
    try:
        yield
    finally:
        _checked.reset(before)


def trace(kind: Callable[..., T], **look: Any) -> T:
    """A trace of one of Plotly's kinds, like ``kind(**look)``; unchecked inside :func:`unchecked`."""
    return kind(**look) if _checked.get() else kind(**look, _validate=False)


def figure(
    traces: list[Any], *, title: str, x: str, y: str, revision: str, subtitle: str = "",
    xaxis: dict[str, Any] | None = None, yaxis: dict[str, Any] | None = None, **layout: Any,
) -> go.Figure:  # fmt: skip
    """A figure in kernlab's look.

    Args:
        traces: as of Plotly.
        title, subtitle: heading, and a second line in small letters.
        x, y: axis names with units.
        revision: names the picture and its options; a zoom lasts as long as it stays the same.
        xaxis, yaxis, layout: further layout.
    """
    heading: dict[str, Any] = {"text": title}
    margin = {"t": 66 if subtitle else 44} | layout.pop("margin", {})
    if subtitle:
        heading["subtitle"] = {"text": subtitle, "font": {"size": 14}}
    checked = _checked.get()
    return go.Figure(
        traces,
        {
            "template": _template() if checked else "none",
            "title": heading,
            "xaxis": {"title": {"text": x}} | (xaxis or {}),
            "yaxis": {"title": {"text": y}} | (yaxis or {}),
            "uirevision": revision,
            "margin": margin,
            **layout,
        },
        _validate=checked,
    )


def with_words_above(drawn: go.Figure) -> go.Figure:
    """The figure with room for a line of words between its heading and the plot."""
    return drawn.update_layout(margin_t=(drawn.layout.margin.t or 0) + 20)


#: Looks of the kernels of a run, by their first words.
MOMENTS: dict[str, Style] = {
    "now": Style(BLUE, "solid", "circle"),
    "before training": Style(ORANGE, "dot", "diamond-open"),
    "then": Style(GREEN, "dashdot", "square-open"),
    "exact": Style(PURPLE, "dash", "cross-thin-open"),
}


def moment_style(name: str) -> Style:
    """Style of a kernel by its first words: that of "then, epoch 3" is that of "then"; of other words that of "now"."""
    return next((style for words, style in MOMENTS.items() if name.startswith(words)), MOMENTS["now"])
