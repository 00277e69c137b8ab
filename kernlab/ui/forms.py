"""Widgets made from options, so that a new component has its form without a line here.

The browser's limits are only a convenience: what comes back is built again by ``Component.build``, and
its sentence is shown beside the widgets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from kernlab.errors import CompositionError, KernlabError
from kernlab.options import Option
from kernlab.ui.state import Values, to_text

__all__ = ["from_text", "grid", "option_value", "option_widget", "sentences", "show_error"]


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


def option_value(option: Option, values: Values, key: str, default: Any = None) -> Any:
    """The value that an option has, as its widget would show it.

    Args:
        option: what is asked for.
        values, key: where the value is kept.
        default: the value where none is kept; the option's own if left out.
    """
    value = values.get(key, option.default if default is None else default)
    if option.type == "bool":
        return value if isinstance(value, bool) else str(value).lower() in ("true", "1")
    if option.type == "choice":
        return value if value in option.choices else option.default
    if option.type == "text":
        return to_text(value)
    if option.log or option.choices:
        return from_text(option, to_text(value))
    number, low, high = _limits(option)
    try:
        value = number(value)
    except (TypeError, ValueError):
        value = number(option.default)
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _limits(option: Option) -> tuple[type[int] | type[float], float | None, float | None]:
    """The type of a number, and its least and greatest value as such."""
    number: type[int] | type[float] = int if option.type == "int" else float
    low, high = (None if each is None else number(each) for each in (option.minimum, option.maximum))
    return number, low, high


def option_widget(
    option: Option, values: Values, key: str, default: Any = None, label: str = "", called: Callable[[str], str] = str,
    *, slide: bool = False,
) -> Any:  # fmt: skip
    """One widget, and the value it stands at.

    Args:
        option, values, key, default: as of :func:`option_value`.
        label: heading of the widget; the option's key in plain words if left out.
        called: what a choice is called.
        slide: a wide range of numbers is a slider over round ones, not a field.
    """
    label = label or option.key.replace("_", " ").capitalize()
    label += f" ({option.unit})" if option.unit else ""
    value = option_value(option, values, key, default)
    if option.type == "bool":
        st.toggle(label, value, **values.widget(key, value), help=option.help)
    elif option.type == "choice":
        st.selectbox(label, list(option.choices), option.choices.index(value), **values.widget(key, value),
                     help=option.help, format_func=called)  # fmt: skip
    elif option.type == "text":
        st.text_input(label, value, **values.widget(key, value), help=option.help)
    elif option.log or option.choices:
        # Typical values to pick from; any other may be typed.
        text, words = to_text(value), [*option.choices, *(to_text(number) for number in grid(option))]
        words += [] if text in words else [text]
        st.selectbox(label, words, words.index(text), **values.widget(key, text, partial(from_text, option)),
                     help=f"{option.help} Takes {option.range}; type any value.", accept_new_options=True)  # fmt: skip
    else:
        _number_widget(option, values, key, value, label, slide)
    return value


def _number_widget(option: Option, values: Values, key: str, value: float, label: str, slide: bool) -> None:
    number, low, high = _limits(option)
    whole = number is int
    if low is not None and high is not None and high - low <= (1000 if whole else 10):
        step = 1 if whole and high - low <= 200 else number((high - low) / 100)
        st.slider(label, low, high, value, **values.widget(key, value), help=option.help, step=step)
    elif slide and "seed" not in option.key:
        steps = sorted({number(each) for each in grid(option)} | {value})
        st.select_slider(label, steps, value, **values.widget(key, value), help=option.help, format_func=to_text)
    else:
        shape: dict[str, Any] = {"format": "%d", "step": 1} if whole else {"format": "%g", "step": _step(option)}
        st.number_input(label, low, high, value, **values.widget(key, value), help=option.help, **shape)


def _step(option: Option) -> float:
    """A tenth of the default's power of ten: what one press on + adds."""
    return float(10 ** (math.floor(math.log10(abs(option.default))) - 1)) if option.default else 0.01
