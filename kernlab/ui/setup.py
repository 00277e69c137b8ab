"""The left side of the Train page: data, method and options, from the registries, and back from an address.

address ─ spec_from ─→ RunSpec ─ fill ─→ widgets ─ spec_form ─→ RunSpec ─ scene_of ─→ address
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from kernlab.data import SOURCES, DataSpec, Known, known
from kernlab.errors import DataError, KernlabError, OptionError, UnknownNameError
from kernlab.methods import CHOICES, METHODS, SLOTS, MethodSpec
from kernlab.options import Component, Option, options_of
from kernlab.regularizers import REGULARIZERS
from kernlab.solvers import ProximalGradient
from kernlab.spec import RunSpec
from kernlab.typing import Task
from kernlab.ui.forms import from_text, option_widget, show_error, to_text

__all__ = ["START", "data_sets", "families", "fill", "scene_of", "spec_form", "spec_from", "unfit"]

#: What a first visitor finds: seconds of training, and learning the frequencies shows (SK stays 8 % behind).
START = {"dataset": "checkerboard", "method": "ASKL", "n_features": 300}

_CUSTOM, _COMPOSE = MethodSpec.name, "Compose your own"
_KEY = "train."
_PENALTIES = tuple(REGULARIZERS)
_DATA = tuple(key for key in options_of(DataSpec) if key not in ("dataset", "source"))

#: Of proximal gradient, which has many: the rest are for those who know what they want.
_STEPPING = ("learning_rate", "epochs", "batch_size", "validation")

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
    "frobenius": "λ₁ for ‖W‖²",
    "trace_norm": "λ₁ for ‖W‖⁎",
    "feature_norm": "λ₂ for ‖φ(X)‖²/n",
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
_GROUPS = {"bundled": "Bundled", "generated": "Generated", "folder": "Files"}


# -- address ↔ spec --------------------------------------------------------------------------------------------


def spec_from(scene: Mapping[str, str]) -> RunSpec:
    """The spec that an address describes.

    Raises:
        KernlabError: something in it is not what it must be.
    """
    said: dict[str, Any] = {**({} if "dataset" in scene or "method" in scene else START), **scene}
    name, dataset = said.pop("method", START["method"]), said.pop("dataset", START["dataset"])
    seed, device = said.pop("seed", "0"), said.pop("device", "auto")
    try:
        seed = int(seed)
    except ValueError:
        raise OptionError("seed must be a whole number from 0 to 2147483647", repr(seed), "drop it to use 0") from None
    _check_dataset(dataset)
    method = MethodSpec() if name == _CUSTOM else METHODS[name]
    spec = RunSpec(method, DataSpec.build(dataset=dataset), seed, device)
    slots = {key: said[key] for key in CHOICES if key in said}
    schema = spec.with_options(slots).schema() if slots else spec.schema()
    typed = {k: from_text(schema[k], v) if k in schema and isinstance(v, str) else v for k, v in said.items()}
    return spec.with_options(typed)


def _check_dataset(name: str) -> None:
    names = [each.name for each in data_sets() if each.available]
    if name not in names:
        raise UnknownNameError.among("data set", name, names)


def scene_of(spec: RunSpec) -> dict[str, str]:
    """The address of a spec: its names, and whatever differs from the defaults."""
    scene = {"dataset": spec.data.dataset, "method": spec.method.name}
    if spec.seed:
        scene["seed"] = str(spec.seed)
    if spec.device != "auto":
        scene["device"] = spec.device
    return scene | {key: to_text(value) for key, value in spec.changed_options().items()}


# -- spec → widgets --------------------------------------------------------------------------------------------


def fill(spec: RunSpec) -> None:
    """Set every widget to what ``spec`` says. Call it before the widgets are drawn, or in a callback."""
    state = st.session_state
    state[_KEY + "dataset"], state[_KEY + "method"] = spec.data.dataset, spec.method.name
    state[_KEY + "paper"] = _family(spec.method)
    state[_KEY + "group"] = next((k.group for k in data_sets() if k.name == spec.data.dataset), "generated")
    state[_KEY + "seed"], state[_KEY + "device"] = spec.seed, spec.device
    values = {**{k: getattr(spec.data, k) for k in _DATA}, **spec.method.options()}
    for key, value in values.items():
        state[f"{_KEY}o.{key}"] = value
    if spec.data.dataset in SOURCES:
        for key, value in SOURCES[spec.data.dataset].build(**spec.data.source).options().items():
            state[f"{_KEY}s.{key}"] = value


# -- widgets → spec --------------------------------------------------------------------------------------------


def spec_form() -> RunSpec | None:
    """The widgets in the side bar; None while something in them is wrong (the sentence stands beside it)."""
    with st.sidebar:
        try:
            dataset, source = _data_form()
            task = next((each.task for each in data_sets() if each.name == dataset), None)
            method, beside = _method_form(task)
            spec = RunSpec(method, DataSpec.build(dataset=dataset), st.session_state[_KEY + "seed"])
            spec = spec.with_options({f"data.{key}": value for key, value in source.items()})
            spec = st.session_state[_KEY + "form"] = _option_form(spec)
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


@st.cache_data(ttl=5, show_spinner=False)
def _look() -> tuple[list[Known], str]:
    """What data there are, and what is wrong with the folders; kept for a moment: new files show up soon."""
    try:
        return known(), ""
    except DataError as error:  # what needs no folder is there all the same
        inside = [Known(name, s.task, s.group, None, None, None, s.description) for name, s in SOURCES.items()]
        return inside, str(error)


def data_sets() -> list[Known]:
    return _look()[0]


def _data_form() -> tuple[str, dict[str, Any]]:
    st.subheader("Data", anchor=False)
    if trouble := _look()[1]:
        st.error(trouble, icon=":material/error:")
    every = [each for each in data_sets() if each.available]
    groups = [group for group in _GROUPS if any(each.group == group for each in every)]
    state = st.session_state
    st.segmented_control(
        "Where from", groups, default=state[_KEY + "group"], key=_KEY + "group", required=True,
        format_func=_GROUPS.__getitem__, label_visibility="collapsed", on_change=_group_changed,
    )  # fmt: skip
    here = {each.name: each for each in every if each.group == state[_KEY + "group"]}
    names = list(here)
    name = st.selectbox(
        "Data set", names, names.index(state[_KEY + "dataset"]), key=_KEY + "dataset",
        format_func=lambda name: _kind(here[name]), on_change=_data_changed,
    )  # fmt: skip
    st.caption(_describe(here[name]))
    values = {}
    if here[name].group == "generated":
        schema = options_of(SOURCES[name])
        with st.expander("Generator"):
            for key, option in schema.items():
                value = option_widget(option, state, f"{_KEY}s.{key}")  # type: ignore[arg-type]
                if value != option.default:
                    values[key] = value
    return name, values


def _kind(each: Known) -> str:
    kind = f"{each.classes} classes" if each.classes else "regression" if each.task == "regression" else ""
    return " · ".join(filter(None, (each.name, kind)))


def _describe(each: Known) -> str:
    if each.group == "generated" or not each.rows:
        return each.description
    rows = f"{each.rows:,}".replace(",", " ")
    return f"{rows} rows, {each.features} inputs. {each.description}"


def _group_changed() -> None:
    state = st.session_state
    here = [each.name for each in data_sets() if each.available and each.group == state[_KEY + "group"]]
    state[_KEY + "dataset"] = here[0]
    _data_changed()


def _data_changed() -> None:
    name = st.session_state[_KEY + "dataset"]
    for key, option in (options_of(SOURCES[name]) if name in SOURCES else {}).items():
        st.session_state[f"{_KEY}s.{key}"] = option.default
    for key in _DATA:  # another table has other boundaries and units
        st.session_state[f"{_KEY}o.{key}"] = options_of(DataSpec)[key].default


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
    state, papers = st.session_state, families()
    paper = st.selectbox(
        "Family", list(papers), list(papers).index(state[_KEY + "paper"]), key=_KEY + "paper",
        on_change=_paper_changed, args=(task,),
        help="Named methods, most of them grouped by the paper they come from; or choose every part yourself.",
    )  # fmt: skip
    name = _CUSTOM
    if paper != _COMPOSE:
        name = st.selectbox(
            "Method", papers[paper], papers[paper].index(state[_KEY + "method"]), key=_KEY + "method",
            format_func=lambda name: f"{name} (for {what})" if (what := unfit(name, task)) else name,
            on_change=_method_changed,
        )  # fmt: skip
    method = MethodSpec() if name == _CUSTOM else METHODS[name]
    if name == _CUSTOM:
        schema = method.schema()
        chosen = {key: _widget(schema[key], schema[key].default) for key in CHOICES}
        return method.with_options(chosen), st.container()
    beside = ", ".join(head.title.lower() for head in method.heads[1:])
    st.caption(f"{method.title}. {method.source}." + (f" Reported beside: {beside}." if beside else ""))
    place = st.container()
    slots = {key: state.get(f"{_KEY}o.{key}", method.options()[key]) for key in CHOICES}
    return method.with_options({key: value for key, value in slots.items() if value != method.options()[key]}), place


def _paper_changed(task: Task | None) -> None:
    """The family's first method that suits the data."""
    state = st.session_state
    names = families()[state[_KEY + "paper"]]
    state[_KEY + "method"] = next((name for name in names if not unfit(name, task)), names[0])
    _method_changed()


