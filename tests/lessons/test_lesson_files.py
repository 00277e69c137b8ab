"""Lessons as files: every one is whole and can be played; a mistake in one is a sentence; others go on working."""

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from kernlab import paths
from kernlab.cli import main
from kernlab.errors import KernlabError
from kernlab.lessons import COMPUTATIONS, TOPICS, filled, judge, read_guess, shelf, written_guess
from kernlab.lessons import lesson as lessons
from kernlab.lessons.base import POINTS
from kernlab.lessons.shelf import _OWN
from kernlab.ui.learn import ADDRESS

FILES = sorted(_OWN.glob("*.toml"))
LESSONS = shelf().lessons
KEYS = [
    "random-features",
    "density",
    "diagonal",
    "bandwidth",
    "rank",
    "bound",
    "landmarks",
    "shell",
    "proof",
    "difference",
    "descent",
]
GOOD = FILES[0].read_text("utf-8")


def test_they_stand_in_this_order_and_each_computation_is_used():
    assert list(LESSONS) == KEYS
    assert shelf().troubles == ()
    assert {each.computation.name for each in LESSONS.values()} == set(COMPUTATIONS)
    assert len(TOPICS) == len(COMPUTATIONS)
    assert sum(each.prediction.kind == "curve" for each in LESSONS.values()) >= 2


@pytest.mark.parametrize("key", KEYS)
def test_a_lesson_is_whole(key):
    lesson, facts = LESSONS[key], LESSONS[key].computation.known(**LESSONS[key].values)
    for text in (lesson.claim, lesson.question, lesson.answer):
        assert "{" not in filled(text, facts)
    # No formula and no Greek letter before the picture that needs it (a proof is read for its formulas).
    if key != "proof":
        assert not re.search(r"\$|[α-ωΑ-Ω]|‖", lesson.question + lesson.prediction.ask)
    # It fits beside its picture: about a hundred and fifty words.
    assert len(lesson.question.split()) < 160
    assert len(lesson.answer.split()) < 110
    # The answer states computed numbers, never numbers of its own.
    assert re.search(r"\{[a-z_]+", lesson.answer)
    assert re.search(r"\{[a-z_]+", lesson.claim)
    used = {*(each.key for each in lesson.computation.sliders)}
    assert not used & {key for table in ADDRESS.tables for key in table}


@pytest.mark.parametrize("key", KEYS)
def test_all_of_its_pictures_are_drawn(key):
    lesson = LESSONS[key]
    numbers = lesson.computation.at(**lesson.values)
    truth = lesson.asked.answer(numbers)
    guess = read_guess(
        lesson,
        written_guess(
            lesson,
            truth
            if not isinstance(truth, float)
            else float(np.clip(truth, lesson.prediction.low, lesson.prediction.high)),
        ),
    )
    drawn = [
        lesson.computation.draw(numbers, seen, given) for seen, given in ((False, None), (True, None), (True, guess))
    ]
    assert all(isinstance(each, go.Figure) for each in drawn)
    asked, without, seen = (each.to_json() for each in drawn)
    assert "your prediction" not in asked + without
    assert "your prediction" in seen or lesson.prediction.kind == "choice"
    assert len(without) > len(asked)  # the question's picture holds less than the answer's


@pytest.mark.parametrize("key", KEYS)
def test_the_true_answer_is_close_and_a_false_one_is_not(key):
    lesson = LESSONS[key]
    asks, truth = lesson.prediction, lesson.asked.answer(lesson.computation.at(**lesson.values))
    assert judge(lesson, truth).near
    if asks.kind == "choice":
        wrong = next(each.key for each in asks.choices if each.key != truth)
    elif asks.kind == "number":
        assert asks.low <= truth <= asks.high
        wrong = asks.low if truth > (asks.low * asks.high) ** 0.5 else asks.high
    else:
        wrong = np.full(POINTS, lesson.asked.sheet.y[1])
    far = judge(lesson, wrong)
    assert not far.near
    assert far.distance > judge(lesson, truth).distance
    assert "{" not in far.words + far.because


@pytest.mark.parametrize("key", KEYS)
def test_each_of_the_three_things_can_be_done_and_none_is_done_by_itself(key):
    lesson = LESSONS[key]
    sliders = {each.key: each for each in lesson.computation.sliders if each.key in lesson.scene.sliders}
    found = {}
    # One slider moved, then two: a student finds it.
    for count in (0, 1, 2):
        for keys in itertools.combinations(sliders, count):
            for values in itertools.product(*(sliders[each].values for each in keys)):
                if len(found) == 3:
                    break
                facts = lesson.computation.known(**{**lesson.values, **dict(zip(keys, values, strict=True))})
                for place, trial in enumerate(lesson.tries):
                    if place not in found and trial.met(facts):
                        found[place] = count
                        assert "{" not in filled(trial.done, facts)
    assert sorted(found) == [0, 1, 2]
    assert 0 not in found.values()


# -- files that are none ---------------------------------------------------------------------------------------


