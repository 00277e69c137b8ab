"""Home: what this is, a kernel being learned, and links to the other pages. Nothing here waits for torch."""

import streamlit as st

from kernlab.ui import elements
from kernlab.ui.chart import Shot, live_chart
from kernlab.ui.heading import heading
from kernlab.ui.links import link
from kernlab.ui.miniature import EXPLAINED, HEIGHT, INTRODUCTION, SHOWN, film, name
from kernlab.ui.pages import PAGES
from kernlab.ui.scenes import SCENES
from kernlab.ui.state import Address

with heading(PAGES[0].heading):
    Address("home").share()
st.markdown(INTRODUCTION)

for key, place in zip(SHOWN, st.columns(2), strict=True):
    with place:
        live_chart(Shot(name(), key), key=f"home.{key}", alt=film()["alt"][key], height=HEIGHT)
elements.timeline(name(), plays=True)
elements.values(name())
st.caption("Left: what the model predicts at each point. Right: the spectral density that it learns.")

st.header("What it is, in four pictures", anchor=False)
st.caption("All four are of the kernel above, at the moment that the slider shows.")
WORDS = (
    "**A kernel** says which points are alike: it is blue where the model treats points like the one at the cross. "
    "Learning gives that region the shape that tells the squares of the board apart.",
    "**Its spectral density** says which waves the kernel is made of. Slow waves make smooth answers; to follow small "
    "squares the kernel needs faster ones, and learns them.",
    "**Learning** changes the waves a little at every step, so that more of the known points are answered right. What "
    "counts are the points that it has not seen: the test.",
    "**A bound** is the promise of a theorem: on new points the loss is larger by this much at most. Above the dotted "
    "line the promise says nothing, however small the difference is that was measured.",
)
for start in range(0, len(EXPLAINED), 2):
    for key, words, place in zip(EXPLAINED[start:][:2], WORDS[start:][:2], st.columns(2), strict=True):
        with place:
            live_chart(
                Shot(name(), key, over_time=key == "progress"), key=f"home.{key}", alt=film()["alt"][key], height=300
            )
            st.markdown(words)

st.header("See two kernels side by side", anchor=False)
st.caption("Each scene trains by itself as soon as it is opened; the runs learn in step, on one slider.")
for place, (key, scene) in zip(st.columns(len(SCENES)), SCENES.items(), strict=True):
    with place, st.container(border=True, key=f"scene-{key}"):
        link("train", f"**{scene.title}**", scene.icon, scene=key)
        st.caption(scene.words)

LINKS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("train", "Train the one above", ":material/play_circle:", film()["address"]),
    ("train", "Handwritten digits", ":material/draw:", {"dataset": "digits", "method": "ASKL"}),
    ("compare", "Compare methods", ":material/balance:", {}),
    ("runs", "My runs", ":material/database:", {}),
)
with st.container(horizontal=True, key="links"):
    for page, title, icon, address in LINKS:
        link(page, title, icon, **address)
elements.line("news/device")