def _method_changed() -> None:
    """Keep what was set by hand and means the same for the new preset; its parts are the preset's own."""
    old: RunSpec | None = st.session_state.get(_KEY + "form")
    if old is None:
        return
    name = st.session_state[_KEY + "method"]
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
    for key, value in values.items():
        st.session_state[f"{_KEY}o.{key}"] = value


def _option_form(spec: RunSpec) -> RunSpec:
    """The widgets of every other option: the usual ones, then one fold with the rest."""
    method = spec.method
    base, schema = method.options(), method.schema()
    custom = method.name == _CUSTOM
    owner = {key: part for part in reversed(method.parts) for key in options_of(type(part))}
    front = [key for key, part in _in_order(method, owner) if _is_usual(part, schema[key])]
    stepping = isinstance(method.solver, ProximalGradient)
    for key in _PENALTIES:  # where they make no sense they are there to be set to 0 only
        set_ = bool(from_text(schema[key], str(st.session_state.get(f"{_KEY}o.{key}", base[key]))))
        if base[key] or (custom and (stepping or set_)):
            front.append(key)
    values: dict[str, Any] = {}
    st.subheader("Options", anchor=False)
    for key in front:
        values[key] = _widget(schema[key], base[key], owner.get(key))
    with st.expander("Advanced"):
        if not custom:
            for key in CHOICES:
                values[key] = _widget(schema[key], base[key])
        for key in (*owner, *_PENALTIES):
            if key not in values and (key in owner or stepping):
                values[key] = _widget(schema[key], base[key], owner.get(key))
        for key in _DATA:
            values[key] = _widget(options_of(DataSpec)[key], getattr(spec.data, key))
        seed = Option("seed", "int", 0, "Decides the split, the drawn frequencies and the order of the mini-batches.",
                      minimum=0, maximum=2**31 - 1)  # fmt: skip
        option_widget(seed, st.session_state, _KEY + "seed")  # type: ignore[arg-type]
        devices = ["auto", "cpu"]
        devices += ["cuda"] if torch.cuda.is_available() else []
        devices += ["mps"] if torch.backends.mps.is_available() else []
        device = st.session_state.setdefault(_KEY + "device", "auto")
        devices += [] if device in devices else [device]
        device = st.selectbox("Device", devices, devices.index(device), key=_KEY + "device", accept_new_options=True,
                              help="auto: CUDA, then MPS, then CPU.")  # fmt: skip
    now = {**{k: getattr(spec.data, k) for k in _DATA}, **base}
    spec = spec.with_options({key: value for key, value in values.items() if value != now[key]})
    return RunSpec(spec.method, spec.data, st.session_state[_KEY + "seed"], str(device))


def _in_order(method: MethodSpec, owner: dict[str, Component]) -> list[tuple[str, Component]]:
    """Options with the part they belong to, in the order of the parts."""
    return [(key, part) for part in method.parts for key, of in owner.items() if of is part]


def _is_usual(part: Component, option: Option) -> bool:
    if isinstance(part, ProximalGradient):
        return option.key in _STEPPING
    kernel = st.session_state.get(f"{_KEY}o.kernel", getattr(part, "kernel", ""))
    return not option.advanced and (option.key != "degree" or kernel == "polynomial")


def _widget(option: Option, default: Any, part: Component | None = None) -> Any:
    st.session_state.setdefault(f"{_KEY}o.{option.key}", default)
    label = _LABELS.get(f"{part.name}.{option.key}" if part else "") or _LABELS.get(option.key, "")
    called = partial(_title, option.key) if option.key in SLOTS else str
    return option_widget(option, st.session_state, f"{_KEY}o.{option.key}", label, called)  # type: ignore[arg-type]


def _title(slot: str, name: str) -> str:
    """What a part is called."""
    return "Auto" if name == "auto" else str(SLOTS[slot][name].title)
