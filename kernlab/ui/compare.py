"""The left side of the Compare page: data sets, methods, and what they share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
import torch

from kernlab.compare import Comparison, Tuning
from kernlab.compare.base import named
from kernlab.compare.baselines import BASELINES
from kernlab.compare.run import check
from kernlab.compare.searches import SEARCHES
from kernlab.compare.written import assemble, settings_of
from kernlab.data import Known
from kernlab.errors import KernlabError, OptionError, UnknownNameError
from kernlab.methods import METHODS
from kernlab.options import Option
from kernlab.typing import Task
from kernlab.ui.forms import grid, show_error
from kernlab.ui.setup import data_sets, families, unfit
from kernlab.ui.state import Value, Values, name, names, number, to_text

__all__ = ["EXAMPLE", "FORM", "address_of", "comparison_form", "example", "lines", "missing", "read"]

#: Half a minute of work: learned against fixed frequencies on small data that are at hand.
EXAMPLE = {
    "methods": "SK,ASKL,RF,constant,svm-rbf",
    "datasets": "wine,breast_cancer,iris",
    "repeats": "5",
    "n_features": "100",
    "epochs": "10",
}

_BASELINES, _VARIANTS = "Baselines", "Variants"
_COMMON = {"n_features": "Features D", "epochs": "Epochs", "batch_size": "Mini-batch m"}
_SEARCHES = {"bayes": "Bayesian, with pruning", "halving": "Successive halving", "grid": "The papers' grid"}

#: The comparison on the page, what the form says of a new one, and how results are shown. ``more`` holds all that an
#: address says beside these: options of one method, and options that few have, a line each.
FORM = Values(
    "compare",
    Value("id"),
    Value("methods", (), lambda text: _read_methods(text)),
    names("datasets", lambda: [each.name for each in _known()], "data set"),
    number("repeats", 10, 1, 1000),
    number("test_size", 0.2, 0.01, 0.99, whole=False),
    Value("tune", False),
    number("trials", Tuning.trials, 1, 10_000),
    number("budget", None, 0.1, 1e6, whole=False),
    name("search", Tuning.search, lambda: SEARCHES),
    number("folds", Tuning.folds, 1, 20),
    *(Value(key, None, str) for key in _COMMON),
    number("seed", 0, 0),
    Value("device", "cpu"),
)


def _read_methods(text: str) -> tuple[str, ...]:
    """Methods and baselines, and variants of methods as other pages put them here (kernlab.compare.base.named)."""
    every = [*METHODS, *BASELINES]
    found = tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
    for each in found:
        if each not in every and not named(each):
            raise UnknownNameError.among("method", each, every)
    return found


def read(address: Mapping[str, str]) -> str:
    """Fill the form from an address: a sentence for what stands for nothing."""
    id = FORM["id"]
    sentences = FORM.read(address)
    FORM.change(id=id, more="\n".join(f"{key}={text}" for key, text in address.items() if key not in FORM))
    return " ".join(sentences)


def example() -> Comparison:
    """The comparison of :data:`EXAMPLE`."""
    settings = {key: value for key, value in EXAMPLE.items() if key not in ("methods", "datasets", "repeats")}
    methods, datasets = (EXAMPLE[key].split(",") for key in ("methods", "datasets"))
    return assemble(methods, datasets, settings, repeats=int(EXAMPLE["repeats"]))


def address_of(comparison: Comparison) -> dict[str, str]:
    """The address of a comparison: its names, and whatever differs from the defaults."""
    values: dict[str, Any] = {
        "methods": comparison.methods,
        "datasets": tuple(data.dataset for data in comparison.datasets),
        "repeats": comparison.repeats,
        "seed": comparison.seed or None,
        "device": None if comparison.device == "cpu" else comparison.device,
    }
    if tuning := comparison.tuning:
        values["tune"] = True
        search = {"trials": tuning.trials, "budget": tuning.seconds, "search": tuning.search, "folds": tuning.folds}
        values |= {key: value for key, value in search.items() if value != FORM.declared[key].default}
    return {key: to_text(value) for key, value in values.items() if value is not None} | settings_of(comparison)


def _groups() -> dict[str, list[str]]:
    """Methods by the family they have on the Train page, then the baselines."""
    found = {family: [each for each in known if each in METHODS] for family, known in families().items()}
    found |= {_BASELINES: list(BASELINES)}
    found |= {_VARIANTS: [each for each in FORM["methods"] if each not in METHODS and each not in BASELINES]}
    return {title: known for title, known in found.items() if known}


def _known() -> list[Known]:
    return [each for each in data_sets() if each.available]


# -- widgets → comparison --------------------------------------------------------------------------------------


def comparison_form() -> Comparison | None:
    """The widgets in the side bar; None while something is missing or wrong (the sentence stands beside it)."""
    with st.sidebar:
        datasets = _data_form()
        tasks = {each.task for each in _known() if each.name in datasets and each.task}
        methods = _method_form(tasks)
        st.subheader("Protocol", anchor=False)
        _number("Repeats", "repeats", 1, 1000,
                help="Splits of each data set, the same for all methods; each has its own seed.")  # fmt: skip
        if FORM["repeats"] < 2:
            st.caption(":material/info: No test of significance: it takes at least two repeats.")
        _number("Test share", "test_size", 0.01, 0.99, step=0.05, format="%g",
                help="Share of the rows held out in each split; stratified for classes.")  # fmt: skip
        tuning = _tuning_form()
        try:
            settings = _option_form(methods)
            if not methods or not datasets:
                return None
            comparison = assemble(methods, datasets, settings, repeats=FORM["repeats"], tuning=tuning,
                                  seed=FORM["seed"], device=FORM["device"])  # fmt: skip
            check(comparison)
        except KernlabError as error:
            show_error(error)
            return None
    return comparison


def missing() -> str:
    """What the form still needs before anything can be started; empty where only a mistake is in the way."""
    return " and ".join(words for words, key in (("data sets", "datasets"), ("methods", "methods")) if not FORM[key])


def _number(label: str, key: str, low: float, high: float, **rest: Any) -> None:
    st.number_input(label, low, high, FORM[key], **FORM.widget(key), **rest)


def _data_form() -> list[str]:
    known, chosen = {each.name: each for each in _known()}, list(FORM["datasets"])
    st.subheader("Data", anchor=False)
    return st.multiselect("Data sets", list(known), chosen, **FORM.widget("datasets", chosen, tuple),
                          format_func=lambda name: _described(known[name]), placeholder="Choose one or more",
                          help="From three or more on, methods are also ranked over the data sets.")  # fmt: skip


def _described(each: Known) -> str:
    kind = f"{each.classes} classes" if each.classes else each.task or ""
    return f"{each.name} · {kind}" if kind else each.name


def _method_form(tasks: set[Task]) -> list[str]:
    st.subheader("Methods", anchor=False)
    groups = _groups()

    def picked(group: str, names: list[str]) -> tuple[str, ...]:
        return tuple(
            name for each, known in groups.items() for name in known
            if name in (names if each == group else FORM["methods"])
        )  # fmt: skip

    for group, known in groups.items():
        mine = [name for name in known if name in FORM["methods"]]
        st.pills(group, known, selection_mode="multi", default=mine, format_func=lambda name: _marked(name, tasks),
                 **FORM.widget("methods", mine, partial(picked, group), called=f"m.{group}"))  # fmt: skip
    chosen = [name for known in groups.values() for name in known if name in FORM["methods"]]
    misfits = [f"**{name}** is for {words}" for name in chosen if (words := _misfit(name, tasks))]
    if misfits:
        rest = "its" if len(misfits) == 1 else "their"
        st.warning(f"{'; '.join(misfits)}. On other data {rest} cells fail with that reason; all others are computed.",
                   icon=":material/rule:")  # fmt: skip
    return chosen


def _marked(name: str, tasks: set[Task]) -> str:
    return f"{name} (for {words})" if (words := _misfit(name, tasks)) else name


def _misfit(name: str, tasks: set[Task]) -> str:
    """What a method is for, where one of the data sets is something else."""
    if name in BASELINES:
        return ""
    return next((words for task in sorted(tasks) if (words := unfit(name.partition(": ")[0], task))), "")


def _tuning_form() -> Tuning | None:
    st.toggle("Tune", FORM["tune"], **FORM.widget("tune"),
              help="Search every method's hyper-parameters inside each training part, all by the same rule and budget. "
              "The test part takes no part in it.")  # fmt: skip
    if not FORM["tune"]:
        return None
    _number("Trials", "trials", 1, 10_000, help="Settings tried for one method on one split at most.")
    _number("Seconds", "budget", 0.1, 1e6, format="%g", placeholder="no limit", help="Time of one search at most.")
    st.selectbox("Search", list(_SEARCHES), list(_SEARCHES).index(FORM["search"]), **FORM.widget("search"),
                 format_func=_SEARCHES.__getitem__)  # fmt: skip
    _number("Folds", "folds", 1, 20, help="Of the cross-validation inside; 1: one held-out fifth.")
    return Tuning(FORM["trials"], FORM["budget"], FORM["search"], FORM["folds"])


def _option_form(methods: list[str]) -> dict[str, str]:
    """Options for all, as an address would say them.

    Raises:
        OptionError: a line that is not KEY=VALUE.
    """
    schema: dict[str, Option] = {}
    for method in reversed([found for each in methods if (found := named(each))] or [METHODS["ASKL"]]):
        schema |= method.schema()
    st.subheader("Options for all", anchor=False)
    common = [key for key in _COMMON if key in schema]
    for key in common:
        words, text = [to_text(value) for value in grid(schema[key])], FORM[key]
        words += [text] if text and text not in words else []
        st.selectbox(_COMMON[key], words, words.index(text) if text else None, **FORM.widget(key),
                     placeholder="each method's own", accept_new_options=True,
                     help=f"{schema[key].help} Empty: each method's own.")  # fmt: skip
    with st.expander("Advanced"):
        st.text_area("More options", FORM["more"], **FORM.widget("more"), height=110,
                     placeholder="learning_rate=0.01\nASKL.trace_norm=1e-4\ntarget_scale=[0,100]",
                     help="A line each: KEY=VALUE for all that have it, METHOD.KEY=VALUE for one.")  # fmt: skip
        _number("Seed", "seed", 0, 2**31 - 1, help="Of the first split; the next have the numbers after it.")
        device, devices = FORM["device"], ["cpu", "auto", *(["cuda"] if torch.cuda.is_available() else [])]
        devices += [] if device in devices else [device]
        st.selectbox("Device", devices, devices.index(device), **FORM.widget("device"),
                     help="cpu: a process on every core.")  # fmt: skip
    settings = {key: str(FORM[key]) for key in common if FORM[key]}
    if FORM["test_size"] != FORM.declared["test_size"].default:
        settings["test_size"] = to_text(FORM["test_size"])
    return settings | lines(FORM["more"])


def lines(text: str) -> dict[str, str]:
    """The options that the lines of a text set.

    Raises:
        OptionError: a line that is not KEY=VALUE.
    """
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, sign, value = line.partition("=")
        if not sign or not key.strip():
            raise OptionError("each line of More options must be KEY=VALUE", repr(line), "write n_features=500")
        found[key.strip()] = value.strip()
    return found
