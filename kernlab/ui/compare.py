"""The left side of the Compare page: data sets, methods and what they share, and back from an address.

address ─ fill ─→ widgets ─ comparison_form ─→ Comparison ─ scene_of ─→ address
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st
import torch

from kernlab.compare import Comparison, Tuning
from kernlab.compare.rivals import RIVALS
from kernlab.compare.run import check
from kernlab.compare.searches import SEARCHES
from kernlab.compare.written import assemble, settings_of
from kernlab.data import Known
from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.methods import METHODS
from kernlab.options import Option
from kernlab.typing import Task
from kernlab.ui.forms import grid, show_error, to_text
from kernlab.ui.setup import data_sets, families, unfit

__all__ = ["EXAMPLE", "comparison_form", "fill", "missing", "scene_of"]

#: Half a minute of work: learned against fixed frequencies on small data that are at hand.
EXAMPLE = {
    "methods": "SK,ASKL,RF,constant,svm-rbf",
    "datasets": "wine,breast_cancer,iris",
    "repeats": "5",
    "n_features": "100",
    "epochs": "10",
}

_KEY = "compare."
_RIVALS = "Baselines"
_COMMON = ("n_features", "epochs", "batch_size")
_LABELS = {"n_features": "Features D", "epochs": "Epochs", "batch_size": "Mini-batch m"}
_SEARCHES = {"bayes": "Bayesian, with pruning", "halving": "Successive halving", "grid": "The papers' grid"}
_SMALLEST = {"repeats": 1, "seed": 0, "trials": 1, "folds": 1}
_WHOLE = {"repeats": 10, "seed": 0, "trials": Tuning.trials, "folds": Tuning.folds}


# -- address ↔ widgets -----------------------------------------------------------------------------------------


def fill(scene: Mapping[str, str]) -> None:
    """Set every widget to what an address says. Call it before the widgets are drawn, or in a callback.

    Raises:
        KernlabError: something in it is not what it must be; the widgets are as they were.
    """
    said, values = dict(scene), dict[str, Any]()
    methods = _names(said.pop("methods", ""), [*METHODS, *RIVALS], "method")
    for group, there in _groups().items():
        values[f"m.{group}"] = [name for name in there if name in methods]
    values["datasets"] = _names(said.pop("datasets", ""), [each.name for each in _known()], "data set")
    for key, default in _WHOLE.items():
        values[key] = _number(key, said.pop(key, default), int)
        if not _SMALLEST[key] <= values[key] < 2**31:
            raise OptionError(f"{key} must be at least {_SMALLEST[key]}", values[key])
    values["test_size"] = _number("test_size", said.pop("test_size", 0.2), float)
    if not 0 < values["test_size"] < 1:
        raise OptionError("test_size must be between 0 and 1", values["test_size"])
    values["tune"] = said.pop("tune", "") == "true"
    budget = said.pop("budget", "")
    values["budget"] = _number("budget", budget, float) if budget else None
    values["search"] = said.pop("search", Tuning.search)
    if values["search"] not in SEARCHES:
        raise UnknownNameError.among("search", values["search"], SEARCHES)
    values["device"] = said.pop("device", "cpu")
    for key in _COMMON:
        values[f"o.{key}"] = said.pop(key, None)
    values["more"] = "\n".join(f"{key}={value}" for key, value in said.items())
    for key, value in values.items():
        st.session_state[_KEY + key] = value


def scene_of(comparison: Comparison) -> dict[str, str]:
    """The address of a comparison: its names, and whatever differs from the defaults."""
    scene = {
        "methods": ",".join(comparison.methods),
        "datasets": ",".join(data.dataset for data in comparison.datasets),
        "repeats": str(comparison.repeats),
    }
    said: dict[str, Any] = {"seed": comparison.seed, "device": comparison.device}
    usual: dict[str, Any] = {"seed": 0, "device": "cpu"}
    if tuning := comparison.tuning:
        scene["tune"] = "true"
        said |= {"trials": tuning.trials, "budget": tuning.seconds, "search": tuning.search, "folds": tuning.folds}
        usual |= {"trials": Tuning.trials, "budget": None, "search": Tuning.search, "folds": Tuning.folds}
    scene |= {key: to_text(value) for key, value in said.items() if value != usual[key]}
    return scene | settings_of(comparison)


def _names(text: str, known: Iterable[str], what: str) -> list[str]:
    names = list(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))
    for name in names:
        if name not in known:
            raise UnknownNameError.among(what, name, known)
    return names


def _number(key: str, text: Any, kind: Callable[[Any], Any]) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise OptionError(f"{key} must be a {'whole ' if kind is int else ''}number", repr(text)) from None


def _groups() -> dict[str, list[str]]:
    """Methods by the family they have on the Train page, then the baselines."""
    named = {family: [name for name in names if name in METHODS] for family, names in families().items()}
    return {title: names for title, names in named.items() if names} | {_RIVALS: list(RIVALS)}


def _known() -> list[Known]:
    return [each for each in data_sets() if each.available]


# -- widgets → comparison --------------------------------------------------------------------------------------


def comparison_form() -> Comparison | None:
    """The widgets in the side bar; None while something is missing or wrong (the sentence stands beside it)."""
    state = st.session_state
    with st.sidebar:
        datasets = _data_form()
        tasks = {each.task for each in _known() if each.name in datasets and each.task}
        methods = _method_form(tasks)
        st.subheader("Protocol", anchor=False)
        repeats = int(
            st.number_input("Repeats", 1, 1000, state[_KEY + "repeats"], key=_KEY + "repeats",
                            help="Splits of each data set, the same for all methods; each has its own seed.")
        )  # fmt: skip
        if repeats < 2:
            st.caption(":material/info: No test of significance: it takes at least two repeats.")
        st.number_input("Test share", 0.01, 0.99, state[_KEY + "test_size"], 0.05, "%g", key=_KEY + "test_size",
                        help="Share of the rows held out in each split; stratified for classes.")  # fmt: skip
        tuning = _tuning_form()
        try:
            settings = _option_form(methods)
            if not methods or not datasets:
                return None
            comparison = assemble(methods, datasets, settings, repeats=repeats, tuning=tuning,
                                  seed=int(state[_KEY + "seed"]), device=str(state[_KEY + "device"]))  # fmt: skip
            check(comparison)
        except KernlabError as error:
            show_error(error)
            return None
    return comparison


def missing() -> str:
    """What the form still needs before anything can be started; nothing where only a mistake is in the way."""
    state = st.session_state
    methods = any(state[f"{_KEY}m.{group}"] for group in _groups())
    lacks = [what for what, there in (("data sets", state[_KEY + "datasets"]), ("methods", methods)) if not there]
    return " and ".join(lacks)


def _data_form() -> list[str]:
    there = {each.name: each for each in _known()}
    st.subheader("Data", anchor=False)
    return list(
        st.multiselect("Data sets", list(there), st.session_state[_KEY + "datasets"], key=_KEY + "datasets",
                       format_func=lambda name: _described(there[name]), placeholder="Choose one or more",
                       help="From three or more on, methods are also ranked over the data sets.")
    )  # fmt: skip


def _described(each: Known) -> str:
    kind = f"{each.classes} classes" if each.classes else each.task or ""
    return f"{each.name} · {kind}" if kind else each.name


def _method_form(tasks: set[Task]) -> list[str]:
    st.subheader("Methods", anchor=False)
    chosen: list[str] = []
    for group, names in _groups().items():
        key = f"{_KEY}m.{group}"
        chosen += st.pills(group, names, selection_mode="multi", default=st.session_state[key], key=key,
                           format_func=lambda name: _marked(name, tasks))  # fmt: skip
    misfits = [f"**{name}** is for {words}" for name in chosen if (words := _misfit(name, tasks))]
    if misfits:
        rest = "its" if len(misfits) == 1 else "their"
        st.warning(f"{'; '.join(misfits)}. On other data {rest} cells will say so; the rest goes on.",
                   icon=":material/rule:")  # fmt: skip
    return chosen


def _marked(name: str, tasks: set[Task]) -> str:
    return f"{name} (for {words})" if (words := _misfit(name, tasks)) else name


def _misfit(name: str, tasks: set[Task]) -> str:
    """What a method is for, where one of the data sets is something else."""
    if name in RIVALS:
        return ""
    return next((words for task in sorted(tasks) if (words := unfit(name, task))), "")


def _tuning_form() -> Tuning | None:
    state = st.session_state
    if not st.toggle("Tune", state[_KEY + "tune"], key=_KEY + "tune",
                     help="Search every method's hyper-parameters inside each training part, all by the same rule and "
                     "budget. The test part is never looked at."):  # fmt: skip
        for key in ("trials", "budget", "search", "folds"):  # what is not drawn is forgotten
            state[_KEY + key] = state[_KEY + key]
        return None
    trials = st.number_input("Trials", 1, 10_000, state[_KEY + "trials"], key=_KEY + "trials",
                             help="Settings tried for one method on one split at most.")  # fmt: skip
    seconds = st.number_input("Seconds", 0.1, 1e6, state[_KEY + "budget"], key=_KEY + "budget", format="%g",
                              placeholder="no limit", help="Time of one search at most.")  # fmt: skip
    search = st.selectbox("Search", list(_SEARCHES), list(_SEARCHES).index(state[_KEY + "search"]),
                          key=_KEY + "search", format_func=_SEARCHES.__getitem__)  # fmt: skip
    folds = st.number_input("Folds", 1, 20, state[_KEY + "folds"], key=_KEY + "folds",
                            help="Of the cross-validation inside; 1: one held-out fifth.")  # fmt: skip
    return Tuning(int(trials), seconds, search, int(folds))  # type: ignore[arg-type]


def _option_form(methods: list[str]) -> dict[str, str]:
    """Options for all, as an address would say them.

    Raises:
        OptionError: a line that is not KEY=VALUE.
    """
    state = st.session_state
    schema: dict[str, Option] = {}
    for name in reversed([name for name in methods if name in METHODS] or ["ASKL"]):
        schema |= METHODS[name].schema()
    settings: dict[str, str] = {}
    st.subheader("Options for all", anchor=False)
    for key in _COMMON:
        held = state[f"{_KEY}o.{key}"]
        if key not in schema:
            state[f"{_KEY}o.{key}"] = held
            continue
        words = [to_text(number) for number in grid(schema[key])]
        words += [held] if held and held not in words else []
        value = st.selectbox(_LABELS[key], words, words.index(held) if held else None, key=f"{_KEY}o.{key}",
                             placeholder="each method's own", accept_new_options=True,
                             help=f"{schema[key].help} Empty: each method's own.")  # fmt: skip
        if value:
            settings[key] = str(value)
    with st.expander("Advanced"):
        text = st.text_area("More options", state[_KEY + "more"], key=_KEY + "more", height=110,
                            placeholder="learning_rate=0.01\nASKL.trace_norm=1e-4\ntarget_scale=[0,100]",
                            help="A line each: KEY=VALUE for all that have it, METHOD.KEY=VALUE for one.")  # fmt: skip
        st.number_input("Seed", 0, 2**31 - 1, state[_KEY + "seed"], key=_KEY + "seed",
                        help="Of the first split; the next have the numbers after it.")  # fmt: skip
        devices = ["cpu", "auto", *(["cuda"] if torch.cuda.is_available() else [])]
        devices += [] if state[_KEY + "device"] in devices else [state[_KEY + "device"]]
        st.selectbox("Device", devices, devices.index(state[_KEY + "device"]), key=_KEY + "device",
                     help="cpu: a process on every core.")  # fmt: skip
    if state[_KEY + "test_size"] != 0.2:
        settings["test_size"] = to_text(float(state[_KEY + "test_size"]))
    return settings | _lines(text)


def _lines(text: str) -> dict[str, str]:
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, sign, value = line.partition("=")
        if not sign or not key.strip():
            raise OptionError("each line of More options must be KEY=VALUE", repr(line), "write n_features=500")
        found[key.strip()] = value.strip()
    return found
