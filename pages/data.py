"""Data: a table looked at before anything is trained on it; one of your own brought, or points painted by hand."""

from collections.abc import Mapping

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.spec import RunSpec
from kernlab.ui import bring, data, draw, look, setup
from kernlab.ui.forms import sentences, show_error
from kernlab.ui.heading import heading
from kernlab.ui.state import Address

OF = {"draw": draw.PAINTED, "bring": bring.BROUGHT}  # the values of one part alone
ADDRESS = Address("data", data.FORM, *OF.values())


def arrive(rest: Mapping[str, str]) -> None:
    """Take the data set from the address."""
    try:
        data.arrive(rest)
    except KernlabError as error:
        ADDRESS.trouble = f"{error} (In the address of this page.)"
        data.arrive({})
    if sentence := draw.arrive():
        ADDRESS.trouble = f"{sentence} (In the address of this page.)"


@sentences()
def panel() -> None:
    """All but the side bar."""
    here = setup.address_of(spec) if spec and part == "look" else {}
    others = [key for other, values in OF.items() if other != part for key in values]
    ADDRESS.write({key: text for key, text in here.items() if key != "method"}, without=others)
    with heading(f"Data · {spec.data.dataset}" if spec else "Data"):
        if spec:
            data.links(spec.data.dataset, spec)
        ADDRESS.share()
    ADDRESS.show_trouble()
    data.FORM.choice("part", "Part of the page", list(data.PARTS), data.PARTS)
    if data.FORM["part"] != part:  # another part has another side bar
        st.rerun()
    if part == "draw":
        draw.show()
    elif part == "bring":
        bring.show()
    elif part == "look" and spec:
        with st.spinner("Reading the data …"):
            seen = data.look(spec)
        look.show(seen)


ADDRESS.arrive(arrive)
part = data.FORM["part"]
if part != st.session_state.get("data.part"):
    st.session_state["data.part"] = part
    draw.begin()
spec: RunSpec | None = None
if part == "look":
    with st.sidebar:
        try:
            spec = data.data_form()
        except KernlabError as error:
            show_error(error)
st.fragment(panel)()
