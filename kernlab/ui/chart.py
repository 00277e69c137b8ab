"""The one way a picture reaches the browser: a Plotly chart that is updated, never mounted again.

``st.plotly_chart`` throws the node away at every change of the data and loses the zoom with it. This
component hands the figure to ``Plotly.react`` instead (chart.js), follows Streamlit's theme while it
is switched, and offers the picture as PNG, SVG and its data as CSV.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st
from plotly.utils import PlotlyJSONEncoder

from kernlab.ui.assets import loader, url

__all__ = ["live_chart", "to_json"]

_component = st.components.v2.component(
    "kernlab_chart", js=loader("chart.js", f"home + {json.dumps(url('plotly.js'))}"), isolate_styles=False
)


def live_chart(
    figure: go.Figure | str,
    *,
    key: str,
    alt: str,
    height: int = 320,
    events: Sequence[Literal["click", "select"]] = (),
) -> Any:
    """Show ``figure``; later calls with the same ``key`` update it where it stands.

    Args:
        figure: what to draw, or its :func:`to_json`. Text, grid and background take the page's colours; a zoom is kept
            as long as its ``uirevision`` stays the same.
        key: identity of the chart on the page.
        alt: what the picture shows, for those who hear it.
        height: in CSS pixels.
        events: what the browser reports: the clicked point (a dictionary with curve, index, x, y, z, customdata),
            the selected points (a list of those).

    Returns:
        The reported events by name, as attributes; None where nothing was reported yet.
    """
    data = {
        "figure": figure if isinstance(figure, str) else to_json(figure),
        "name": re.sub(r"\W+", "-", key),
        "alt": alt,
        "height": height,
        "events": list(events),
    }
    # Naming a callback is how a component declares a state; the value itself is what is asked for.
    reported: dict[str, Any] = {f"on_{event}_change": _nothing for event in events}
    return _component(key=key, data=data, height=height, **reported)


def to_json(figure: go.Figure) -> str:
    """The figure as JSON: arrays as base64, without plotly's own default template (7 kB in every chart)."""
    plain = figure.to_dict()
    if "data" in plain.get("layout", {}).get("template", {}):
        del plain["layout"]["template"]
    return json.dumps(plain, cls=PlotlyJSONEncoder, separators=(",", ":"))


def _nothing() -> None: ...
