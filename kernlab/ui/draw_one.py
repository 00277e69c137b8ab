"""A picture drawn by hand (pixels.js), and what the model of a run makes of it at the moment that is shown.

The address holds the drawing: its levels of ink row by row, a byte each, deflated, in the letters of base64.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence

import streamlit as st

from kernlab.errors import KernlabError, OptionError
from kernlab.pictures.base import At
from kernlab.pictures.drawn_one import drawn_one, plot_chances, plot_deciding, plot_near, prepare, takes_pictures
from kernlab.ui import pictures
from kernlab.ui.assets import component
from kernlab.ui.state import Value, Values

__all__ = ["DRAWN", "decoded", "encoded", "section"]

_LEVELS, _LARGEST = 15, 2**16  # of ink, as pixels.js reports them; pixels

_component = component("pixels", "pixels.js")
_HEIGHT = 300


def encoded(levels: Sequence[int]) -> str:
    """Levels of ink, 0 to 15, as they stand in an address; a picture without ink is the empty text."""
    if not any(levels):
        return ""
    packed = zlib.compress(bytes(levels), 9, wbits=-15)
    return urlsafe_b64encode(packed).decode().rstrip("=")


def decoded(text: str) -> tuple[int, ...]:
    """The levels that a text stands for.

    Raises:
        OptionError: it stands for none.
    """
    try:
        packed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        found = zlib.decompressobj(wbits=-15).decompress(packed, _LARGEST) if text else b""
    except (binascii.Error, zlib.error, ValueError):
        found = b"\xff"
    if any(level > _LEVELS for level in found):
        fix = "copy the whole link"
        raise OptionError("drawn must be a picture as this page writes it", repr(text[:40]), fix)
    return tuple(found)


def _checked(text: str) -> str:
    decoded(text)
    return text


#: The drawing, in the address of the Certainty page.
DRAWN = Values("draw_one", Value("drawn", "", _checked))


def section(at: At) -> None:
    """The picture, and the answers beside it; nothing where inputs are no pictures of classes."""
    if not takes_pictures(at):
        return
    assert at.image
    st.header("Draw one", anchor=False)
    if not at.run.run.live:  # beside a training it would take time from it before anyone has drawn
        prepare(at)
    size = at.image[0] * at.image[1]
    levels = decoded(DRAWN["drawn"])
    if len(levels) != size:
        levels = (0,) * size
    left, middle, right = st.columns(3)
    with left:
        _component(key="pixels", data={"shape": list(at.image), "begun": _begun(at), "levels": list(levels)},
                   on_pixels_change=_take)  # fmt: skip
    kept = [level / _LEVELS for level in levels]
    if not any(kept):
        middle.caption(f"Draw a picture of one of the classes {', '.join(at.class_names[:12])}: the model says what it "
                       "is and how sure it is of that, and shows what it rests on.")  # fmt: skip
        return
    try:
        found = drawn_one(at, kept)
    except KernlabError as error:
        middle.error(str(error), icon=":material/error:")
        return
    stamp = (at.run.id, at.moment.step, levels)
    shape = at.image
    with middle:
        pictures.show("drawn_chances", stamp, lambda: plot_chances(found), height=_HEIGHT + 60,
                      alt="Probabilities of the classes of the picture that was drawn")  # fmt: skip
    with right:
        if (deciding := found.deciding) is not None:
            pictures.show("drawn_deciding", stamp, lambda: plot_deciding(deciding, shape), height=_HEIGHT + 60,
                          alt="The frequencies that decided between the two best classes, as pictures")  # fmt: skip
    for column, near in zip(st.columns(max(2, len(found.near))), found.near, strict=False):
        with column:
            pictures.show(f"drawn_{near.name}", stamp, lambda near=near: plot_near(near, shape), height=_HEIGHT,  # type: ignore[misc]
                          alt=f"The nearest training rows under the {near.name} kernel, as pictures")  # fmt: skip
    st.caption(
        "The probability is that of softmax regression on the features of this moment. The frequencies add up, each "
        "with its weights, to how far the run's own best class is above the second."
    )


def _take() -> None:
    """Keep what the browser reports."""
    levels = [min(_LEVELS, max(0, int(each))) for each in st.session_state["pixels"]["pixels"]["levels"]]
    DRAWN.change(drawn=encoded(levels))
    st.session_state["pixels.taken"] = DRAWN["drawn"]


def _begun(at: At) -> str:
    """It changes where the drawing comes from an address or another run: then the browser takes it up. The picture that
    the browser has reported is older than the one it shows, if the hand has gone on."""
    state = st.session_state
    if state.get("pixels.taken") != DRAWN["drawn"]:
        state["pixels.taken"] = DRAWN["drawn"]
        state["pixels.begun"] = state.get("pixels.begun", 0) + 1
    return f"{at.run.id} {state.get('pixels.begun', 0)}"
