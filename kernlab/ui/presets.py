"""What a run can be compared with at one click: the same but for one thing. And what differs between several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from kernlab.errors import KernlabError
from kernlab.methods import METHODS, SYMBOLS
from kernlab.regularizers import REGULARIZERS
from kernlab.spec import RunSpec
from kernlab.typing import Task
from kernlab.ui.state import to_text

__all__ = ["PRESETS", "differences", "names", "presets"]

_OF_FEATURES = {
    key for key, penalty in REGULARIZERS.items() if penalty().on_map
}  # those that act on a learned map alone
_LISTED = 6  # options that a sentence on what differs has


def _assigned(spec: RunSpec) -> RunSpec:
    """Nothing of the map is learned; a penalty on the features is then a constant, and left out."""
    dropped = [each.name for each in spec.method.regularizers if each.name in _OF_FEATURES and spec.method.learned]
    return spec.with_options({"learned": not spec.method.learned, **dict.fromkeys(dropped, 0.0)})


def _solved(spec: RunSpec) -> RunSpec:
    """The map of a full-batch solver as it was drawn, with the head that then predicts."""
    return spec.with_options({"solver": "assigned", "learned": False, "head": "ridge"})


def _without_penalties(spec: RunSpec) -> RunSpec:
    return spec.with_options({each.name: 0.0 for each in spec.method.regularizers})


def _more_penalty(spec: RunSpec) -> RunSpec:
    return spec.with_options({each.name: min(100 * each.weight, 1.0) for each in spec.method.regularizers})


def _features(count: int) -> Callable[[RunSpec], RunSpec]:
    return lambda spec: spec.with_options({"n_features": count})


def _named(name: str) -> Callable[[RunSpec], RunSpec]:
    """Another named method, with the options that both have and that were set by hand."""

    def make(spec: RunSpec) -> RunSpec:
        other, own = replace(spec, method=METHODS[name]), METHODS[name].schema()
        shared = ("n_features", "epochs", "batch_size", "frequency_scale", "validation", "learning_rate", "compile")
        changed = spec.method.changed_options()
        return other.with_options({key: changed[key] for key in shared if key in changed and key in own})

    return make


#: What each is called, in which words it is explained, and what it makes of a run.
PRESETS: dict[str, tuple[str, Callable[[RunSpec], RunSpec]]] = {
    "assigned": ("The frequencies stay as they were drawn", _assigned),
    "assigned features": ("The features stay as they are, and a ridge regression predicts", _solved),
    "learned": ("The frequencies are learned", _assigned),
    "stationary": ("The kernel looks at x − x′ alone", lambda spec: spec.with_options({"feature_map": "stationary"})),
    "non-stationary": (
        "The kernel may differ from place to place", lambda spec: spec.with_options({"feature_map": "nonstationary"})
    ),
    "without penalties": ("Every λ is 0", _without_penalties),
    "λ × 100": ("Every penalty has a hundred times its weight", _more_penalty),
    "D = 50": ("Fifty features", _features(50)),
    "D = 1000": ("A thousand features", _features(1000)),
    "Discriminant Information": (
        "RFDI: the map is learned by a criterion of its own, then a head is fitted", _named("RFDI")
    ),
    "SK": ("The plain baseline: random Fourier features of an assigned Gaussian kernel", _named("SK")),
    "another seed": ("Another split, other frequencies and another order of the mini-batches",
                     lambda spec: replace(spec, seed=(spec.seed + 1) % 2**31)),
}  # fmt: skip


def presets(spec: RunSpec, task: Task | None, taken: Sequence[RunSpec] = ()) -> dict[str, RunSpec]:
    """Those presets that make sense for a run.

    Args:
        spec: the run.
        task: of its data; None: unknown.
        taken: further runs on the page, which are not offered again.
    """
    found: dict[str, RunSpec] = {}
    seen = [spec, *taken]
    for name, (_, make) in PRESETS.items():
        if name in ("assigned", "learned") and (name == "learned") == spec.method.learned:
            continue
        try:
            other = make(spec)
            if task:
                other.method.check(task)
            same_map = other.method.feature_map.name == spec.method.feature_map.name
        except KernlabError:
            continue
        if name == "stationary" and (same_map or spec.method.feature_map.name != "nonstationary"):
            continue
        if name == "non-stationary" and (same_map or spec.method.feature_map.name != "stationary"):
            continue
        if other not in seen and other not in found.values():
            found[name] = other
    return found


def _varying(specs: Sequence[RunSpec]) -> Iterator[tuple[str, list[Any]]]:
    """The options in which runs differ, each with its values; None where a run has no such option."""
    each = [spec.method.options() for spec in specs]
    for key in dict.fromkeys(key for options in each for key in options):
        values = [options.get(key, 0.0 if key in REGULARIZERS else None) for options in each]
        if any(value != values[0] for value in values):
            yield key, values
    if len({spec.seed for spec in specs}) > 1:
        yield "seed", [spec.seed for spec in specs]
    if len({spec.device for spec in specs}) > 1:
        yield "device", [spec.device for spec in specs]


def differences(specs: Sequence[RunSpec], label: Callable[[str], str] = str) -> str:
    """What differs between runs: the titles of different methods; of two runs of one method, option by option; of more
    runs, what each has otherwise than the first.

    Args:
        label: what an option is called.
    """
    methods = {spec.method.name: spec.method for spec in specs}
    if len(methods) == len(specs):
        return " · ".join(f"{name}: {method.title[:1].lower()}{method.title[1:]}" for name, method in methods.items())
    if len(specs) > 2:
        each = [
            [f"{label(key)} {_text(values[place])}" for key, values in _varying(specs) if values[place] != values[0]]
            for place in range(len(specs))
        ]
        return " · ".join(
            f"{name}: {', '.join([*own[:_LISTED], *['…'] * (len(own) > _LISTED)])}"
            for name, own in zip(names(specs), each, strict=True) if own
        )  # fmt: skip
    words = [f"{label(key)}: {' against '.join(map(_text, values))}" for key, values in _varying(specs)]
    more = [f"and {len(words) - _LISTED} more"] if len(words) > _LISTED else []
    return " · ".join([*words[:_LISTED], *more])


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else to_text(value)


#: What an option's value is called in the name of a run; of all others: the symbol and the value.
_WORDS: dict[tuple[str, Any], str] = {
    ("learned", False): "assigned", ("learned", True): "learned", ("feature_map", "nonstationary"): "non-stationary",
}  # fmt: skip


def names(specs: Sequence[RunSpec]) -> list[str]:
    """Short names of runs that are shown side by side, all different: their methods, or what else tells them apart.

    Runs of one method are called after the one thing in which they differ: "D = 10", "D = 40". Where they differ in
    more than one, the first has its method's name, and the others are called after what they have otherwise.
    """
    found: list[str] = []
    for place, spec in enumerate(specs):
        alike = [other for other in specs if other.method.name == spec.method.name]
        words = _apart(alike, alike.index(spec)) if len(alike) > 1 else []
        single = len(alike) == len(specs) and len(words) == 1
        name = words[0] if single else " ".join([spec.method.name, ", ".join(words[:2])]).strip()
        found.append(name if name not in found else f"{name} ({place + 1})")
    return found


def _apart(alike: Sequence[RunSpec], own: int) -> list[str]:
    """What one of several runs of a method has otherwise than the others, in words."""
    varying = dict(_varying(alike))
    if "learned" in varying:  # a penalty on features that nothing learns is left out with the learning
        varying = {key: values for key, values in varying.items() if key not in _OF_FEATURES}
    penalties = [key for key in varying if key in REGULARIZERS]
    none = [not spec.method.regularizers for spec in alike]
    if any(none) and not all(none):  # one word for all penalties
        varying = {key: values for key, values in varying.items() if key not in penalties}
        varying["penalty"] = ["no penalty" if each else "with penalties" for each in none]
    if len(varying) > 1:
        varying = {key: values for key, values in varying.items() if values[own] != values[0]}
    return [_word(key, values[own]) for key, values in varying.items()]


def _word(key: str, value: Any) -> str:
    if (key, value) in _WORDS:
        return _WORDS[key, value]
    if key in ("feature_map", "objective", "solver", "head", "penalty"):
        return str(value)
    return f"{SYMBOLS.get(key) or key.replace('_', ' ')} = {_text(value)}"
