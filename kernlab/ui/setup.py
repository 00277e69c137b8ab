"""The left side of the Train page: data, method and options, from the registries.

address ─ spec_from ─→ RunSpec ─ show ─→ FORM ─ spec_form ─→ RunSpec ─ address_of ─→ address
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from kernlab import numerals
from kernlab.data import SOURCES, DataSpec, Known, folder, known
from kernlab.errors import DataError, KernlabError, OptionError, UnknownNameError
from kernlab.methods import CHOICES, METHODS, SLOTS, MethodSpec
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import ProximalGradient
from kernlab.spec import RunSpec
from kernlab.typing import Task
from kernlab.ui.forms import from_text, option_value, option_widget, show_error
from kernlab.ui.previews import stamps
from kernlab.ui.state import Value, Values, to_text

__all__ = [
    "DATA",
    "FORM",
    "START",
    "UNFOLDED",
    "address_of",
    "data_form",
    "data_sets",
    "families",
    "label",
    "show",
    "show_data",
    "spec_form",
    "spec_from",
    "unfit",
]

#: What a first visitor finds: seconds of training, and learning the frequencies shows (SK stays 8 % behind).
START = {"dataset": "checkerboard", "method": "ASKL", "n_features": "300"}

_CUSTOM, _COMPOSE = MethodSpec.name, "Compose your own"
_PENALTIES = tuple(REGULARIZERS)
#: The widget that is open or closed: the fold with the options that few change.
UNFOLDED = "train.advanced"

#: What a form of data asks for beside the data set.
DATA = tuple(key for key in options_of(DataSpec) if key not in ("dataset", "source"))

#: Of proximal gradient, which has many: the rest are for those who know what they want.
_STEPPING = ("learning_rate", "epochs", "batch_size", "validation")

#: The run on the page. ``show`` adds what the form says, which an address says as a whole, as a spec: data set, method,
#: seed, device, ``o.KEY`` for each option of the method and of the data, and ``s.KEY`` for each of the generator.
FORM = Values("train", Value("run"))

#: Labels with the field's symbols: of an option, or of one part's option.
_LABELS = {
    "feature_map": "Map or kernel",
    "learned": "Learn it",
    "n_features": "Features D",
    "nystroem.n_features": "Landmarks J",
    "weighted.n_features": "Features of the candidates",
    "frequency_scale": "Frequency scale σ",
    "nystroem.frequency_scale": "Kernel scale σ = 1/ℓ",
    "exact.frequency_scale": "Kernel scale σ = 1/ℓ",
    "hidden": "Hidden features",
    "layers": "Layers L",
    "learning_rate": "Learning rate η",
    "batch_size": "Mini-batch m",
    "validation": "Held-out share of the training rows",
    "n_iter_no_change": "Epochs without gain that end choosing",
    **{name: f"{each.letter} for {each.norm}" for name, each in REGULARIZERS.items()},
    "nu": "Matérn ν",
    "phase": "Phases",
    "selection": "First landmarks",
    "rho": "Ridge ρ of the criterion",
    "ridge": "Ridge ρ of the head",
    "kernel_ridge.ridge": "Ridge g",
    "C": "Error weight C",
    "epsilon": "Tube ε",
    "nu_svr": "Share outside ν",
    "degree": "Degree s",
    "radius": "Radius ρ / N",
    "resample": "Draws (0: keep weights)",
    "g": "Ridge g",
    "b": "Price b of λ",
    "gamma": "Exponent γ",
    "order": "Frequencies N an input",
    "omega_0": "Base frequency ω₀",
    "mother": "Wavelet Υ",
    "j_min": "Finest scale j",
    "j_max": "Coarsest scale j",
    "p": "Norm p of the weights",
}


def label(key: str) -> str:
    """What the form calls an option: "n_features", or one part's "nystroem.n_features"."""
    own = key.rpartition(".")[2]
    return _LABELS.get(key) or _LABELS.get(own) or own.replace("_", " ").capitalize()


_GROUPS = {"bundled": "Bundled", "generated": "Generated", "folder": "Files"}


# -- address ↔ spec --------------------------------------------------------------------------------------------


