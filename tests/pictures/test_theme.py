import re

from kernlab.methods import METHODS as NAMED
from kernlab.pictures.theme import (
    BASELINES,
    CLASSES,
    MOMENTS,
    ROLES,
    class_style,
    fade,
    figure,
    method_style,
    moment_style,
    role,
)

METHODS = {name: method_style(name) for name, each in NAMED.items() if each.look}


def test_no_two_methods_look_alike_and_colour_is_never_the_only_difference():
    assert len(set(METHODS.values())) == len(METHODS)
    assert len({(style.colour, style.dash) for style in METHODS.values()}) == len(METHODS)
    assert len({style.symbol for style in METHODS.values()}) == len(METHODS)


def test_the_five_methods_that_are_compared_most_differ_in_everything():
    five = [METHODS[name] for name in ("SK", "NSK", "SKL", "NSKL", "ASKL")]
    for part in zip(*five, strict=True):
        assert len(set(part)) == 5


def test_baselines_look_like_no_method_and_like_none_of_the_others():
    assert len({style.symbol for style in (*METHODS.values(), *BASELINES.values())}) == len(METHODS) + len(BASELINES)
    assert len({(style.colour, style.dash) for style in BASELINES.values()}) == len(BASELINES)
    assert method_style("svm-rbf") == BASELINES["svm-rbf"]


def test_an_own_method_keeps_its_look():
    assert method_style("mine") == method_style("mine")
    assert {method_style(f"mine {i}") for i in range(40)} != {method_style("mine")}


def test_classes_have_one_of_ten_colours_and_no_two_of_a_hundred_look_alike():
    assert [class_style(code) for code in range(len(CLASSES))] == list(CLASSES)
    assert class_style(len(CLASSES) + 3)[0] == CLASSES[3][0]
    assert len({class_style(code) for code in range(len(CLASSES) ** 2)}) == len(CLASSES) ** 2


def test_terms_of_a_bound_are_known_with_their_prefix():
    assert role("bound/rank") == role("rank") == ROLES["rank"]
    assert role("new_thing")[0] == "new thing"


def test_fade():
    assert fade("#0072B2", 0.5) == "rgba(0,114,178,0.5)"
    assert all(re.fullmatch("#[0-9A-Fa-f]{6}", colour) for colour, _ in CLASSES)


def test_the_shared_look():
    made = figure([], title="T", subtitle="S", x="time (s)", y="value", revision="r")
    layout = made.layout
    assert (layout.title.text, layout.title.subtitle.text) == ("T", "S")
    assert (layout.xaxis.title.text, layout.yaxis.title.text, layout.uirevision) == ("time (s)", "value", "r")
    base = layout.template.layout
    assert base.paper_bgcolor == base.plot_bgcolor == "rgba(0,0,0,0)"
    sizes = (base.font.size, base.xaxis.tickfont.size, base.xaxis.title.font.size, base.legend.font.size)
    assert min(*sizes, base.title.font.size, layout.title.subtitle.font.size, base.hoverlabel.font.size) >= 14


def test_moments_look_the_same_everywhere_and_differ_in_more_than_colour():
    for part in zip(*MOMENTS.values(), strict=True):
        assert len(set(part)) == len(MOMENTS)
    assert moment_style("then, epoch 3") == MOMENTS["then"]
    assert moment_style("mine") == MOMENTS["now"]
