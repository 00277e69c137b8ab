"""The Learn page: a lesson asks, a person predicts, the computation answers, and three things are tried.

What is open stands in the address: lesson, step, prediction, the values of the sliders, what has been tried, the room.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from kernlab.errors import KernlabError
from kernlab.lessons import Lesson, Shelf, filled, judge, read_guess, shelf, written_guess
from kernlab.lessons.base import POINTS, Guess
from kernlab.lessons.lesson import shown
from kernlab.lessons.rooms import BINS, ROOMS
from kernlab.ui import rooms
from kernlab.ui.assets import component
from kernlab.ui.chart import live_chart, to_json
from kernlab.ui.heading import heading
from kernlab.ui.links import link
from kernlab.ui.state import Address, Value, Values, name, one_of, to_text

__all__ = ["ADDRESS", "OPEN", "page"]

STEPS = ("question", "answer")
#: The lesson ("": the list of them), its step, the prediction, the things tried, the room and the lecturer's key.
OPEN = Values(
    "learn",
    name("lesson", "", lambda: ("", *shelf().lessons)),
    name("step", "question", lambda: STEPS),
    Value("guess"),
    Value("tried"),
    Value("room"),
    Value("key"),
)
ADDRESS = Address("learn", OPEN)

_component = component("predict", "predict.js")


def _sliders(lesson: Lesson) -> Values:
    """The sliders of a lesson, each with the value that its scene begins with."""
    found = [
        one_of(each.key, lesson.values[each.key], each.values)
        for each in lesson.computation.sliders
        if each.key in lesson.scene.sliders
    ]
    return Values(f"learn.{lesson.key}", *found)


def _arrive(found: Shelf, rest: dict[str, str]) -> None:
    """Take the rest of an address, whose lesson is open."""
    sentences = []
    if lesson := found.lessons.get(OPEN["lesson"]):
        sentences = _sliders(lesson).read(rest)
        try:
            _guess(lesson)
        except KernlabError as error:
            sentences.append(str(error))
            OPEN.change(guess="", step="question")
    if OPEN["room"]:
        try:
            ROOMS.check(OPEN["room"])
        except KernlabError as error:
            sentences.append(str(error))
            OPEN.change(room="", key="")
    if sentences:
        ADDRESS.trouble = f"{ADDRESS.trouble} {' '.join(sentences)} (In the address of this page.)".strip()


def _guess(lesson: Lesson) -> Guess | None:
    return read_guess(lesson, OPEN["guess"]) if OPEN["guess"] else None


def _tried() -> set[int]:
    return {int(each) for each in OPEN["tried"].split(".") if each in ("1", "2", "3")}


def _room() -> dict[str, str]:
    """What of the room a link to another lesson keeps."""
    return {key: OPEN[key] for key in ("room", "key") if OPEN[key]}


def page() -> None:
    """All of the page."""
    found = shelf()
    ADDRESS.arrive(partial(_arrive, found))
    lesson = found.lessons.get(OPEN["lesson"])
    if lesson is None:
        _list(found)
    else:
        st.fragment(_lesson)(found, lesson)


# -- the list --------------------------------------------------------------------------------------------------


def _list(found: Shelf) -> None:
    ADDRESS.write(without=("step", "guess", "tried"))
    with heading("Learn"):
        _class(None)
        if not OPEN["key"]:
            ADDRESS.share()
    ADDRESS.show_trouble()
    st.markdown(
        "Each lesson begins with a question: **predict**, then see what the computation finds, then try three things."
    )
    half = math.ceil(len(found.lessons) / 2)  # a column after the other on a phone, so that the order stays
    columns = st.columns(2, gap="medium")
    for place, lesson in enumerate(found.lessons.values(), 1):
        with columns[place > half].container(border=True, key=f"lesson-{lesson.key}", gap=None):
            link(
                "learn",
                f"**{place} · {lesson.title}** · {lesson.guide.minutes}\N{NO-BREAK SPACE}min",
                ":material/school:",
                lesson=lesson.key,
                **_room(),
            )
            st.caption(lesson.about)
    for sentence in found.troubles:
        st.warning(sentence, icon=":material/warning:")
    with st.expander("For teachers: a class, and lessons of your own", icon=":material/co_present:"):
        st.markdown(
            "**In class**: *In class* above opens a room, which is a short code. Students open the link, or enter the "
            "code here, and predict; your own address shows the histogram of their predictions, and resets it. "
            "Nothing personal is kept, and the room is forgotten after some hours.\n\n"
            "**Each lesson** has a guide for teachers at its head: how long it takes, what students usually predict, "
            "what to ask next.\n\n"
            "**A lesson of your own** is one text file: copy one of `kernlab/lessons/texts`, change it, and start "
            "`kernlab app --lessons FOLDER`. Such files hold data, not code. They name these computations:"
        )
        from kernlab.lessons import COMPUTATIONS

        st.dataframe(
            [
                {
                    "computation": each.name,
                    "sliders": ", ".join(slider.key for slider in each.sliders),
                    "facts": ", ".join(each.facts),
                    "answers": ", ".join(f"{key} ({asked.kind})" for key, asked in each.asked.items()),
                }
                for each in COMPUTATIONS.values()
            ],
            hide_index=True,
        )


def _class(lesson: Lesson | None) -> None:
    """The room: open one, enter one, or its code and link."""
    label = f"Room {OPEN['room']}" if OPEN["room"] else "In class"
    with st.popover(label, icon=":material/groups:", help="A room, in which everybody's predictions are counted"):
        if OPEN["room"]:
            here = str(st.context.url or "").split("?")[0]
            st.markdown("Students open this link, or enter the code under *In class*:")
            st.code(
                f"{here}?{f'lesson={lesson.key}&' if lesson else ''}room={OPEN['room']}", language=None, wrap_lines=True
            )
            if OPEN["key"]:
                st.caption("The address of your own page holds the key that resets the histogram: do not share it.")
            st.button("Leave the room", icon=":material/logout:", on_click=lambda: OPEN.change(room="", key=""))
            return
        st.button(
            "Open a room",
            icon=":material/meeting_room:",
            on_click=_open,
            key="room-open",
            help="For lecturers: this page then shows a histogram of everybody's predictions",
        )
        st.text_input("Or enter a room's code", max_chars=5, key="room-code", on_change=_enter)


def _open() -> None:
    try:
        code, key = ROOMS.open()
        OPEN.change(room=code, key=key)
        ADDRESS.trouble = ""
    except KernlabError as error:
        ADDRESS.trouble = str(error)


def _enter() -> None:
    code = str(st.session_state["room-code"]).strip().upper()
    try:
        ROOMS.check(code)
        OPEN.change(room=code, key="")
        ADDRESS.trouble = ""
    except KernlabError as error:
        ADDRESS.trouble = str(error)


# -- a lesson --------------------------------------------------------------------------------------------------


def _lesson(found: Shelf, lesson: Lesson) -> None:
    sliders, seen = _sliders(lesson), OPEN["step"] == "answer"
    values = {**lesson.values, **(sliders.now() if seen else {})}
    facts = lesson.computation.known(**values)
    done = _tried()
    if seen:
        done |= {place for place, trial in enumerate(lesson.tries, 1) if trial.met(facts)}
        OPEN.change(tried=".".join(map(str, sorted(done))))
    ADDRESS.write(sliders.written() if seen else {}, without=() if seen else ("guess",))
    _head(found, lesson)
    ADDRESS.show_trouble()
    left, right = st.columns([5, 6], gap="medium")
    with right, st.container(key="lesson-picture"):
        drawn = not seen and lesson.prediction.kind == "curve"
        live_chart(
            _figure(lesson.computation.name, tuple(values.items()), seen, OPEN["guess"] if seen else "", lesson.key),
            key=f"lesson-{lesson.key}",
            alt=lesson.computation.alt,
            height=300 if drawn else 550 if seen else 480,
        )
        if drawn and not OPEN["key"]:
            _predict(lesson)
        if seen:
            _controls(lesson, sliders)
    with left:  # after the picture, which a slider waits for
        if seen:
            _answer(lesson, _guess(lesson))
        else:
            _question(lesson)
    if seen:
        _tries(lesson, facts, done, left)
        with left:
            _after(found, lesson)


def _head(found: Shelf, lesson: Lesson) -> None:
    place = list(found.lessons).index(lesson.key) + 1
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(f"{place} · {lesson.title}", anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", key="lesson-links", width="content"):
            link("learn", "All lessons", ":material/list:", **_room())
            with st.popover("For teachers", icon=":material/co_present:", help="Minutes, predictions, what to ask"):
                guide = lesson.guide
                st.markdown(
                    f"**It takes** {guide.minutes} minutes.\n\n**Students usually predict.** {guide.usually}\n\n"
                    f"**Ask next.** {guide.next}"
                )
                if OPEN["step"] == "question":
                    st.button("Show the answer", icon=":material/visibility:", on_click=_show, key="lesson-show",
                              help="Without a prediction")  # fmt: skip
            _class(lesson)
            if not OPEN["key"]:  # the address holds the lecturer's key; the room's link is there under its code
                ADDRESS.share()


def _question(lesson: Lesson) -> None:
    facts = lesson.computation.known(**lesson.values)
    st.markdown(filled(lesson.question, facts))
    if OPEN["key"]:
        with st.container(key="present-words"):
            st.markdown(f"**{filled(lesson.prediction.ask, facts)}**")
        _histogram(lesson)
    elif lesson.prediction.kind != "curve":
        _predict(lesson)
    # The step of a presentation; alone at one's own screen one predicts first, so the style of the page hides it.
    with st.container(key="lesson-step" if OPEN["key"] else "lesson-step-hidden"):
        st.button("Show the answer", type="primary", icon=":material/visibility:", on_click=_show, key="step-next")


def _show() -> None:
    OPEN.change(step="answer", guess="")


def _again() -> None:
    OPEN.change(step="question", guess="")
    state = st.session_state
    state["learn.begun"] = state.get("learn.begun", 0) + 1


def _predict(lesson: Lesson) -> None:
    """The form of the prediction (predict.js)."""
    asks, facts = lesson.prediction, lesson.computation.known(**lesson.values)
    given: dict[str, Any] = {
        "kind": asks.kind,
        "lesson": lesson.key,
        "ask": filled(asks.ask, facts),
        "room": OPEN["room"],
        "begun": f"{lesson.key} {st.session_state.get('learn.begun', 0)}",
    }
    if asks.kind == "choice":
        given["choices"] = [[each.key, filled(each.words, facts)] for each in asks.choices]
    elif asks.kind == "number":
        given |= {"low": asks.low, "high": asks.high, "scale": asks.scale, "whole": asks.whole, "unit": asks.unit}
    else:
        given |= _sheet(lesson)

    def take() -> None:
        text = str(st.session_state[key]["guess"] or "")
        try:
            read_guess(lesson, text)
            OPEN.change(step="answer", guess=text)
        except KernlabError as error:
            ADDRESS.trouble = str(error)

    key = f"predict-{lesson.key}"
    _component(key=key, data=given, on_guess_change=take)


def _sheet(lesson: Lesson) -> dict[str, Any]:
    """The sheet that a curve is drawn into."""
    asked = lesson.asked
    assert asked.sheet
    given = {
        "points": POINTS,
        "x": asked.sheet.x,
        "y": asked.sheet.y,
        "x_name": asked.sheet.x_name,
        "y_name": asked.sheet.y_name,
        "known_name": asked.sheet.known,
        "known": None,
    }
    if asked.known:
        given["known"] = _shares(lesson, asked.known(lesson.computation.at(**lesson.values)))
    return given


def _shares(lesson: Lesson, values: Any) -> list[float]:
    """A curve in shares of the sheet's height."""
    assert lesson.asked.sheet
    low, high = lesson.asked.sheet.y
    return [round(float(each), 4) for each in np.clip((np.asarray(values) - low) / (high - low), 0, 1)]


