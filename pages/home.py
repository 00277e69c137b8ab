"""Home: what this is, a kernel being learned right here, and the doors to the rest."""

import time

import streamlit as st

from kernlab import devices
from kernlab.pictures.function_view import function_view, plot_function
from kernlab.pictures.joint import joint_density, plot_joint
from kernlab.ui import pictures, polling, setup
from kernlab.ui.links import link
from kernlab.ui.miniature import SPEC, Miniature

FRAME = 0.5  # seconds a moment stays on the screen
state = st.session_state

st.title("See a kernel being learned", anchor=False)
st.markdown(
    "A kernel decides which points a model calls alike, and its **spectral density** is the kernel in another dress. "
    "kernlab learns that density from data while you watch it move, together with the function it makes and the terms "
    "of its generalisation bound. Everything runs on this machine, from data that come with it."
)


@st.cache_resource(show_spinner=False)
def miniature() -> Miniature:
    """One for all visitors."""
    return Miniature()


def play() -> None:
    """Show the miniature from its start."""
    state["home.began"] = time.monotonic()


def due() -> int:
    """The moment that is due."""
    return int((time.monotonic() - state["home.began"]) / FRAME)


def pace() -> float | None:
    """Seconds until the next moment; none after the last one."""
    small = miniature()
    return FRAME if not small.done or due() < len(small.frames) else None


def picture() -> None:
    """The moment that is due, drawn."""
    small = miniature()
    if not small.frames:
        st.caption("Starting …")
        return
    place = min(due(), len(small.frames) - 1)
    frame = small.frames[place]
    left, right = st.columns(2)
    with left:
        pictures.show(
            "home.function", place, lambda: plot_function(function_view(frame.arrays, small.static, small.facts)),
            alt="The decision regions of the model so far", height=380,
        )  # fmt: skip
    with right:
        now, first = frame.arrays, small.static
        pictures.show(
            "home.joint", place,
            lambda: plot_joint(joint_density(
                [1.0, 0.0], now["omega"], now["omega_prime"], first["omega_initial"], first["omega_prime_initial"],
                what="first input",
            )),
            alt="The joint spectral density of the kernel so far", height=380,
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Play again", icon=":material/replay:", on_click=play, disabled=pace() is not None)
        words = f"**{frame.accuracy:.1f} %** of the test points right after {frame.epoch:.1f} epochs"
        st.markdown(f"{words}. Left: what the model says where. Right: the density it learns, dotted where it began.")


if "home.began" not in state:
    play()
polling.poll(picture, pace)

DOORS: tuple[tuple[str, str, str, str, dict[str, str]], ...] = (
    ("train", "Train this one", ":material/play_circle:", "Change anything and press Train.", setup.scene_of(SPEC)),
    ("train", "Handwritten digits", ":material/draw:", "Frequencies that turn into pictures.",
     {"dataset": "digits", "method": "ASKL"}),
    ("compare", "Compare", ":material/balance:", "Which differences between methods are real?", {}),
    ("runs", "My runs", ":material/database:", "Everything that was trained here.", {}),
)  # fmt: skip
for place, (page, title, icon, words, scene) in zip(st.columns(len(DOORS)), DOORS, strict=True):
    with place, st.container(border=True):
        link(page, f"**{title}**", icon, **scene)
        st.caption(words)
st.caption(f"Training will run on: {devices.describe(devices.resolve('auto'))}")
