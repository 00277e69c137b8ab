"""Widgets made from options, so that a new component has its form without a line here.

The browser's limits are only a convenience: what comes back is built again by ``Component.build``, and
its sentence is shown beside the widgets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from kernlab.errors import CompositionError, KernlabError
from kernlab.options import Component, Option, options_of

__all__ = ["from_text", "grid", "option_form", "option_widget", "sentences", "show_error", "to_text"]


def show_error(error: KernlabError) -> None:
    """The error's sentence, beside what caused it."""
    words = str(error)
    if isinstance(error, CompositionError):  # others may begin with the name of an option
        words = words[0].upper() + words[1:]
    st.error(words, icon=":material/error:")


@contextmanager
def sentences() -> Iterator[None]:
    """What goes wrong inside is a sentence on the page instead of a traceback."""
    try:
        yield
    except KernlabError as error:
        show_error(error)


def to_text(value: Any) -> str:
    """A value as it stands in an address or in a text field."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def from_text(option: Option, text: str) -> Any:
    """The value that ``text`` stands for; text that stands for none is returned as it is, for ``build`` to judge."""
    text = text.strip()
    if option.type == "bool" and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    if option.type in ("int", "float") and text not in option.choices:
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if option.type == "int" and number.is_integer() else number
    return text


def grid(option: Option) -> list[float]:
    """Round values 1 and 3 of every decade in the option's range, and its default: what a log scale offers."""
    low = option.minimum if option.minimum is not None else option.above
    high = option.maximum if option.maximum is not None else option.below
    if not option.log and low == 0 and high is not None and high <= 1:  # a share
        return [float(f"{high * tenth / 10:.6g}") for tenth in range(11)]
    default = option.default if isinstance(option.default, int | float) and option.default else 1.0
    first = math.floor(math.log10(low)) if low else min(-10, math.floor(math.log10(abs(default))) - 3)
    last = math.ceil(math.log10(high)) if high else math.ceil(math.log10(abs(default))) + 3
    values = {float(f"{lead}e{power}") for power in range(max(first, -12), min(last, 9) + 1) for lead in (1, 3)}
    if isinstance(option.default, int | float):
        values.add(float(option.default))
    if low == 0 and option.above is None:
        values.add(0.0)

    def fits(value: float) -> bool:
        return (
            (option.minimum is None or value >= option.minimum)
            and (option.maximum is None or value <= option.maximum)
            and (option.above is None or value > option.above)
            and (option.below is None or value < option.below)
            and (option.type == "float" or value.is_integer())
        )

    return sorted(filter(fits, values))


def option_widget(
    option: Option,
    state: MutableMapping[str, Any],
    key: str,
    label: str = "",
    called: Callable[[str], str] = str,
) -> Any:
    """One widget, and the value it stands at.

    Args:
        option: what is asked for.
        state: where the widget keeps its value (``st.session_state``); a value put there under ``key``
            before is where the widget starts, else the option's default.
        key: the widget's key.
        label: heading of the widget; the option's key in plain words if left out.
        called: what a choice is called.
    """
    label = label or option.key.replace("_", " ").capitalize()
    label += f" ({option.unit})" if option.unit else ""
    value = state.get(key, option.default)
    if option.type == "bool":
        _put(state, key, value if isinstance(value, bool) else str(value).lower() in ("true", "1"))
        return st.toggle(label, state[key], key=key, help=option.help)
    if option.type == "choice":
        _put(state, key, value if value in option.choices else option.default)
        place = option.choices.index(state[key])
        return st.selectbox(label, list(option.choices), place, key=key, help=option.help, format_func=called)
    if option.type == "text":
        _put(state, key, to_text(value))
        return st.text_input(label, state[key], key=key, help=option.help)
    if option.log or option.choices:
        # Typical values to pick from; any other may be typed.
        words = [*option.choices, *(to_text(number) for number in grid(option))]
        _put(state, key, to_text(value))
        words += [] if state[key] in words else [state[key]]
        help = f"{option.help} Takes {option.range}; type any value."
        place = words.index(state[key])
        return from_text(option, str(st.selectbox(label, words, place, key=key, help=help, accept_new_options=True)))
    whole = option.type == "int"
    number: type[int] | type[float] = int if whole else float
    low = None if option.minimum is None else number(option.minimum)
    high = None if option.maximum is None else number(option.maximum)
    try:
        held = number(value)
    except (TypeError, ValueError):
        held = number(option.default)
    held = held if low is None else max(held, low)
    _put(state, key, held if high is None else min(held, high))
    if low is not None and high is not None and high - low <= (1000 if whole else 10):
        step = 1 if whole and high - low <= 200 else number((high - low) / 100)
        return st.slider(label, low, high, state[key], key=key, help=option.help, step=step)
    shape: dict[str, Any] = {"min_value": low, "max_value": high, "format": "%d" if whole else "%g"}
    shape["step"] = 1 if whole else _step(option)
    return st.number_input(label, value=state[key], key=key, help=option.help, **shape)


def _put(state: MutableMapping[str, Any], key: str, value: Any) -> None:
    # Only where something changes: an assignment of its own value would still count as ours, not the user's.
    if key not in state or state[key] != value or type(state[key]) is not type(value):
        state[key] = value


def _step(option: Option) -> float:
    """A tenth of the default's power of ten: what one press on + adds."""
    return float(10 ** (math.floor(math.log10(abs(option.default))) - 1)) if option.default else 0.01


def option_form(
    component: type[Component],
    *,
    key: str,
    skip: Iterable[str] = (),
    labels: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Widgets for a component's options; the advanced ones come in one fold. Returns the values, unchecked."""
    shown = [option for option in options_of(component).values() if option.key not in set(skip)]
    names = labels or {}
    values = {}
    for option in shown:
        if not option.advanced:
            values[option.key] = _one(option, key, names)
    if advanced := [option for option in shown if option.advanced]:
        with st.expander("Advanced"):
            values |= {option.key: _one(option, key, names) for option in advanced}
    return values


def _one(option: Option, key: str, labels: Mapping[str, str]) -> Any:
    return option_widget(option, st.session_state, f"{key}.{option.key}", labels.get(option.key, ""))  # type: ignore[arg-type]
