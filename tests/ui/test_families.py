"""One method of every family, trained in a real browser: its own picture is there, and changes."""

import json
import re

import pytest
from browsing import came_to, choose, picture, rested, shown, until, visit

from kernlab.ui import landmarks

pytestmark = pytest.mark.browser


def sound(page):
    """No page ever shows the inside of the program."""
    words = page.locator("body").inner_text()
    assert "Traceback" not in words
    assert not re.search(r"\w+(?:Error|Exception)\b", words)
    assert page.locator("[data-testid=stException]").count() == 0


def drawn_at(page, chart, end, once):
    """What a picture draws at the first moment or at the last."""
    if once:
        page.get_by_role("button", name="After it" if end else "Before the step").click()
    else:
        slider = page.locator(landmarks.TIME)
        slider.focus()
        slider.press("End" if end else "Home")
    if not end:
        page.wait_for_url(re.compile(r"at=0"))
    rested(page)
    shown(page, chart)
    page.wait_for_function(f"document.querySelector('.st-key-{chart} .kl-late')?.hidden")
    return picture(page, chart)


@pytest.mark.parametrize(
    ("chart", "options"),
    [
        ("landmarks_on_data", "dataset=moons&method=NysDI&n_features=20&epochs=3&n_samples=200"),
        ("density", "dataset=moons&method=RFDI&phase=shared&n_features=30&epochs=3&n_samples=200"),
        ("feature_weights", "dataset=shell&method=LKRF&n_features=100&n_samples=200"),
        ("frame_of_one_input", "dataset=chirp&method=FKS-Fourier&algorithm=fista&order=6&n_samples=100"),
        ("kernel_weights", "dataset=chirp&method=MKL&max_turns=4&n_samples=80"),
        ("density", "dataset=moons&method=Deep-ASKL&n_features=30&hidden=20&epochs=4&n_samples=200"),
    ],
)
def test_its_own_picture_changes_as_it_is_learned(server, page, chart, options):
    visit(page, server, f"train?{options}")
    page.get_by_role("button", name="Train", exact=True).click()
    came_to(page, "Finished")
    page.locator(f".st-key-{chart}").wait_for()
    shown(page, chart)
    page.locator(f".st-key-{chart} .js-plotly-plot").wait_for()
    page.get_by_text("Training accuracy").or_(page.get_by_text("Training RMSE")).first.wait_for()
    rested(page)
    assert picture(page, chart) != "null"
    sound(page)
    # A machine with other work may draw a moment late, so both are looked at until they differ.
    until(page, lambda: len({drawn_at(page, chart, end, "LKRF" in options) for end in (False, True)}) == 2)
    sound(page)
    assert server.trouble() == []


def test_what_nothing_learns_is_shown_by_what_it_reaches(server, page):
    visit(page, server, "train?dataset=moons&method=SVC-rbf&n_samples=200")
    main = page.locator("[data-testid=stMain]")
    assert main.get_by_role("button", name="+1 step").count() == 0  # one step, and no smaller one
    page.get_by_role("button", name="Train", exact=True).click()
    came_to(page, "Finished")
    page.locator(".st-key-function .js-plotly-plot").wait_for()
    page.locator(".st-key-reached .js-plotly-plot").wait_for()
    train, test = json.loads(picture(page, "reached"))
    assert {train["name"], test["name"]} == {"train", "test"}
    shown = main.get_by_role("radio").all_inner_texts()
    assert [name for name in shown if name in ("Spectrum", "Kernel", "Bound")] == []
    sound(page)
    assert server.trouble() == []


def test_a_composition_says_why_it_makes_no_sense_and_what_does_can_be_trained(server, page):
    visit(page, server, "train?dataset=moons&method=Custom&n_features=20&epochs=2&n_samples=100")
    train = page.get_by_role("button", name="Train", exact=True)
    choose(page, "Head", "Support vector classification")
    sentence = page.locator("[data-testid=stSidebar] [data-testid=stAlert]")
    sentence.get_by_text("The head svc works on an exact kernel").wait_for()
    assert train.is_disabled()
    assert page.get_by_text("Nothing can be started yet").count() == 1
    sound(page)
    choose(page, "Map or kernel", "Exact kernel")
    choose(page, "Solver", "Assigned, nothing learned")
    sentence.get_by_text("leaves everything as it was drawn").wait_for()
    page.locator("[data-testid=stSidebar] label").filter(has_text="Learn it").click()
    sentence.wait_for(state="detached")
    page.get_by_role("combobox", name=re.compile("Error weight C")).wait_for()  # of the new head
    train.click()
    came_to(page, "Finished")
    sound(page)
    assert server.trouble() == []


def test_a_method_for_other_data_is_marked_and_refused_beside_its_name(server, page):
    visit(page, server, "train?dataset=moons&method=eSVR-rbf")
    sentence = page.locator("[data-testid=stSidebar] [data-testid=stAlert]")
    sentence.get_by_text("regression head is for regression").wait_for()
    assert page.get_by_role("combobox", name=re.compile("^.*Method")).first.input_value() == "eSVR-rbf (for regression)"
    choose(page, "Method", "SVC-rbf")
    sentence.wait_for(state="detached")
    assert page.get_by_role("button", name="Train", exact=True).is_enabled()
    sound(page)
