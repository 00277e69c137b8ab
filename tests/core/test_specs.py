"""A run's configuration: through JSON, options, the command line and Python lines, and back."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernlab.data import SOURCES, Source
from kernlab.errors import CompositionError, KernlabError, OptionError, UnknownNameError
from kernlab.feature_maps import NonStationary, Stationary
from kernlab.methods import METHODS, SLOTS, MethodSpec, method
from kernlab.options import Option, component, option
from kernlab.regularizers import FeatureNorm, Frobenius, TraceNorm
from kernlab.spec import RunSpec

DATASETS = ["iris", "diabetes", "moons", "gp_stationary", "shell"]


def values_of(option: Option) -> st.SearchStrategy[Any]:
    """Any value that the option takes."""
    if option.type == "choice":
        return st.sampled_from(option.choices)
    if option.type == "bool":
        return st.booleans()
    if option.type == "text":
        return st.text(max_size=5)
    low = option.minimum if option.minimum is not None else option.above
    high = option.maximum if option.maximum is not None else option.below
    low, high = (1e-6 if low is None else low), (1e6 if high is None else high)
    if option.type == "int":
        numbers: st.SearchStrategy[Any] = st.integers(int(low), int(high))
    else:
        numbers = st.floats(low, high, exclude_min=option.above is not None, exclude_max=option.below is not None)
    return st.one_of(numbers, st.sampled_from(option.choices)) if option.choices else numbers


@st.composite
def methods(draw) -> MethodSpec:
    spec = METHODS[draw(st.sampled_from(sorted(METHODS)))]
    for part in SLOTS:
        spec = spec.with_options({part: draw(values_of(spec.schema()[part]))})
    schema = spec.schema()
    keys = draw(st.lists(st.sampled_from(sorted(set(schema) - set(SLOTS))), unique=True))
    return spec.with_options({key: draw(values_of(schema[key])) for key in keys})


@st.composite
def runs(draw) -> RunSpec:
    start = RunSpec.of("ASKL", draw(st.sampled_from(DATASETS)), seed=draw(st.integers(0, 2**31 - 1)))
    own = set(start.method.schema())
    keys = draw(st.lists(st.sampled_from(sorted(set(start.schema()) - own)), unique=True))
    spec = start.with_options({key: draw(values_of(start.schema()[key])) for key in keys})
    return RunSpec(draw(methods()), spec.data, spec.seed, draw(st.sampled_from(["auto", "cpu", "cuda:1"])))


@given(methods())
@example(METHODS["ArcCosine"].with_options({"head": "svc", "C": 1.0}))  # the C of the head before it, not of its own
@settings(max_examples=60)
def test_json_and_options_say_everything(spec):
    """Also a form that shows all options, or a link with the changed ones, gives back the same method."""
    assert MethodSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    assert METHODS[spec.name].with_options(spec.options()) == spec
    assert METHODS[spec.name].with_options(spec.changed_options()) == spec
    assert set(spec.options()) == set(spec.schema())


@given(methods(), st.data())
@settings(max_examples=60)
def test_an_option_that_is_set_has_that_value_and_the_others_keep_theirs(spec, data):
    schema = spec.schema()
    key = data.draw(st.sampled_from(sorted(set(schema) - set(SLOTS))))
    value = data.draw(values_of(schema[key]))
    changed = spec.with_options({key: value}).options()
    assert changed.pop(key) == value
    assert changed == {k: v for k, v in spec.options().items() if k != key}


def parsed(command: str) -> RunSpec:
    """The run that a command line asks for; every value arrives as text."""
    words = iter(shlex.split(command))
    assert (next(words), next(words)) == ("kernlab", "train")
    flags: dict[str, str] = {}
    options: dict[str, str] = {}
    for flag in words:
        if flag == "--set":
            key, _, value = next(words).partition("=")
            options[key] = value
        else:
            flags[flag.removeprefix("--")] = next(words)
    seed = int(flags.pop("seed"))
    return RunSpec.of(flags.pop("method"), flags.pop("dataset"), seed=seed, **flags, **options)


@given(runs())
@settings(max_examples=80)
def test_json_the_command_line_and_python_lines_repeat_the_run(spec):
    assert RunSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    assert parsed(spec.command()) == spec
    asked = []

    class Result:
        summary: dict[str, Any] = {}  # noqa: RUF012

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernlab.training.trainer.fit", lambda run: asked.append(run) or Result)
        exec(spec.python(), {"print": lambda _: None})
    assert asked == [spec]


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        (RunSpec.of("ASKL", "digits"), "ASKL on digits"),
        (RunSpec.of("ASKL", "digits", n_features=50, trace_norm=0.0), "ASKL on digits, D = 50, λ₁ = 0"),
        (RunSpec.of("SK", "moons", seed=3, n_samples=200), "SK on moons, n samples = 200, seed = 3"),
        (RunSpec.of("ASKL", "iris", phase="shared", learned=False, epochs=3, batch_size=20, learning_rate=1e-5),
         "ASKL on iris, learned = false, phase = shared, η = 1e-05, epochs = 3, …"),
    ],
)  # fmt: skip
def test_the_title_has_what_differs_from_the_defaults(spec, title):
    assert spec.title == title


def test_a_word_that_method_and_generator_share_means_the_generators():
    """``lengthscale`` is another word for the frequency scale, and an option of the Gaussian-process draw."""
    assert RunSpec.of("SK", "iris").command() == "kernlab train --method SK --dataset iris --seed 0"
    spec = RunSpec.of("ASKL", "gp_stationary", lengthscale=0.2, gamma=0.5)
    assert spec.data.source == {"lengthscale": 0.2}
    assert spec.method.feature_map.frequency_scale == 1.0
    assert RunSpec.of("ASKL", "moons", **{"data.noise": 0.3}).data.source == {"noise": 0.3}


def test_an_option_that_method_and_generator_share_is_named_with_a_prefix(monkeypatch):
    @component
    class Clash(Source):
        name = "clash"
        momentum: float = option(0.5, "Of the generator, not of the optimizer.", ge=0, le=1)

    monkeypatch.setitem(SOURCES._entries, "clash", Clash)
    spec = RunSpec.of("ASKL", "clash", momentum=0.25, **{"data.momentum": 0.75})
    assert (spec.method.solver.momentum, spec.data.source) == (0.25, {"momentum": 0.75})
    assert parsed(spec.command()) == spec


@pytest.mark.parametrize(
    ("name", "parts"),
    {
        "SK": (Stationary(), False, (Frobenius(),)),
        "NSK": (NonStationary(), False, (Frobenius(),)),
        "SKL": (Stationary(), True, (Frobenius(),)),
        "NSKL": (NonStationary(), True, (Frobenius(),)),
        "ASKL": (NonStationary(), True, (FeatureNorm(), TraceNorm())),
    }.items(),
)
def test_the_named_methods_are_the_rows_of_the_papers_table(name, parts):
    spec = METHODS[name]
    assert (spec.feature_map, spec.learned) == parts[:2]
    assert set(spec.regularizers) == set(parts[2])
    assert spec.solver.optimizer == "adam"


def test_switching_a_part_keeps_the_options_that_both_have():
    spec = METHODS["ASKL"].with_options({"n_features": 77, "frequency_scale": 0.3, "feature_map": "stationary"})
    assert spec.feature_map == Stationary(n_features=77, frequency_scale=0.3)
    both = RunSpec.of("ASKL", "iris", form="paired", feature_map="stationary", n_features=9)
    # The stationary map's word of version 1, where n_features counted frequencies.
    assert both.method.feature_map == Stationary(n_features=18, phase="paired")


def test_a_weight_adds_a_penalty_and_zero_drops_it():
    spec = METHODS["SK"].with_options({"trace_norm": 0.5, "frobenius": 0})
    assert spec.regularizers == (TraceNorm(weight=0.5),)
    assert spec.with_options({"trace_norm": 0.0}).regularizers == ()


def test_equal_penalties_in_another_order_make_an_equal_method_and_penalties_must_make_sense():
    one = MethodSpec(regularizers=(TraceNorm(), Frobenius()))
    assert one == MethodSpec(regularizers=(Frobenius(), TraceNorm()))
    with pytest.raises(CompositionError, match="may stand once"):
        MethodSpec(regularizers=(Frobenius(), Frobenius(weight=1.0)))
    with pytest.raises(CompositionError, match="feature_norm=0"):
        METHODS["ASKL"].with_options({"learned": "false"}).check("classification")


@pytest.mark.parametrize(
    ("changes", "nearest"),
    [
        ({"n_featurs": 3}, "n_features"),
        ({"lenghtscale": 3}, "lengthscale"),
        ({"feature_map": "stationry"}, "stationary"),
        ({"objective": "hing"}, "hinge"),
        ({"tracenorm": 1}, "trace_norm"),
        ({"data.nois": 1}, "noise"),
    ],
)
def test_an_unknown_option_or_part_is_answered_with_the_nearest(changes, nearest):
    with pytest.raises(UnknownNameError, match=f"Did you mean [^?]*{nearest}"):
        RunSpec.of("ASKL", "moons", **changes)


def test_a_name_in_json_that_is_no_methods_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean ASKL"):
        MethodSpec.from_dict({"name": "ASLK"})
    with pytest.raises(UnknownNameError, match="method must be"):
        MethodSpec.from_dict({"name": [], "regularizers": []})
    assert MethodSpec.from_dict({"name": "ASKL"}) == METHODS["ASKL"]  # parts that are left out are the method's
    assert MethodSpec.from_dict({"name": "ASKL", "regularizers": []}).regularizers == ()
    mine = MethodSpec("mine", Stationary(n_features=8))
    assert MethodSpec.from_dict(mine.to_dict()) == mine  # every part is there: nothing hangs on the name


FORKED = """
import os, sys
import numpy, scipy.stats, sklearn.linear_model, torch
for module in ("kernlab.methods", "kernlab.methods.composition", "kernlab.spec"):
    if not os.fork():
        exec(f"from {module} import MethodSpec, METHODS")
        print(module, len(METHODS), MethodSpec.from_dict({"name": "ASKL"}).title, flush=True)
        os._exit(0)
    os.wait()
