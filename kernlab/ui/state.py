"""URL state: what a person has chosen on a page, declared once for the address, the session and the widgets.

    FILTERS = Values("runs", Value("text"), Value("starred", False))
    ADDRESS = Address("runs", FILTERS)

    ADDRESS.arrive()                                                    # address → session
    st.text_input("Find", FILTERS["text"], **FILTERS.widget("text"))  # session → widget, and back in a callback
    ADDRESS.write()                                                     # session → address

A widget that is not drawn loses its value, and the browser may miss a value that the server sends once. So the session
keeps every value, and a widget is set to it whenever it is drawn. The address decides on arrival (a link, a reload,
"back"); afterwards it follows the page, and says only what differs from the defaults.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.ui.callbacks import whole

__all__ = ["BROWSERS", "SHARED", "Address", "Value", "Values", "name", "names", "number", "one_of", "to_text"]

_LIMIT = 64  # parameters of an address that are read, and
_LENGTH = 400  # characters of one of them: more than any of ours has
_LATE = 50  # addresses that the browser may be behind
_UNSET: Any = object()

#: What of an address belongs to the browser alone: the look for a lecture and the list of scenes (page/scenelist.mjs).
BROWSERS = ("present", "scenes", "place")

#: What stands in the Share popover beneath the link, by name: each draws itself for the page's address.
SHARED: dict[str, Callable[[str], None]] = {}


def to_text(value: Any) -> str:
    """A value as it stands in an address or in a text field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        return ",".join(map(to_text, value))
    return str(value)


# -- declarations ----------------------------------------------------------------------------------------------


class Value(NamedTuple):
    """One value of a page.

    Attributes:
        key: its name in the address.
        default: the value where an address does not name it. Its type is the value's type; None: the value is optional.
        read: the value that a text stands for; raises KernlabError. Left out: by the type of the default.
        longest: texts with more characters stay out of the address.
    """

    key: str
    default: Any = ""
    read: Callable[[str], Any] | None = None
    longest: int = _LENGTH

    def value(self, text: str) -> Any:
        """The value that ``text`` stands for.

        Raises:
            KernlabError: it stands for none.
        """
        if self.read:
            return self.read(text)
        if isinstance(self.default, bool):
            if text not in ("true", "false"):
                raise OptionError(f"{self.key} must be true or false", repr(text))
            return text == "true"
        return text


def number(key: str, default: Any, low: float, high: float = 2**31 - 1, *, whole: bool = True) -> Value:
    """A value that is a number from ``low`` to ``high``."""

    def read(text: str) -> float:
        try:
            value = int(text) if whole else float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            kind = "a whole number" if whole else "a number"
            raise OptionError(f"{key} must be {kind} from {low:.12g} to {high:.12g}", repr(text))
        return value

    return Value(key, default, read)


def one_of(key: str, default: Any, values: Iterable[Any]) -> Value:
    """A value that is one of a few, which need not be texts."""
    listed = {to_text(value): value for value in values}

    def read(text: str) -> Any:
        if text not in listed:
            raise OptionError(f"{key} must be one of {', '.join(listed)}", repr(text))
        return listed[text]

    return Value(key, default, read)


def name(key: str, default: Any, known: Callable[[], Iterable[str]], kind: str = "") -> Value:
    """A value that is one of the known names."""
    return Value(key, default, lambda text: _among(kind or key, text, known()))


def names(key: str, known: Callable[[], Iterable[str]], kind: str, default: tuple[str, ...] | None = ()) -> Value:
    """A value that is a tuple of known names, with commas between them in the address."""

    def read(text: str) -> tuple[str, ...]:
        every = list(known())
        return tuple(_among(kind, each, every) for each in dict.fromkeys(filter(None, map(str.strip, text.split(",")))))

    return Value(key, default, read)


def _among(kind: str, text: str, known: Iterable[str]) -> str:
    every = list(known)
    if text not in every:
        raise UnknownNameError.among(kind, text, every)
    return text