def spec_from(address: Mapping[str, str]) -> RunSpec:
    """The spec that an address describes.

    Raises:
        KernlabError: something in it is not what it must be.
    """
    texts: dict[str, Any] = {**({} if {"dataset", "method"} & address.keys() else START), **address}
    name, dataset = texts.pop("method", START["method"]), texts.pop("dataset", START["dataset"])
    seed, device = texts.pop("seed", "0"), texts.pop("device", "auto")
    try:
        seed = int(seed)
    except ValueError:
        raise OptionError("seed must be a whole number from 0 to 2147483647", repr(seed), "drop it to use 0") from None
    _check_dataset(dataset)
    method = MethodSpec() if name == _CUSTOM else METHODS[name]
    spec = RunSpec(method, DataSpec.build(dataset=dataset), seed, device)
    slots = {key: texts[key] for key in CHOICES if key in texts}
    schema = spec.with_options(slots).schema() if slots else spec.schema()
    typed = {k: from_text(schema[k], v) if k in schema and isinstance(v, str) else v for k, v in texts.items()}
    return spec.with_options(typed)


def _check_dataset(name: str) -> None:
    names = [each.name for each in data_sets() if each.available]
    if name not in names:
        raise UnknownNameError.among("data set", name, names)


def address_of(spec: RunSpec) -> dict[str, str]:
    """The address of a spec: its names, and whatever differs from the defaults."""
    address = {"dataset": spec.data.dataset, "method": spec.method.name}
    if spec.seed:
        address["seed"] = str(spec.seed)
    if spec.device != "auto":
        address["device"] = spec.device
    return address | {key: to_text(value) for key, value in spec.changed_options().items()}


def show(spec: RunSpec) -> None:
    """Let the form say what ``spec`` says."""
    run = FORM["run"]
    FORM.read({})
    FORM.change(run=run, method=spec.method.name, device=spec.device)
    show_data(spec, FORM)
    _set("o", spec.method.options(), FORM)


def show_data(spec: RunSpec, form: Values) -> None:
    """Let a form of data say what ``spec`` says of them."""
    form.change(dataset=spec.data.dataset, seed=spec.seed)
    _set("o", {key: getattr(spec.data, key) for key in DATA}, form)
    if spec.data.dataset in SOURCES:
        _set("s", SOURCES[spec.data.dataset].build(**spec.data.source).options(), form)


def _set(kind: str, options: Mapping[str, Any], form: Values) -> None:
    form.change(**{f"{kind}.{key}": value for key, value in options.items()})


# -- widgets → spec --------------------------------------------------------------------------------------------


def spec_form() -> RunSpec | None:
    """The widgets in the side bar; None while something in them is wrong (the sentence stands beside it)."""
    with st.sidebar:
        try:
            dataset, source = data_form(FORM)
            task = next((each.task for each in data_sets() if each.name == dataset), None)
            method, beside = _method_form(task)
            spec = RunSpec(method, DataSpec.build(dataset=dataset), FORM["seed"])
            spec = spec.with_options({f"data.{key}": value for key, value in source.items()})
            spec = st.session_state["train.form"] = _option_form(spec)
        except KernlabError as error:
            show_error(error)
            return None
        try:  # after all widgets: one that is not drawn forgets what it was set to
            if task:
                spec.method.check(task)
        except KernlabError as error:
            with beside:
                show_error(error)
            return None
    return spec


@st.cache_data(max_entries=4, show_spinner=False)
def _listed(files: tuple[tuple[str, int, int], ...]) -> list[Known]:
    """The data sets, looked at again when the files have changed: their names, sizes and times."""
    return known()


def _found() -> tuple[list[Known], str]:
    """The data sets, and what is wrong with the folders of data."""
    try:
        return _listed(stamps(path for paths in folder.files().values() for path in paths)), ""
    except DataError as error:  # generated data need no folder
        inside = [Known(name, s.task, s.group, None, None, None, s.description) for name, s in SOURCES.items()]
        return inside, str(error)


def data_sets() -> list[Known]:
    return _found()[0]


