"""Colours, dashes and markers, fixed in one place, and the layout all pictures share.

The colours are Okabe and Ito's (2008), distinct to colour-blind eyes too; a method differs from the others
in dash and marker too. Learned frequencies: unbroken or long lines and filled markers; assigned ones:
dots and open markers.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import plotly.graph_objects as go

SKY, BLUE, GREEN = "#56B4E9", "#0072B2", "#009E73"


ORANGE, VERMILLION, PURPLE = "#E69F00", "#D55E00", "#CC79A7"


#: In the place of their yellow, which vanishes on white.
OLIVE = "#999933"


#: Reads on white and on black alike (contrast above 4.5 on both).
GREY = "#767676"


#: For values of either sign. Zero is a light grey, so that a tile shows its extent on either background.
DIVERGING = [[0, VERMILLION], [0.5, "#e8e8e8"], [1, BLUE]]


class Style(NamedTuple):
    """How one method looks everywhere: colour, line dash, marker symbol."""

    colour: str
    dash: str
    symbol: str


#: Every named method of METHODS.md section 6.
METHODS: dict[str, Style] = {
    "SK": Style(SKY, "dot", "circle-open"),
    "NSK": Style(ORANGE, "dashdot", "diamond-open"),
    "SKL": Style(BLUE, "dash", "circle"),
    "NSKL": Style(VERMILLION, "longdash", "diamond"),
    "ASKL": Style(GREEN, "solid", "star"),
    "Deep-ASKL": Style(PURPLE, "solid", "star-diamond"),
    "RFDI": Style(BLUE, "solid", "square"),
    "NysDI": Style(VERMILLION, "solid", "triangle-up"),
    "RF-LS": Style(SKY, "dash", "square-cross"),
    "Nys-LS": Style(ORANGE, "dash", "triangle-right"),
    "RF-CE": Style(SKY, "longdash", "square-x"),
    "Nys-CE": Style(ORANGE, "longdash", "triangle-left"),
    "RF": Style(BLUE, "dot", "square-open"),
    "Nys": Style(VERMILLION, "dot", "triangle-up-open"),
    "Nys-kmeans": Style(VERMILLION, "dashdot", "triangle-down-open"),
    "LKRF": Style(PURPLE, "longdash", "pentagon"),
    "LKRF-resampled": Style(PURPLE, "dashdot", "pentagon-open"),
    "FKS-Fourier": Style(SKY, "solid", "hourglass"),
    "FKS-wavelet": Style(ORANGE, "solid", "bowtie"),
    "eSVR-rbf": Style(GREEN, "dash", "cross"),
    "eSVR-poly": Style(GREEN, "dot", "cross-open"),
    "nuSVR-rbf": Style(GREEN, "longdash", "x"),
    "nuSVR-poly": Style(GREEN, "dashdot", "x-open"),
    "SVC-rbf": Style(PURPLE, "dash", "hexagram"),
    "KRR": Style(PURPLE, "dot", "hexagon-open"),
    "MKL": Style(BLUE, "dashdot", "octagon-open"),
}


#: The epoch that a run keeps, on curves and sliders.
KEPT = GREEN


#: The constant predictor, on every page.
CONSTANT = Style(GREY, "dot", "line-ew-open")


#: Baselines that comparisons stand beside.
BASELINES: dict[str, Style] = {
    "constant": CONSTANT,
    "svm-rbf": Style(OLIVE, "solid", "diamond-wide"),
    "boosting": Style(GREY, "solid", "star-square"),
    "extra-trees": Style(OLIVE, "dash", "star-triangle-up"),
}


#: What a curve means when one run is drawn alone: words, colour, dash.
ROLES: dict[str, tuple[str, str, str]] = {
    "objective": ("objective", GREY, "solid"),
    "loss": ("loss", BLUE, "dash"),
    "penalty": ("penalty", ORANGE, "dash"),
    "norm": ("norm", ORANGE, "dash"),
    "frobenius": ("λ₁‖W‖²", ORANGE, "dash"),
    "trace_norm": ("λ₁‖W‖⁎", VERMILLION, "dash"),
    "feature_norm": ("λ₂‖φ(X)‖²/n", GREEN, "dashdot"),
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


_LINE = "rgba(128,128,128,0.25)"


_AXIS: dict[str, Any] = {
    "automargin": True,
    "gridcolor": _LINE,
    "zerolinecolor": "rgba(128,128,128,0.5)",
    "zerolinewidth": 1,
    "linecolor": "rgba(128,128,128,0.6)",
    "showline": True,
    "ticks": "outside",
    "tickcolor": "rgba(128,128,128,0.6)",
    "tickfont": {"size": 14},
    "title": {"font": {"size": 15}, "standoff": 8},
}


_TEMPLATE = go.layout.Template(
    layout={
        "font": {"size": 14, "color": GREY, "family": '"Source Sans Pro", "Source Sans 3", system-ui, sans-serif'},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "title": {"x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 8}, "font": {"size": 17}},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "margin": {"l": 8, "r": 12, "b": 8},
        "hoverlabel": {"font": {"size": 14}},
        "hovermode": "closest",
        # Beneath the plot, so that a narrow screen keeps its width for the curves.
        "legend": {
            "orientation": "h",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "xref": "container",
            "x": 0,
            "xanchor": "left",
            "font": {"size": 14},
            "bgcolor": "rgba(0,0,0,0)",
        },
    }
)


def method_style(name: str) -> Style:
    """The style of a named method; one that a user composed gets its own, the same each time."""
    if known := METHODS.get(name) or BASELINES.get(name):
        return known
    entries = list(METHODS.values())
    return entries[zlib.crc32(name.encode()) % len(entries)]


def class_style(code: int) -> tuple[str, str]:
    """Colour and marker of a class; after ten they come round again."""
    return CLASSES[code % len(CLASSES)]


def role(name: str) -> tuple[str, str, str]:
    """Words, colour and dash of a curve by its metric."""
    plain = name.removeprefix("bound/")
    return ROLES.get(plain, (plain.replace("_", " "), GREY, "solid"))


def fade(colour: str, opacity: float) -> str:
    """``#RRGGBB`` as an rgba colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def colourbar(title: str) -> dict[str, Any]:
    """The strip beside a heatmap, named along its side so that a narrow screen keeps its width."""
    return {"thickness": 12, "tickfont": {"size": 14}, "nticks": 5, "title": {"text": title, "side": "right"}}


