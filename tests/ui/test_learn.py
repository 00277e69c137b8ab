"""The Learn page without a browser: what is predicted, seen and tried stands in its address; a room is a code."""

import re

import numpy as np
import pytest
from opening import address, button, components, errors, figures, opened, press, sound, words
from serving import ROOT

from kernlab import paths
from kernlab.lessons import shelf, written_guess
from kernlab.lessons.rooms import ROOMS
from kernlab.ui.learn import address_of

LESSONS = shelf().lessons


def test_the_list_asks_and_does_not_tell():
    app = sound(opened("learn"))
    text = words(app)
    for lesson in LESSONS.values():
        assert lesson.about in text
    claim = LESSONS["proof"].claim
    assert claim[:20] not in text


@pytest.mark.parametrize("key", LESSONS)
def test_a_lesson_asks_then_answers_and_recognises_what_is_tried(key):
    lesson = LESSONS[key]
    app = sound(opened("learn", lesson=key))
    (asked,) = components(app, "predict").values()
    assert asked["kind"] == lesson.prediction.kind
    assert "your prediction" not in str(figures(app))
    truth = lesson.asked.answer(lesson.computation.at(**lesson.values))
    if lesson.prediction.kind == "number" and lesson.prediction.whole:
        truth = float(round(truth))
    app = sound(opened("learn", **address_of(lesson, truth)))
    assert components(app, "predict") == {}
    assert len(app.success) == 1  # what is predicted so well is close
    assert words(app, "markdown").count(":material/radio_button_unchecked:") == 3
    assert "tried" not in address(app)


def test_sliders_are_moved_and_each_thing_is_recognised_once_and_kept():
    app = sound(opened("learn", lesson="rank", step="answer", guess="9"))
    assert "2 bars too high" in app.info[0].value

    def tried():
        return address(app).get("tried", ""), words(app, "markdown").count(":material/check_circle:")

    app.selectbox[0].select("squares").run()
    assert tried() == ("1", 1)
    app.selectbox[0].select("trace norm").run()
    assert tried() == ("1", 1)  # it stays done
    app.select_slider[0].set_value(0.15).run()
    assert tried() == ("1.2", 2)
    app.select_slider[0].set_value(0.3).run()
    assert tried() == ("1.2.3", 3)
    assert address(app) == {"lesson": "rank", "step": "answer", "guess": "9", "tried": "1.2.3", "strength": "0.3"}
    sound(app)
    again = sound(opened("learn", **address(app)))  # the address restores the scene
    assert figures(again) == figures(app)


def test_the_distance_of_a_curve_and_its_reason_are_stated():
    lesson = LESSONS["density"]
    known = lesson.asked.known(lesson.computation.at(**lesson.values))
    app = sound(opened("learn", **address_of(lesson, known)))
    assert re.search(r"\*\*4\d %\*\* lies below only one of them\. .* twice as wide", app.info[0].value)
    assert "your prediction" in str(figures(app))


def test_what_is_wrong_in_an_address_is_a_sentence():
    assert "did you mean density" in errors(opened("learn", lesson="densty"))[0].casefold()
    app = opened("learn", lesson="rank", step="answer", guess="eleven", strength="0.17", room="AAAAA")
    (sentence,) = errors(app)
    for each in ("from 0 to 10", "strength must be one of 0, 0.01", "a room must be open"):
        assert each in sentence
    assert len(components(app, "predict")) == 1  # so that it can be predicted after all


def test_a_lecturer_opens_a_room_and_students_predict_into_it():
    app = sound(opened("learn", lesson="proof"))
    app = sound(press(app, "Open a room"))
    here = address(app)
    code, key = here["room"], here["key"]
    assert components(app, "predict") == {}  # the lecturer does not predict
    (shown,) = components(app, "room").values()
    assert (shown["code"], shown["key"], shown["truth"]) == (code, key, None)
    assert len(shown["labels"]) == 5
    links = [each.value for each in app.code]  # that one gives away: without the key
    assert [f"room={code}" in each for each in links] == [True]
    assert key not in links[0]
    student = sound(opened("learn", lesson="proof", room=code))
    (form,) = components(student, "predict").values()
    assert form["room"] == code
    assert components(student, "room") == {}
    app = sound(press(app, "Show the answer"))
    (shown,) = components(app, "room").values()
    assert shown["truth"] == 2
    ROOMS.check(code)
    # A code can be entered by hand; one of no room is a sentence.
    other = sound(opened("learn"))
    other.text_input[0].set_value(code.lower()).run()
    assert address(sound(other))["room"] == code
    wrong = opened("learn", lesson="proof")
    wrong.text_input[0].set_value("XXXXX").run()
    assert "a room must be open" in errors(wrong)[0]


@pytest.mark.parametrize("key", ["random-features", "density"])
def test_the_histogram_knows_where_the_answer_is(key):
    code, secret = ROOMS.open()
    lesson = LESSONS[key]
    truth = lesson.asked.answer(lesson.computation.at(**lesson.values))
    app = sound(opened("learn", lesson=key, step="answer", room=code, key=secret))
    (shown,) = components(app, "room").values()
    if key == "density":
        assert ".".join(str(round(each)) for each in shown["truth"]) == written_guess(lesson, truth)
    else:
        low, high = (float(each.replace("\u202f", "")) for each in shown["labels"][shown["truth"]].split(" – "))
        assert 0.95 * low <= truth <= 1.05 * high
        assert np.isclose(float(shown["labels"][0].split(" – ")[0]), 10)


def test_lessons_of_a_folder_are_on_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv(paths.LESSONS, str(tmp_path))
    text = (ROOT / "kernlab/lessons/texts/09-proof.toml").read_text("utf-8")
    (tmp_path / "11-mine.toml").write_text(text.replace("Frames, and a proof with a mistake in it", "Mine"), "utf-8")
    (tmp_path / "12-bad.toml").write_text("title = 3", "utf-8")
    app = sound(opened("learn"))
    assert ["12-bad.toml" in each.value for each in app.warning] == [True]
    app = sound(opened("learn", lesson="mine"))
    assert app.title[0].value.endswith("Mine")
    assert button(app, "Open a room")