def data_form(form: Values, *, unfolded: bool = False) -> tuple[str, dict[str, Any]]:
    """The widgets of the data set and of its generator: the name, and the options that differ from the defaults.

    Args:
        form: keeps ``dataset``, and the generator's options as ``s.KEY``.
        unfolded: the generator's options are in view, as sliders.

    Raises:
        UnknownNameError: there is no such data set.
    """
    st.subheader("Data", anchor=False)
    if trouble := _found()[1]:
        st.error(trouble, icon=":material/error:")
    changed = partial(_data_changed, form)
    every = [each for each in data_sets() if each.available]
    groups = [group for group in _GROUPS if any(each.group == group for each in every)]
    name = form["dataset"]
    group = next((each.group for each in every if each.name == name), groups[0])
    here = {each.name: each for each in every if each.group == group}
    st.segmented_control(
        "Where from", groups, default=group, required=True, format_func=_GROUPS.__getitem__,
        label_visibility="collapsed", **form.widget("dataset", group, _first_of, called="group", then=changed),
    )  # fmt: skip
    names = list(here) if name in here else [name, *here]  # the file that a run was trained on may be gone
    st.selectbox("Data set", names, names.index(name), **form.widget("dataset", then=changed),
                 format_func=lambda name: _kind(here[name]) if name in here else name)  # fmt: skip
    _check_dataset(name)
    st.caption(_describe(here[name]))
    values = {}
    if here[name].group == "generated":
        schema = options_of(SOURCES[name])
        with st.expander("Generator", expanded=unfolded):
            for key, option in schema.items():
                value = option_widget(option, form, f"s.{key}", slide=unfolded)
                if value != option.default:
                    values[key] = value
    return name, values


def _kind(each: Known) -> str:
    kind = f"{each.classes} classes" if each.classes else "regression" if each.task == "regression" else ""
    return " · ".join(filter(None, (each.name, kind)))


def _describe(each: Known) -> str:
    if each.group == "generated" or not each.rows:
        return each.description
    return f"{numerals.number(each.rows)} rows, {each.features} inputs. {each.description}"


def _first_of(group: str) -> str:
    return next(each.name for each in data_sets() if each.available and each.group == group)


def _data_changed(form: Values) -> None:
    """Another table has other boundaries and units."""
    name = form["dataset"]
    if name in SOURCES:
        _set("s", {key: option.default for key, option in options_of(SOURCES[name]).items()}, form)
    _set("o", {key: options_of(DataSpec)[key].default for key in DATA}, form)


def families() -> dict[str, list[str]]:
    """The named methods by their family, and what is composed freely."""
    groups: dict[str, list[str]] = {}
    for name, spec in METHODS.items():
        groups.setdefault(_family(spec), []).append(name)
    return {**groups, _COMPOSE: [_CUSTOM]}


def _family(method: MethodSpec) -> str:
    return (METHODS[method.name].family or "Others") if method.name in METHODS else _COMPOSE


def unfit(name: str, task: Task | None) -> str:
    """What a named method is for, where the data are something else."""
    if name != _CUSTOM and task:
        try:
            METHODS[name].check(task)
        except KernlabError:
            return "regression" if task == "classification" else "classes"
    return ""


def _method_form(task: Task | None) -> tuple[MethodSpec, DeltaGenerator]:
    """The method with its parts, and the place for what is wrong about it."""
    st.subheader("Method", anchor=False)
    papers, name = families(), FORM["method"]
    paper = next(family for family, known in papers.items() if name in known)

    def first_that_suits(family: str) -> str:
        return next((name for name in papers[family] if not unfit(name, task)), papers[family][0])

    st.selectbox(
        "Family", list(papers), list(papers).index(paper),
        **FORM.widget("method", paper, first_that_suits, called="paper", then=_method_changed),
        help="Named methods, most of them grouped by the paper they come from; or choose every part yourself.",
    )  # fmt: skip
    if paper != _COMPOSE:
        st.selectbox(
            "Method", papers[paper], papers[paper].index(name), **FORM.widget("method", then=_method_changed),
            format_func=lambda name: f"{name} (for {what})" if (what := unfit(name, task)) else name,
        )  # fmt: skip
    method = MethodSpec() if name == _CUSTOM else METHODS[name]
    if name == _CUSTOM:
        schema = method.schema()
        chosen = {key: _widget(schema[key], schema[key].default) for key in CHOICES}
        return method.with_options(chosen), st.container()
    beside = ", ".join(head.title.lower() for head in method.heads[1:])
    st.caption(f"{method.title}. {method.source}." + (f" Reported beside: {beside}." if beside else ""))
    place = st.container()
    slots = {key: FORM.get(f"o.{key}", method.options()[key]) for key in CHOICES}
    return method.with_options({key: value for key, value in slots.items() if value != method.options()[key]}), place


