"""The one way a picture reaches the browser: a Plotly chart that is updated, never mounted again.

``st.plotly_chart`` throws the node away at every change of the data and loses the zoom with it. This
component hands the figure to ``Plotly.react`` instead (chart.js), follows Streamlit's theme while it
is switched, and offers the picture as PNG, SVG and its data as CSV.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kernlab.ui.assets import component, url

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Shot", "live_chart", "to_json"]

_component = component("chart", "chart.js", "home", f"home + {json.dumps(url('plotly.js'))}")


class Shot(NamedTuple):
    """A picture of a run, which the browser fetches by itself.

    Attributes:
        run: the run's id.
        picture: its name.
        view: the switches that change it, as a query: "look=x1&log=true".
        over_time: it is drawn from the metrics of the whole run.
        beside: further runs, whose pictures have the same axes.
        together: names of the curves that are drawn for all of these runs in this one picture; none: its own alone.
        names, colors: of all these runs, where their curves are drawn together.
        data: the name of the run's data; what is selected is shared by pictures of the same data.
        news: all that will ever be new of it, where that is known: the browser need not ask for it.
        before: the preview that the run begins with; its picture is shown until the run has one of its own.
    """

    run: str
    picture: str
    view: str = ""
    over_time: bool = False
    beside: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    data: str = ""
    news: Mapping[str, Any] | None = None
    before: str = ""


def live_chart(
    figure: go.Figure | str | Shot,
    *,
    key: str,
    alt: str,
    height: int = 320,
    events: Sequence[Literal["click"]] = (),
) -> Any:
    """Show ``figure``; later calls with the same ``key`` update it where it stands.

    Args:
        figure: what to draw, its :func:`to_json`, or a picture of a film, which follows the page's clock by itself.
            Text, grid and background take the page's colours; a zoom is kept as long as ``uirevision`` stays the same.
        key: identity of the chart on the page.
        alt: what the picture shows, for those who hear it.
        height: in CSS pixels.
        events: what the browser reports: the clicked point (a dictionary with curve, index, x, y, z, customdata).

    Returns:
        The reported events by name, as attributes; None where nothing was reported yet.
    """
    shown = (
        {"film": figure._asdict()}
        if isinstance(figure, Shot)
        else {"figure": figure if isinstance(figure, str) else to_json(figure)}
    )
    data = {
        **shown,
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
    from plotly.utils import PlotlyJSONEncoder  # a page of films needs no figure of Python's

    plain = figure.to_dict()
    if "data" in plain.get("layout", {}).get("template", {}):
        del plain["layout"]["template"]
    return json.dumps(plain, cls=PlotlyJSONEncoder, separators=(",", ":"))


def _nothing() -> None: ...
