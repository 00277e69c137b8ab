"""Widgets from options, and the scene in the address."""

from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from kernlab.methods import METHODS, MethodSpec
from kernlab.options import Option
from kernlab.ui.forms import from_text, grid, to_text
from kernlab.ui.setup import families

FLOAT = Option("rate", "float", 1e-2, "A rate.", above=0, maximum=1, log=True)
INT = Option("n", "int", 2000, "A count.", minimum=1, maximum=100_000)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
@settings(max_examples=50, deadline=None)
def test_a_number_comes_back_from_its_text(value):
    again = from_text(FLOAT, to_text(value))
    assert abs(again - value) <= 1e-11 * max(1, abs(value))


def test_text_that_is_no_number_is_left_to_the_component():
    assert from_text(FLOAT, "fast") == "fast"
    assert from_text(INT, "12.5") == 12.5
    assert from_text(INT, "12") == 12
    assert from_text(Option("s", "float", "auto", "", choices=("auto",)), "auto") == "auto"
    assert from_text(Option("b", "bool", False, ""), "True") is True


def test_the_log_grid_stays_in_its_range_and_holds_the_default():
    values = grid(FLOAT)
    assert 1e-2 in values
    assert min(values) > 0
    assert max(values) == 1
    assert 0.0 in grid(Option("ridge", "float", 1e-5, "", minimum=0, maximum=1, log=True))


def app():
    import streamlit as st

    from kernlab.errors import KernlabError
    from kernlab.options import Component, component, option
    from kernlab.ui import scene
    from kernlab.ui.forms import from_text, option_form, options_of, show_error, to_text

    @component
    class Thing(Component):
        size: int = option(5, "A size.", ge=1, le=50)
        rate: float = option(0.01, "A rate.", gt=0, le=1, log=True)
        deep: bool = option(False, "Deeper.", advanced=True)

    came = scene.arrived("thing")
    for key, known in options_of(Thing).items():
        if came is not None:
            st.session_state[f"t.{key}"] = from_text(known, came[key]) if key in came else known.default
    values = option_form(Thing, key="t")
    try:
        thing = Thing.build(**values)
    except KernlabError as error:
        show_error(error)
    else:
        st.text(f"{thing.size} {thing.rate} {thing.deep}")
    defaults = Thing().options()
    scene.write("thing", {k: to_text(v) for k, v in values.items() if v != defaults[k]})


def test_widgets_follow_the_address_and_the_address_follows_the_widgets():
    page = AppTest.from_function(app)
    page.query_params["size"] = "7"
    page.query_params["deep"] = "true"
    page.run()
    assert page.text[0].value == "7 0.01 True"
    page.slider(key="t.size").set_value(9).run()
    assert page.text[0].value == "9 0.01 True"
    assert page.query_params["size"] == "9"
    page.slider(key="t.size").set_value(5).run()
    assert "size" not in page.query_params
    page.toggle(key="t.deep").set_value(False).run()
    assert not page.query_params
    assert not page.exception


def test_an_odd_address_is_a_sentence():
    page = AppTest.from_function(app)
    page.query_params["size"] = "many"
    page.query_params["rate"] = "99"
    page.run()
    assert not page.exception
    assert "rate must be a number" in page.error[0].value


def test_a_method_stands_under_the_family_that_it_names_whatever_its_source(monkeypatch):
    monkeypatch.setattr(METHODS, "_entries", {**METHODS})
    METHODS.add("mine", MethodSpec("mine", source="Le et al. 2013", family="Fast features"))
    METHODS.add("yours", MethodSpec("yours", source="Cho & Saul 2009"))
    found = families()
    assert found["Fast features"] == ["mine"]
    assert found["Others"] == ["yours"]
    assert found["Spectral kernels (ASKL)"] == ["SK", "NSK", "SKL", "NSKL", "ASKL", "Deep-ASKL"]
    assert found["Exact kernels"][-1] == "MKL"
    assert {name for names in found.values() for name in names} == {*METHODS, "Custom"}