def _method_changed() -> None:
    """Keep what was set by hand and means the same for the new preset; its parts are the preset's own."""
    old: RunSpec | None = st.session_state.get("train.form")
    if old is None:
        return
    name = FORM["method"]
    if name == _CUSTOM:
        values = old.method.options()
    else:
        values = METHODS[name].options()
        before = METHODS[old.method.name].options() if old.method.name in METHODS else MethodSpec().options()
        for key, value in old.method.changed_options().items():
            # A number of features that one method takes by default says little about another's.
            same = key in before and key in values and before[key] == values[key]
            if same and key not in (*CHOICES, *_PENALTIES):
                values[key] = value
    _set("o", values, FORM)


def _option_form(spec: RunSpec) -> RunSpec:
    """The widgets of every other option: the usual ones, then one fold with the rest."""
    method = spec.method
    base, schema = method.options(), method.schema()
    custom = method.name == _CUSTOM
    owner = {key: part for part in reversed(method.parts) for key in options_of(type(part))}
    front = [key for key, part in _in_order(method, owner) if _is_usual(part, schema[key])]
    stepping = isinstance(method.solver, ProximalGradient)
    for key in _PENALTIES:  # a penalty that does not fit is shown only where it is set, so that it can be set to 0
        set_ = bool(from_text(schema[key], str(FORM.get(f"o.{key}", base[key]))))
        if base[key] or (custom and (stepping or set_)):
            front.append(key)
    values: dict[str, Any] = {}
    st.subheader("Options", anchor=False)
    for key in front:
        values[key] = _widget(schema[key], base[key], owner.get(key))
    rest = [] if custom else [*CHOICES]
    rest += [key for key in (*owner, *_PENALTIES) if key not in values and (key in owner or stepping)]
    # Thirty widgets that nobody sees would take the browser most of the time in which it answers any other.
    fold = st.expander("Advanced", key=UNFOLDED, on_change="rerun")
    with fold:
        ask = _widget if fold.open else _value
        for key in dict.fromkeys(rest):
            values[key] = ask(schema[key], base[key], owner.get(key))
        for key in DATA:
            values[key] = ask(options_of(DataSpec)[key], getattr(spec.data, key))
        if fold.open:
            _seed_and_device()
    now = {**{k: getattr(spec.data, k) for k in DATA}, **base}
    spec = spec.with_options({key: value for key, value in values.items() if value != now[key]})
    return RunSpec(spec.method, spec.data, FORM["seed"], FORM["device"])


def _seed_and_device() -> None:
    seed = Option("seed", "int", 0, "Decides the split, the drawn frequencies and the order of the mini-batches.",
                  minimum=0, maximum=2**31 - 1)  # fmt: skip
    option_widget(seed, FORM, "seed")
    devices = ["auto", "cpu"]
    devices += ["cuda"] if torch.cuda.is_available() else []
    devices += ["mps"] if torch.backends.mps.is_available() else []
    device = FORM["device"]
    devices += [] if device in devices else [device]
    st.selectbox("Device", devices, devices.index(device), **FORM.widget("device"), accept_new_options=True,
                 help="auto: CUDA, then MPS, then CPU.")  # fmt: skip


def _in_order(method: MethodSpec, owner: dict[str, Component]) -> list[tuple[str, Component]]:
    """Options with the part they belong to, in the order of the parts."""
    return [(key, part) for part in method.parts for key, of in owner.items() if of is part]


def _is_usual(part: Component, option: Option) -> bool:
    if isinstance(part, ProximalGradient):
        return option.key in _STEPPING
    kernel = FORM.get("o.kernel", getattr(part, "kernel", ""))
    return not option.advanced and (option.key != "degree" or kernel == "polynomial")


def _widget(option: Option, default: Any, part: Component | None = None) -> Any:
    own = _LABELS.get(f"{part.name}.{option.key}" if part else "") or _LABELS.get(option.key, "")
    called = partial(_title, option.key) if option.key in SLOTS else str
    return option_widget(option, FORM, f"o.{option.key}", default, own, called)


def _value(option: Option, default: Any, part: Component | None = None) -> Any:
    """What :func:`_widget` would stand at."""
    return option_value(option, FORM, f"o.{option.key}", default)


def _title(slot: str, name: str) -> str:
    """What a part is called."""
    return "Auto" if name == "auto" else str(SLOTS[slot][name].title)