def refusal(table):
    with pytest.raises(KernlabError) as caught:
        lessons.lesson_of("mine", table)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.pop("title"), "title must be in the file"),
        (lambda t: t.update(colour="red"), "colour is no field of a lesson"),
        (lambda t: t["scene"].update(computation="densities"), "Did you mean density"),
        (lambda t: t["scene"]["values"].update(waves=7), "scene.values.waves must be one of 1, 2, 5"),
        (lambda t: t["scene"].update(sliders=["speed"]), "scene.sliders: speed is none of waves, scale, number"),
        (lambda t: t["prediction"].update(kind="choice", choices=[]), "choices must be at least two"),
        (lambda t: t["prediction"].update(kind="curve"), "prediction.kind must be number for the answer needed"),
        (lambda t: t["prediction"].update(low=5e4), "low must be below high"),
        (lambda t: t["prediction"].update(low=0), "low must be above 0 where scale is log"),
        (lambda t: t["prediction"].update(high=float("inf")), "must be a finite number"),
        (lambda t: t["prediction"].update(answer="error"), "prediction.answer must be one of needed"),
        (lambda t: t["tries"].pop(), "tries must have at least 3 items"),
        (lambda t: t["tries"][1]["when"].append({"what": "luck", "above": 1}), "tries.2 names luck"),
        (lambda t: t["tries"][1]["when"].append({"what": "error"}), "must have above, below or equals"),
        (lambda t: t.update(answer="It is {wonderful}."), "the texts name {wonderful}"),
        (lambda t: t.update(answer="{error.__class__}"), "not like {error.__class__}"),
        (lambda t: t.update(answer="![](//elsewhere/x.png)"), "answer must be text without images and HTML"),
        (lambda t: t.update(answer="<script>"), "answer must be text without images and HTML"),
        (lambda t: t.update(question="word " * 500), "question must have at most 2000 characters"),
        (lambda t: t["guide"].update(minutes="long"), "guide.minutes must be a valid integer"),
    ],
)
def test_a_mistake_is_a_sentence(change, words):
    table = tomllib.loads(GOOD)
    change(table)
    assert words in refusal(table)


def test_a_folder_adds_its_lessons_and_a_bad_file_spoils_none(tmp_path):
    (tmp_path / "11-mine.toml").write_text(GOOD.replace("From a kernel to random features", "Mine"), "utf-8")
    (tmp_path / "12-density.toml").write_text(GOOD, "utf-8")
    (tmp_path / "13-latin.toml").write_bytes(b'title = "\xe4"')
    (tmp_path / "14-torn.toml").write_text("title = ", "utf-8")
    (tmp_path / "15-large.toml").write_text("# " + "x" * 70_000, "utf-8")
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    found = shelf(tmp_path)
    assert list(found.lessons) == [*KEYS, "mine"]
    assert found.lessons["mine"].title == "Mine"
    troubles = " ".join(found.troubles)
    assert len(found.troubles) == 4
    for words in (
        "12-density.toml: a lesson must have a name of its own",
        "13-latin.toml: a lesson must be text in UTF-8",
        "14-torn.toml: a lesson must be TOML",
        "15-large.toml: a lesson must have at most 64 kB",
    ):
        assert words in troubles
    (tmp_path / "14-torn.toml").write_text(GOOD, "utf-8")  # corrected: it is read again
    assert "torn" in shelf(tmp_path).lessons
    assert shelf(tmp_path / "gone").troubles != ()


def test_the_command_line_takes_a_folder(tmp_path, monkeypatch, capsys):
    started = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda *args, **options: started.append(paths.lessons()))
    monkeypatch.setenv(paths.LESSONS, "")  # set back afterwards
    with pytest.raises(SystemExit) as ended:
        main(["app", "--lessons", str(tmp_path / "nothing"), "--no-browser"])
    assert ended.value.code == 2
    assert "--lessons must name a folder" in capsys.readouterr().err
    assert not started
    monkeypatch.setattr("kernlab.ui.server.check_port", lambda host, port: None)
    with pytest.raises(SystemExit):
        main(["app", "--lessons", str(tmp_path), "--no-browser"])
    assert started == [Path(tmp_path).resolve()]


@pytest.mark.parametrize("text", ["", "x", "nan", "9", "10001", "1e999"])
def test_an_impossible_prediction_is_refused(text):
    with pytest.raises(KernlabError):
        read_guess(LESSONS["random-features"], text)


@pytest.mark.parametrize("text", ["1.2", ".".join(["50"] * 40), ".".join(["101"] * POINTS), ".".join(["²"] * POINTS)])
def test_an_impossible_curve_is_refused(text):
    with pytest.raises(KernlabError):
        read_guess(LESSONS["density"], text)


def test_a_curve_survives_its_address():
    lesson = LESSONS["density"]
    text = ".".join(str((7 * each) % 101) for each in range(POINTS))
    assert written_guess(lesson, read_guess(lesson, text)) == text