# -- values ----------------------------------------------------------------------------------------------------


class Values(Mapping[str, Any]):
    """The values of a page or of a part that pages share, as this session has them.

    Args:
        name: begins the keys of the widgets: the widget of ``text`` in ``runs`` has the key ``runs.text``.
        declared: the values.
    """

    def __init__(self, name: str, *declared: Value) -> None:
        self.name = name
        self.declared = {each.key: each for each in declared}

    @property
    def _kept(self) -> dict[str, Any]:
        kept: dict[str, Any] = st.session_state.setdefault(f"values.{self.name}", {})
        return kept

    def __getitem__(self, key: str) -> Any:
        kept = self._kept
        return kept[key] if key in kept else self.declared[key].default

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def __len__(self) -> int:
        return len(self.declared)

    def now(self) -> dict[str, Any]:
        """All declared values as they are now."""
        kept = self._kept
        return {key: kept.get(key, each.default) for key, each in self.declared.items()}

    def change(self, **values: Any) -> None:
        """Change values; their widgets follow when they are drawn."""
        with whole():
            self._kept.update(values)

    def read(self, address: Mapping[str, str]) -> list[str]:
        """Take all values from an address, and return a sentence for each that stands for none: it has its default."""
        found, sentences = {}, []
        for key, declared in self.declared.items():
            if key in address:
                try:
                    found[key] = declared.value(address[key])
                except KernlabError as error:
                    sentences.append(str(error))
        st.session_state[f"values.{self.name}"] = found
        return sentences

    def written(self) -> dict[str, str]:
        """What an address has to say: all that differs from the defaults."""
        texts = {key: to_text(self[key]) for key, each in self.declared.items() if self[key] != each.default}
        return {key: text for key, text in texts.items() if text and len(text) <= self.declared[key].longest}

    def widget(
        self,
        key: str,
        shown: Any = _UNSET,
        taken: Callable[[Any], Any] | None = None,
        *,
        called: str = "",
        then: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """The arguments ``key`` and ``on_change`` of the widget of a value, which is set to what it has to show.

        Args:
            key: of the value; one that is not declared needs ``shown``.
            shown: what the widget shows; the value itself if left out.
            taken: turns what the widget says into the value.
            called: the widget's name where it is not the value's.
            then: what happens after a person has changed it.
        """
        widget, state = f"{self.name}.{called or key}", st.session_state
        shown = self[key] if shown is _UNSET else shown
        # Only where something changes: an assignment of its own value would count as ours, not the person's.
        if widget not in state or type(state[widget]) is not type(shown) or state[widget] != shown:
            state[widget] = shown

        def take() -> None:
            value = st.session_state[widget]
            self.change(**{key: taken(value) if taken else value})
            if then:
                then()

        return {"key": widget, "on_change": take}

    def choice(
        self,
        key: str,
        label: str,
        options: Sequence[Any],
        words: Callable[[Any], str] | Mapping[Any, str] = str,
        *,
        menu: bool = False,
        width: int = 220,
    ) -> Any:
        """One of a few, without a label that can be seen: buttons in a row, or a menu. One alone needs no widget.

        A value that is not among the options is replaced by the first of them.
        """
        if options and self[key] not in options:
            self.change(**{key: options[0]})
        if len(options) < 2:
            return self[key]
        format_func = words.__getitem__ if isinstance(words, Mapping) else words
        rest = {**self.widget(key), "format_func": format_func, "label_visibility": "collapsed"}
        if menu:
            return st.selectbox(label, options, options.index(self[key]), **rest, width=width)
        return st.segmented_control(label, options, default=self[key], required=True, **rest)


# -- addresses -------------------------------------------------------------------------------------------------


def _went_back() -> bool:
    """Whether this run of the script answers "back" or "forward" of the browser."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


class Address:
    """A page's address.

    Args:
        name: of the page.
        tables: what its address says.
    """

    def __init__(self, name: str, *tables: Values) -> None:
        self.name, self.tables = name, tables

    @property
    def trouble(self) -> str:
        """What went wrong last, as a sentence; empty: nothing."""
        return str(st.session_state.get(f"{self.name}.trouble", ""))

    @trouble.setter
    def trouble(self, sentence: str) -> None:
        st.session_state[f"{self.name}.trouble"] = sentence

    def show_trouble(self) -> None:
        """The sentence of what went wrong, if anything did."""
        if self.trouble:
            st.error(self.trouble, icon=":material/error:")

    @property
    def address(self) -> dict[str, str]:
        """The parameters that were read or written last."""
        return dict(self._written[-1]) if self._written else {}

    @property
    def _written(self) -> list[dict[str, str]]:
        """This session's addresses on this page: from the one that the browser is known to have had to the newest."""
        written: list[dict[str, str]] = st.session_state.setdefault(f"written.{self.name}", [])
        return written

    @property
    def rest(self) -> dict[str, str]:
        """Those of them that no table declares."""
        declared = {key for table in self.tables for key in table}
        return {key: text for key, text in self.address.items() if key not in declared}

    def arrive(self, then: Callable[[dict[str, str]], Any] = dict) -> Any:
        """Take an address that this session did not write.

        A visit without parameters restores what the page showed when this session left it. No later run of the script
        interrupts it: that one would find the address taken, and on a page that does not show it.

        Args:
            then: takes the rest of the address.

        Returns:
            What ``then`` returns, the rest itself if left out; None where nothing has arrived.
        """
        with whole():
            rest = self._arrived()
            return None if rest is None else then(rest)

    def _arrived(self) -> dict[str, str] | None:
        """The rest of an address, of which the tables have taken theirs; None where nothing has arrived."""
        asked = {key: text for key, text in st.query_params.to_dict().items() if key not in BROWSERS}
        texts = {key: text[:_LENGTH] for key, text in list(asked.items())[:_LIMIT]}
        state = st.session_state
        moved, written = state.get("page") != self.name, self._written
        state["page"] = self.name
        if moved and not texts:
            texts = self.address
        elif not moved and texts in written[-1 if _went_back() else 0 :]:
            # It is the session's own: the browser may not have had the newest yet when a person is quick.
            del written[: written.index(texts)]
            return None
        written[:] = [asked, texts]  # a widget that interrupts this run of the script keeps what it says
        sentences = [sentence for table in self.tables for sentence in table.read(texts)]
        self.trouble = f"{' '.join(sentences)} (In the address of this page.)" if sentences else ""
        return self.rest

    def write(self, rest: Mapping[str, str] | None = None, *, without: Sequence[str] = ()) -> None:
        """Put the values into the address, after ``rest``, which no table declares."""
        with whole():
            self._put(rest or {}, without)

    def _put(self, rest: Mapping[str, str], without: Sequence[str]) -> None:
        texts = dict(rest)
        for table in self.tables:
            texts |= table.written()
        address = {key: text[:_LENGTH] for key, text in texts.items() if text and key not in without}
        written = self._written
        if address not in written[-1:]:
            written[:] = [*written[-_LATE:], address]
        shown = st.query_params.to_dict()
        asked = address | {key: text for key, text in shown.items() if key in BROWSERS}
        if shown != asked:
            st.query_params.from_dict(asked)

    def share(self) -> None:
        """A button that shows the link to what is on the page, with a copy sign beside it."""
        here, address = str(st.context.url or "").split("?")[0], self.address
        with st.popover("Share", icon=":material/link:", help="A link that restores this page in any browser"):
            st.code(f"{here}?{urlencode(address)}" if address else here, language=None, wrap_lines=True)
            for draw in SHARED.values():
                draw(f"{self.name}?{urlencode(address)}" if address else self.name)
