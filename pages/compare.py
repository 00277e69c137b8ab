"""Compare: methods on the same splits, tested, beside strong baselines and what the papers printed."""

import streamlit as st

from kernlab.compare.records import comparison_id
from kernlab.compare.written import command
from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.ui import compare, compared, planned
from kernlab.ui.forms import sentences
from kernlab.ui.heading import heading
from kernlab.ui.state import Address
from kernlab.ui.steering import earlier, open_comparison, opened, progress, snapshot_of, transport

state = st.session_state
ADDRESS = Address("compare", compare.FORM, compared.SHOWN)
jobs = manager().comparisons


def arrive(rest: dict[str, str]) -> None:
    """Open the comparison that the address names, and fill the form with it where the address says no other."""
    id, others = compare.FORM["id"], [key for key in ADDRESS.address if key != "id" and key not in compared.SHOWN]
    compare.FORM.change(more="\n".join(f"{key}={text}" for key, text in rest.items()))
    open_comparison(None)
    if id:
        try:
            open_comparison(stored := jobs.store.comparison(id))
            if not others:
                ADDRESS.trouble = compare.read(compare.address_of(stored.comparison))
        except KernlabError as error:
            ADDRESS.trouble = f"{error} (In the address of this page.)"


def try_example() -> None:
    """Fill the form with the example and start it, in one click."""
    compare.read(compare.EXAMPLE)
    state["compare.example"] = True


@sentences()
def panel() -> None:
    """All but the form: it runs again when a person chooses something here, or a cell is finished."""
    snapshot, stored = snapshot_of(jobs), opened()
    compare.FORM.change(id=stored.id if stored else "")
    try:
        more = compare.lines(compare.FORM["more"])
    except KernlabError:  # the form says so
        more = {}
    ADDRESS.write(more, without=() if stored else tuple(compared.SHOWN))
    top, words, way, results = (st.container() for _ in range(4))
    with top, heading("Compare"):
        if written := (stored.comparison if stored else comparison):
            with st.popover("Copy as command", icon=":material/terminal:"):
                st.code(command(written), language="bash", wrap_lines=True)
        ADDRESS.share()
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
        with results:
            planned.preview(comparison, jobs.store)
    if snapshot and stored:
        with way:
            if comparison and comparison_id(comparison) != stored.id:
                st.caption(":material/info: The form on the left differs from the comparison that is shown here.")
            progress(snapshot, stored)
        with results:
            if snapshot.records:
                compared.results(snapshot, stored)
            else:
                planned.preview(stored.comparison, jobs.store)
    if (stored and stored.id) != before:  # somebody pressed Start: what stood here goes to the list below
        st.rerun()


ADDRESS.arrive(arrive)
comparison = compare.comparison_form()
if state.pop("compare.example", False) and comparison:
    with sentences():
        open_comparison(jobs.store.comparison(jobs.start(comparison)))
before = (now := opened()) and now.id
st.fragment(panel)()
if not before:
    st.button("Try an example", icon=":material/play_circle:", on_click=try_example,
              help="Five methods on three small data sets, five repeats")  # fmt: skip
earlier(jobs)
