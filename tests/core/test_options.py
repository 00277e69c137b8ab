"""Components check what they are given, and describe what they take."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.errors import OptionError, UnknownNameError
from kernlab.options import Component, component, flatten, option, options_of


@component
class Kettle(Component):
    name = "kettle"
    aliases = {"millilitres": ("litres", lambda ml, of: ml / 1000)}  # noqa: RUF012

    litres: float = option(1.5, "Volume.", gt=0, le=10, unit="l", log=True)
    cups: int | Literal["auto"] = option("auto", "Cups to fill.", ge=1)
    lid: bool = option(True, "Closed.")
    metal: Literal["steel", "copper"] = option("steel", "What it is made of.", advanced=True)
    label: str = option("", "What is written on it.")


def test_options_describe_themselves():
    found = options_of(Kettle)
    assert {key: o.type for key, o in found.items()} == {
        "litres": "float", "cups": "int", "lid": "bool", "metal": "choice", "label": "text",
    }  # fmt: skip
    assert {key: o.range for key, o in found.items()} == {
        "litres": "a number above 0 and at most 10",
        "cups": "a whole number of at least 1, or auto",
        "lid": "true or false",
        "metal": "one of steel, copper",
        "label": "text",
    }
    assert (found["litres"].unit, found["litres"].log, found["metal"].advanced) == ("l", True, True)
    assert found["cups"].choices == ("auto",)
    assert Kettle().options() == {key: o.default for key, o in found.items()}


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("litres", "2", 2.0),
        ("cups", "3", 3),
        ("cups", "auto", "auto"),
        ("lid", "false", False),
        ("litres", "1e-3", 1e-3),
    ],
)
def test_words_of_a_command_line_become_values(key, text, value):
    built = getattr(Kettle.build(**{key: text}), key)
    assert built == value
    assert type(built) is type(value)


OUT_OF_RANGE = {
    "litres": [0, 10.01, "wide", None, float("nan"), "inf", True],
    "cups": [0, 2.5, "many", False],
    "lid": ["perhaps"],
    "metal": ["gold", 3],
    "label": [3, ["x"]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in OUT_OF_RANGE.items() for value in values])
def test_a_value_out_of_range_or_of_the_wrong_type_is_answered_with_the_range(key, value):
    with pytest.raises(OptionError) as caught:
        Kettle.build(**{key: value})
    described = options_of(Kettle)[key]
    assert str(caught.value).startswith(f"{key} must be {described.range}.")
    assert repr(value) in str(caught.value)
    assert str(described.default) in caught.value.fix


def test_an_unknown_option_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"option of kettle.*Did you mean litres"):
        Kettle.build(liters=1)


def test_another_spelling_sets_the_option():
    assert Kettle.build(millilitres=250).litres == 0.25
    for values in ({"millilitres": 250, "litres": 1}, {"litres": 1, "millilitres": 250}):
        with pytest.raises(OptionError, match="say the same thing"):
            Kettle.build(**values)


def test_a_component_is_frozen_compares_by_value_and_is_checked_again_where_it_is_replaced():
    assert Kettle() == Kettle(litres=1.5)
    assert Kettle() != Kettle(litres=2.0)
    with pytest.raises(AttributeError):
        Kettle().litres = 3.0
    assert Kettle(litres=2.0).replace(cups=4) == Kettle(litres=2.0, cups=4)
    with pytest.raises(OptionError):
        Kettle().replace(litres=-1)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "litres": st.floats(0.001, 10),
            "cups": st.one_of(st.integers(1, 9), st.just("auto")),
            "lid": st.booleans(),
            "metal": st.sampled_from(["steel", "copper"]),
            "label": st.text(max_size=5),
        },
    )
)
@settings(max_examples=50)
def test_what_was_set_has_its_value_and_the_rest_is_default(values):
    kettle = Kettle.build(**values)
    assert kettle.options() == {**Kettle().options(), **values}
    described = kettle.to_dict()
    assert described.pop("kind") == "kettle"
    assert Kettle.build(**described) == kettle


def test_an_option_that_two_parts_have_is_the_first_one_s():
    assert flatten([Kettle()]) == Kettle().options()
    assert flatten([Kettle(litres=2.0), Kettle(litres=3.0)])["litres"] == 2.0
