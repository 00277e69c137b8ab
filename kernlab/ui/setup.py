"""The left side of the Train page: data, method and options, from the registries, and back from an address.

address ─ spec_from ─→ RunSpec ─ fill ─→ widgets ─ spec_form ─→ RunSpec ─ scene_of ─→ address
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
import torch

from kernlab.data import SOURCES, DataSpec, Known, known
from kernlab.errors import DataError, KernlabError, OptionError, UnknownNameError
from kernlab.methods import METHODS, MethodSpec
from kernlab.options import Option, options_of
from kernlab.spec import RunSpec
from kernlab.ui.forms import from_text, option_widget, show_error, to_text

__all__ = ["START", "fill", "scene_of", "spec_form", "spec_from"]

#: What a first visitor finds: seconds of training, and learning the frequencies shows (SK stays 8 % behind).
START = {"dataset": "checkerboard", "method": "ASKL", "n_features": 300}

_CUSTOM = MethodSpec.name
_KEY = "train."
_SLOTS = ("feature_map", "learned", "objective")
_DATA = tuple(key for key in options_of(DataSpec) if key not in ("dataset", "source"))
_MAIN = ("n_features", "frequency_scale", "phase", "form", "learning_rate", "epochs", "batch_size")
_LABELS = {
    "n_features": "Features D",
    "frequency_scale": "Frequency scale σ",
    "learning_rate": "Learning rate η",
    "batch_size": "Mini-batch",
    "frobenius": "λ₁ for ‖W‖²",
    "trace_norm": "λ₁ for ‖W‖⁎",
    "feature_norm": "λ₂ for ‖φ(X)‖²/n",
    "nu": "Matérn ν",
    "form": "Phase",
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
    slots = {key: said[key] for key in _SLOTS if key in said}
    schema = spec.with_options(slots).schema() if slots else spec.schema()
    typed = {k: from_text(schema[k], v) if k in schema and isinstance(v, str) else v for k, v in said.items()}
    return spec.with_options(typed)


def _check_dataset(name: str) -> None:
    names = [each.name for each in _known() if each.available]
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
    state[_KEY + "group"] = next((k.group for k in _known() if k.name == spec.data.dataset), "generated")
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
            method = _method_form()
            spec = RunSpec(method, DataSpec.build(dataset=dataset), st.session_state[_KEY + "seed"])
            spec = spec.with_options({f"data.{key}": value for key, value in source.items()})
            return _option_form(spec)
        except KernlabError as error:
            show_error(error)
            return None


@st.cache_data(ttl=5, show_spinner=False)
def _look() -> tuple[list[Known], str]:
    """What data there are, and what is wrong with the folders; kept for a moment: new files show up soon."""
    try:
        return known(), ""
    except DataError as error:  # what needs no folder is there all the same
        inside = [Known(name, s.task, s.group, None, None, None, s.description) for name, s in SOURCES.items()]
        return inside, str(error)


def _known() -> list[Known]:
    return _look()[0]


def _data_form() -> tuple[str, dict[str, Any]]:
    st.subheader("Data", anchor=False)
    if trouble := _look()[1]:
        st.error(trouble, icon=":material/error:")
    every = [each for each in _known() if each.available]
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
    here = [each.name for each in _known() if each.available and each.group == state[_KEY + "group"]]
    state[_KEY + "dataset"] = here[0]
    _data_changed()


def _data_changed() -> None:
    name = st.session_state[_KEY + "dataset"]
    for key, option in (options_of(SOURCES[name]) if name in SOURCES else {}).items():
        st.session_state[f"{_KEY}s.{key}"] = option.default
    for key in _DATA:  # another table has other boundaries and units
        st.session_state[f"{_KEY}o.{key}"] = options_of(DataSpec)[key].default


def _method_form() -> MethodSpec:
    st.subheader("Method", anchor=False)
    papers: dict[str, list[str]] = {}
    for name, spec in METHODS.items():
        papers.setdefault(spec.source.split()[0], []).append(name)
    ordered = [name for names in papers.values() for name in names]
    presets = [*ordered, _CUSTOM]
    paper_of = {name: paper for paper, names in papers.items() for name in names}

    name = st.selectbox(
        "Preset", presets, presets.index(st.session_state[_KEY + "method"]), key=_KEY + "method",
        format_func=lambda name: "Compose your own" if name == _CUSTOM else f"{name} ({paper_of[name]} paper)",
        on_change=_method_changed,
        help="Named methods, grouped by the paper they come from; or choose every part yourself.",
    )  # fmt: skip
    if name != _CUSTOM:
        st.caption(f"{METHODS[name].title}. {METHODS[name].source}")
    method = MethodSpec() if name == _CUSTOM else METHODS[name]
    if name == _CUSTOM:
        schema = method.schema()
        chosen = {key: _widget(schema[key], schema[key].default) for key in _SLOTS}
        return method.with_options(chosen)
    slots = {key: st.session_state.get(f"{_KEY}o.{key}", method.options()[key]) for key in _SLOTS}
    return method.with_options({key: value for key, value in slots.items() if value != method.options()[key]})


def _method_changed() -> None:
    """Keep what was set by hand and makes sense for the new preset too; its parts are the preset's own."""
    old: RunSpec | None = st.session_state.get(_KEY + "spec")
    if old is None:
        return
    name = st.session_state[_KEY + "method"]
    new = old.method if name == _CUSTOM else METHODS[name]
    if name == _CUSTOM:
        values = old.method.options()
    else:
        shared = set(new.schema()) - set(_SLOTS) - {"frobenius", "trace_norm", "feature_norm"}
        kept = {key: value for key, value in old.method.changed_options().items() if key in shared}
        values = new.options() | kept
    for key, value in values.items():
        st.session_state[f"{_KEY}o.{key}"] = value


def _option_form(spec: RunSpec) -> RunSpec:
    """The widgets of every other option: the usual ones, then one fold with the rest."""
    base, schema = spec.method.options(), spec.method.schema()
    own = [key for key in schema if key not in _SLOTS]
    penalties = [key for key in ("frobenius", "trace_norm", "feature_norm") if key in own]
    custom = spec.method.name == _CUSTOM
    front = [key for key in own if key in _MAIN] + [key for key in penalties if custom or base[key]]
    values: dict[str, Any] = {}
    st.subheader("Options", anchor=False)
    for key in front:
        values[key] = _widget(schema[key], base[key])
    with st.expander("Advanced"):
        if not custom:
            for key in _SLOTS:
                values[key] = _widget(schema[key], base[key])
        for key in own:
            if key not in front:
                values[key] = _widget(schema[key], base[key])
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


def _widget(option: Option, default: Any) -> Any:
    st.session_state.setdefault(f"{_KEY}o.{option.key}", default)
    label = _LABELS.get(option.key, "")
    return option_widget(option, st.session_state, f"{_KEY}o.{option.key}", label)  # type: ignore[arg-type]
