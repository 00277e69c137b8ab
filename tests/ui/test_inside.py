"""Spectrum, Kernel and Bounds without a browser: one run or two, at any moment, compared with another one."""

import pytest
from opening import address, components, errors, figures, opened, press, ran
from waiting import until

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.pictures.base import places
from kernlab.pictures.gallery import PICTURES
from kernlab.ui import inside
from kernlab.ui.view import VIEW

PAGES = ("spectrum", "kernel", "bounds", "certainty")
#: What a page says of a run that it has no pictures of.
WITHOUT = {"spectrum": "no frequencies", "bounds": "no bound here"}


@pytest.mark.parametrize("name", PAGES)
def test_where_there_is_no_run_an_example_is_trained(home, name):
    app = opened(name)
    assert "no run to look into" in app.info[0].value
    press(app, "Train an example")
    run_id = address(app)["run"]
    jobs = manager().trainings
    assert jobs.store.get(run_id).dataset == inside.EXAMPLE.data.dataset
    until(lambda: jobs.snapshot(run_id).status != "queued" and jobs.store.snapshots(run_id).steps.size)
    assert figures(app.run())
    assert address(app)["run"] == run_id


@pytest.mark.parametrize(
    ("method", "dataset"),
    [
        ("ASKL", "moons"),
        ("ASKL", "chirp"),
        ("ASKL", "digits"),
        ("SK", "diabetes"),
        ("Deep-ASKL", "moons"),
        ("NysDI", "digits"),
        ("LKRF", "moons"),
        ("FKS-Fourier", "diabetes"),
        ("SVC-rbf", "iris"),
        ("MKL", "diabetes"),
        ("KRR", "chirp"),
    ],
)
def test_every_kind_of_run_compared_with_its_beginning(shared, method, dataset):
    """Without a comparison the Train page shows the same pictures: tests/ui/test_pages.py."""
    run_id = ran(method, dataset)
    for name in PAGES:
        app = opened(name, run=run_id, reference="0")
        drawn = figures(app)
        assert all(figure["data"] for figure in drawn.values())
        assert drawn or [WITHOUT[name] in info.value for info in app.info] == [True]


def linked(**runs):
    """The pages that Train links below the pictures of runs, each with its address."""
    return {each.proto.page: each.proto.query_string for each in opened("train", **runs).get("page_link")}


def test_a_page_is_linked_where_it_has_something_to_show_of_the_run(shared):
    learned, used = ran(), ran("KRR", "chirp")
    assert linked(run=learned) == dict.fromkeys(PAGES, f"run={learned}")
    assert linked(run=used) == dict.fromkeys(("kernel", "certainty"), f"run={used}")
    assert linked(run=used, second_run=learned) == dict.fromkeys(PAGES, f"run={used}&beside={learned}")


@pytest.mark.parametrize("name", PAGES)
def test_the_slider_moves_the_pictures(shared, name):
    run_id = ran()
    newest, first = (figures(opened(name, run=run_id, **at)) for at in ({}, {"at": "0"}))
    assert newest.keys() & first.keys()
    # The browser marks the moment in pictures over training, which stay as they are.
    both = [key for key in newest.keys() & first.keys() if not (key in PICTURES and PICTURES[key].over_time)]
    assert all(newest[key] != first[key] for key in both if "approximation" not in key)


@pytest.mark.parametrize("name", PAGES)
def test_two_runs_stand_side_by_side(shared, name):
    one, other = ran(), ran("SK", "digits")
    app = opened(name, run=one, beside=other)
    drawn = figures(app)
    beside = {key.removesuffix(".beside") for key in drawn if key.endswith(".beside")}
    assert beside & {key for key in drawn if not key.endswith(".beside")}
    assert (app.query_params["run"], app.query_params["beside"]) == (one, other)
    app.selectbox(key="inside.beside").set_value("").run()
    assert "beside" not in app.query_params


def timed(**runs):
    """The runs of the slider, the labels of switches, and the parts of the picture of the kernel matrix."""
    app = opened("kernel", reference="0", matrix="change", **runs)
    slider = components(app, "elements").get("timeline", {}).get("runs", [])
    return slider, [each.label for each in app.toggle], figures(app)


def test_a_run_of_one_moment_has_no_slider_and_no_earlier_moment_to_compare_with(shared):
    used, learned = ran("KRR", "chirp"), ran()
    slider, switches, drawn = timed(run=used)
    assert (slider, "What has changed" in switches) == ([], False)
    assert drawn["gram"] == figures(opened("kernel", run=used))["gram"]
    for runs in ({"run": learned}, {"run": used, "beside": learned}, {"run": learned, "beside": used}):
        slider, switches, drawn = timed(**runs)
        assert (slider, "What has changed" in switches) == ([learned], True)
        key = "gram" if runs["run"] == learned else "gram.beside"
        assert drawn[key] != figures(opened("kernel", **runs))[key]


def test_the_address_holds_the_moments(shared):
    run_id = ran()
    given = {"run": run_id, "at": "1", "reference": "2", "look": "principal direction 2"}
    app = opened("spectrum", **given)
    assert {key: app.query_params[key] for key in given} == given


def test_without_an_address_the_newest_run_is_shown(home):
    ran()
    newest = ran("SK")
    app = opened("kernel")
    assert app.query_params["run"] == newest


def test_a_run_that_is_gone_is_a_sentence(home):
    app = opened("bounds", run="nosuchrun")
    assert "nosuchrun" in errors(app)[0]
    assert app.button


def test_nonsense_in_an_address_is_refused():
    for key, text in (("smooth", "maybe"), ("at", "nan"), ("at", "-3"), ("output", "-"), ("measure", "?")):
        with pytest.raises(KernlabError, match=f"^{key} must be"):
            VIEW.declared[key].value(text)
    assert places("3,17,x,40") == (3, 17, 40)
