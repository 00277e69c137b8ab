"""What tests read off figures."""

from __future__ import annotations

import base64

import numpy as np

from kernlab.feature_maps import FeatureMap
from kernlab.pictures.kernel_at import KernelAt


def decoded(value):
    """An array of a figure's JSON, packed or plain."""
    if not isinstance(value, dict):
        return np.asarray(value)
    flat = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
    return flat.reshape([int(n) for n in str(value["shape"]).split(",")]) if "shape" in value else flat


def same(trace, **arrays):
    """Assert that a trace has exactly these values."""
    for key, expected in arrays.items():
        np.testing.assert_array_equal(np.asarray(trace[key]), np.asarray(expected))


def has_values(figure):
    """Whether anything is drawn."""
    return any(np.size(getattr(trace, key)) for trace in figure.data for key in ("x", "y", "z") if key in trace)


def keeps_promises(figure, size=200_000):
    """What every picture promises: a title, a kept zoom, named traces with hover words, and few bytes and points.

    Returns:
        its layout, whose axes differ from picture to picture.
    """
    layout = figure.layout
    assert layout.title.text
    assert layout.uirevision
    assert all(trace.name for trace in figure.data)
    assert all(trace.hovertemplate or trace.hoverinfo == "skip" for trace in figure.data)
    # to_json escapes each slash of a packed array by six characters, which what is sent to a browser does not.
    assert len(figure.to_json().replace("\\u002f", "/")) < size
    assert all(len(trace.x) <= 2000 for trace in figure.data if trace.type == "scatter")
    return layout


def whole_kernel(method, params):
    """The kernel of a whole model, with all of its features."""
    columns = method.feature_map.columns(params) if isinstance(method.feature_map, FeatureMap) else 0
    return KernelAt(method.feature_map, params, columns, columns)