def figure(
    traces: list[Any],
    *,
    title: str,
    x: str,
    y: str,
    revision: str,
    subtitle: str = "",
    xaxis: dict[str, Any] | None = None,
    yaxis: dict[str, Any] | None = None,
    **layout: Any,
) -> go.Figure:
    """A figure in kernlab's look.

    Args:
        traces: what is drawn.
        title, subtitle: heading, and a second line in small letters.
        x, y: axis names with units.
        revision: names the picture and its options; a zoom lasts as long as it stays the same.
        xaxis, yaxis, layout: further layout.
    """
    heading: dict[str, Any] = {"text": title}
    margin = {"t": 62 if subtitle else 44} | layout.pop("margin", {})
    if subtitle:
        heading["subtitle"] = {"text": subtitle, "font": {"size": 14}}
    return go.Figure(
        traces,
        {
            "template": _TEMPLATE,
            "title": heading,
            "xaxis": {"title": {"text": x}} | (xaxis or {}),
            "yaxis": {"title": {"text": y}} | (yaxis or {}),
            "uirevision": revision,
            "margin": margin,
            **layout,
        },
    )


#: By the word that says which kernel it is.
MOMENTS: dict[str, Style] = {
    "now": Style(BLUE, "solid", "circle"),
    "before training": Style(ORANGE, "dot", "diamond-open"),
    "then": Style(GREEN, "dashdot", "square-open"),
    "exact": Style(PURPLE, "dash", "cross-thin-open"),
}


def moment_style(name: str) -> Style:
    """Look of a kernel by its first words: "then, epoch 3" looks as "then"; others as "now"."""
    return next((style for words, style in MOMENTS.items() if name.startswith(words)), MOMENTS["now"])


def without_crowded_legend(drawn: go.Figure, classes: int) -> go.Figure:
    """The figure without its legend where that would name more than twelve classes; hovering names them too."""
    return drawn.update_layout(showlegend=False) if classes > 12 else drawn