"""


def test_the_named_methods_exist_whatever_is_imported_first():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    modules = ("kernlab.methods", "kernlab.methods.composition", "kernlab.spec")
    assert done.stdout.splitlines() == [f"{m} {len(METHODS)} {METHODS['ASKL'].title}" for m in modules], done.stderr


def test_an_unknown_method_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean ASKL"):
        RunSpec.of("ASKLL", "iris")
    with pytest.raises(UnknownNameError, match=r"Known: .*NSKL"):
        method("none")


@pytest.mark.parametrize(
    "changes",
    [
        {"n_features": 0},
        {"n_features": "many"},
        {"n_features": True},
        {"learning_rate": 0},
        {"learning_rate": float("nan")},
        {"frequency_scale": -1.0},
        {"epochs": 1.5},
        {"momentum": 1.0},
        {"optimizer": "newton"},
        {"schedule": None},
        {"learned": "maybe"},
        {"trace_norm": -1},
        {"test_size": 1.0},
        {"scaling": "[0,2]"},
        {"noise": "loud"},
        {"gamma": 1.0, "lengthscale": 2.0},
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(changes):
    with pytest.raises(OptionError, match=next(reversed(changes))):
        RunSpec.of("ASKL", "moons", **changes)


@pytest.mark.parametrize("seed", [-1, 2**31, 1.0, "0", True, None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(OptionError, match="seed must be a whole number"):
        RunSpec(seed=seed)


@pytest.mark.parametrize(
    "damaged",
    [
        [],
        None,
        "ASKL",
        {"method": []},
        {"method": {"nam": "ASKL"}},
        {"method": {"feature_map": "stationary"}},
        {"method": {"feature_map": {"kind": "statonary"}}},
        {"method": {"feature_map": {"kind": []}}},
        {"method": {"regularizers": 3}},
        {"method": {"regularizers": ["frobenius"]}},
        {"method": {"objective": {"kind": "hinge", "margin": 2}}},
        {"method": {"solver": {"kind": "proximal_gradient", "epochs": "many"}}},
        {"method": {"learned": 7}},
        {"data": 3},
        {"data": {"dataset": 3}},
        {"data": {"sourc": {}}},
        {"seed": "zero"},
        {**RunSpec().to_dict(), "sead": 3},
    ],
)
def test_json_that_is_not_a_run_gets_a_sentence(damaged):
    with pytest.raises(KernlabError):
        RunSpec.from_dict(damaged)