def _answer(lesson: Lesson, guess: Guess | None) -> None:
    facts = lesson.computation.known(**lesson.values)
    with st.container(key="lesson-claim"), st.container(key="present-words"):
        st.markdown(f"**{filled(lesson.claim, facts)}**")
    if guess is not None:
        judged = judge(lesson, guess)
        box = st.success if judged.near else st.info
        box(f"{judged.words} {judged.because}", icon=":material/check_circle:" if judged.near else ":material/info:")
    else:
        st.caption(filled(lesson.prediction.ask, facts))
    st.markdown(filled(lesson.answer, facts))


def _tries(lesson: Lesson, facts: Mapping[str, Any], done: set[int], place: Any) -> None:
    with place.container(key="lesson-tries", gap="small"):
        st.markdown("**Try**")
        for number, trial in enumerate(lesson.tries, 1):
            if number in done:
                met = trial.met(facts)
                praise = f" **{filled(trial.done, facts) if met else 'Done.'}**"
                st.markdown(f":material/check_circle: {filled(trial.words, facts)}{praise}")
            else:
                st.markdown(f":material/radio_button_unchecked: {filled(trial.words, facts)}")


def _after(found: Shelf, lesson: Lesson) -> None:
    """The histogram of a room, and the ways on."""
    if OPEN["key"]:
        _histogram(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson-after"):
        st.button("Predict again", icon=":material/replay:", on_click=_again, key="step-previous")
        keys = list(found.lessons)
        if (after := keys.index(lesson.key) + 1) < len(keys):
            following = found.lessons[keys[after]]
            link("learn", f"Next: {following.title}", ":material/arrow_forward:", lesson=following.key, **_room())
    st.caption("Sources: " + " ".join(lesson.sources))


def _histogram(lesson: Lesson) -> None:
    asks, seen = lesson.prediction, OPEN["step"] == "answer"
    computation = lesson.computation
    truth = lesson.asked.answer(computation.at(**lesson.values))
    given: dict[str, Any] = {"kind": asks.kind}
    if asks.kind == "choice":
        facts = computation.known(**lesson.values)
        keys = [each.key for each in asks.choices]
        given |= {"labels": [filled(each.words, facts) for each in asks.choices], "truth": keys.index(str(truth))}
    elif asks.kind == "number":
        space = np.geomspace if asks.scale == "log" else np.linspace
        ends = space(asks.low, asks.high, BINS + 1)
        labels = [f"{_short(low)} – {_short(high)}" for low, high in pairwise(ends)]
        place = min(max(int(np.searchsorted(ends, float(truth), "right")) - 1, 0), BINS - 1)
        given |= {"labels": labels, "truth": place}
    else:
        given |= {"known": _sheet(lesson)["known"], "truth": _shares(lesson, truth)}
        given = {
            key: [100 * each for each in value] if isinstance(value, list) else value for key, value in given.items()
        }
    rooms.histogram(OPEN["room"], lesson, OPEN["key"], given if seen else {**given, "truth": None})


def _short(value: float) -> str:
    return shown(float(f"{value:.2g}"))


def _controls(lesson: Lesson, sliders: Values) -> None:
    known = [each for each in lesson.computation.sliders if each.key in sliders]
    for place, slider in zip(st.columns(len(known)) if known else [], known, strict=True):
        with place:
            rest = sliders.widget(slider.key)
            if isinstance(slider.default, str):
                st.selectbox(
                    slider.label,
                    slider.values,
                    slider.values.index(sliders[slider.key]),
                    **rest,
                    format_func=str.capitalize,
                )
            else:
                st.select_slider(slider.label, slider.values, sliders[slider.key], **rest, format_func=shown)


@lru_cache(256)
def _figure(computation: str, values: tuple[tuple[str, Any], ...], seen: bool, guess: str, key: str) -> str:
    """The picture as JSON; a class that looks at the same scene is drawn once."""
    lesson = shelf().lessons[key]
    made = lesson.computation
    return to_json(made.draw(made.at(**dict(values)), seen, read_guess(lesson, guess) if guess else None))


def address_of(lesson: Lesson, guess: Guess, **values: Any) -> dict[str, str]:
    """The address of a lesson's answer with a prediction and values of its sliders."""
    return {
        "lesson": lesson.key,
        "step": "answer",
        "guess": written_guess(lesson, guess),
        **{key: to_text(value) for key, value in values.items()},
    }
