"""Compare: methods on the same splits, tested, beside strong baselines and what the papers printed."""

import streamlit as st

from kernlab.compare.records import comparison_id
from kernlab.compare.written import command
from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.ui import compare, compared, polling, scene
from kernlab.ui.forms import sentences
from kernlab.ui.steering import earlier, look, open_comparison, opened, pace, progress, transport

state = st.session_state
jobs = manager().comparisons


def arrive(came: dict[str, str]) -> None:
    """The address decides on arrival (a link, a reload, "back"); afterwards it follows the page."""
    said = {key: value for key, value in came.items() if key != "id" and key not in compared.VIEW}
    state["compare.trouble"] = ""
    open_comparison(None)
    try:
        if "id" in came:
            open_comparison(jobs.store.comparison(came["id"]))
    except KernlabError as error:
        state["compare.trouble"] = f"{error} (In the address of this page.)"
    try:
        stored = opened()
        compare.fill(compare.scene_of(stored.comparison) if stored and not said else said)
    except KernlabError as error:
        state["compare.trouble"] = f"{error} (In the address of this page.)"
        compare.fill({})
    compared.fill_view(came)


def try_example() -> None:
    """Fill the form with the example and start it, in one click."""
    compare.fill(compare.EXAMPLE)
    state["compare.example"] = True


@sentences()
def panel() -> None:
    """All that moves."""
    snapshot, stored = look(jobs), opened()
    told = compare.scene_of(comparison) if comparison else scene.remembered("compare")
    told = {key: value for key, value in told.items() if key != "id" and key not in compared.VIEW}
    scene.write("compare", told | ({"id": stored.id} | compared.view_scene() if stored else {}))
    top, words, way, results = (st.container() for _ in range(4))
    with top.container(horizontal=True, vertical_alignment="center"):
        st.title("Compare", anchor=False)
        if written := (stored.comparison if stored else comparison):
            with st.popover("Copy as command", icon=":material/terminal:"):
                st.code(command(written), language="bash", wrap_lines=True)
        scene.share(scene.remembered("compare"))
    with top:
        transport(jobs, snapshot, comparison)
    lacks = compare.missing()
    if comparison is None and not lacks:  # far down in the side bar, which on a phone is folded away
        words.warning("Nothing can be started yet: in the side bar a sentence in red says what to change.",
                      icon=":material/left_click:")  # fmt: skip
    elif snapshot is None or stored is None:
        begin = f"Choose {lacks} in the side bar (on a phone: » at the top left) and press" if lacks else "Press"
        words.info(
            f"{begin} **Start**. All methods see the same splits; what is finished is kept, so a comparison can be "
            "stopped at any time.",
            icon=":material/leaderboard:",
        )
    if snapshot and stored:
        with way:
            if comparison and comparison_id(comparison) != stored.id:
                st.caption(":material/info: The form on the left says something else than what is shown here.")
            progress(snapshot, stored)
        if snapshot.records:
            with results:
                compared.results(snapshot, stored)
    if (stored and stored.id) != before:  # somebody pressed Start: what stood here goes to the list below
        st.rerun()


if (came := scene.arrived("compare")) is not None:
    arrive(came)
comparison = compare.comparison_form()
if state.pop("compare.example", False) and comparison:
    with sentences():
        open_comparison(jobs.store.comparison(jobs.start(comparison)))
before = (now := opened()) and now.id
polling.poll(panel, lambda: pace(jobs))
if not before:
    st.button("Try an example", icon=":material/play_circle:", on_click=try_example,
              help="Five methods on three small data sets, five repeats")  # fmt: skip
earlier(jobs)
