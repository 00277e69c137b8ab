"""A lesson as its file has it (TOML): text, scene, prediction, checks, teacher's guide, sources. Data, never code.

Texts may name facts of the computation in braces, {error} or {error:.2f}: the page puts the computed number there, so
that no text states a number of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from kernlab.errors import DataError, KernlabError
from kernlab.lessons.base import COMPUTATIONS, Asked, Computation, Fact
from kernlab.numerals import number

__all__ = ["Lesson", "filled", "lesson_of", "shown"]

_PLACE = re.compile(r"\{([a-z_]+)(?::(\.[0-9]f))?\}")
_IMAGE = re.compile(r"!\[|<[a-zA-Z/!]")


def _plain(text: str) -> str:
    if _IMAGE.search(text):
        raise ValueError("must be text without images and HTML")
    if found := re.search(r"\{[^{}]*\}?|\}", _PLACE.sub("", text)):
        raise ValueError(f"must name facts like {{error}} or {{error:.2f}}, not like {found[0][:30]}")
    return text.strip()


Words = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_plain)]
Paragraphs = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_plain)]
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
Number = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LessonScene(_Part):
    """What is computed: a computation, values of its sliders, and the sliders that a student can move."""

    computation: Key
    values: dict[str, int | Number | str] = {}
    sliders: Annotated[list[Key], Field(max_length=4)] = []


class PossibleAnswer(_Part):
    """One of the choices, and the answer to whoever has chosen it."""

    key: Key
    words: Words
    because: Paragraphs


class LessonQuestion(_Part):
    """The prediction: which answer of the computation is asked for, and how."""

    kind: Literal["choice", "number", "curve"]
    answer: Key
    ask: Words
    choices: Annotated[list[PossibleAnswer], Field(max_length=6)] = []
    low: Number = 0.0
    high: Number = 1.0
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False
    unit: Annotated[str, Field(max_length=30)] = ""
    near: Paragraphs = "That is close."
    below: Paragraphs = "The prediction is too low."
    above: Paragraphs = "The prediction is too high."
    far: Paragraphs = "The two curves differ."

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind == "choice" and len(self.choices) < 2:
            raise ValueError("choices must be at least two where kind is choice")
        if self.kind == "number" and not self.low < self.high:
            raise ValueError("low must be below high")
        if self.kind == "number" and self.scale == "log" and self.low <= 0:
            raise ValueError("low must be above 0 where scale is log")
        return self


class Requirement(_Part):
    """A slider or fact, and the range or value that it must have."""

    what: Key
    above: Number | None = None
    below: Number | None = None
    equals: int | Number | str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.above is None and self.below is None and self.equals is None:
            raise ValueError("must have above, below or equals")
        return self

    def met(self, facts: Mapping[str, Fact]) -> bool:
        """Whether these facts fulfil it."""
        value = facts[self.what]
        if self.equals is not None:
            return value == self.equals
        if isinstance(value, str) or math.isnan(value):
            return False
        return (self.above is None or value > self.above) and (self.below is None or value < self.below)


class Trial(_Part):
    """One of the three things to try, recognised as done when all requirements are met."""

    words: Words
    done: Words
    when: Annotated[list[Requirement], Field(min_length=1, max_length=4)]

    def met(self, facts: Mapping[str, Fact]) -> bool:
        """Whether it is done where these are the facts."""
        return all(each.met(facts) for each in self.when)


class TeachersGuide(_Part):
    """For the teacher: minutes, what students usually predict, what to ask next."""

    minutes: Annotated[int, Field(ge=1, le=120)]
    usually: Paragraphs
    next: Paragraphs


class Lesson(_Part):
    """One lesson.

    Attributes:
        key: its name in an address, from the file's.
        title: of the lesson.
        about: the question behind it, in one sentence that does not answer it.
        claim: what one knows afterwards, in one sentence; facts of the scene in braces.
        question: the text beside the picture, before the prediction.
        scene, prediction, tries, guide, sources: as their classes say.
        answer: the text after it.
    """

    key: Key
    title: Annotated[str, Field(min_length=1, max_length=80)]
    about: Words
    claim: Words
    question: Paragraphs
    scene: LessonScene
    prediction: LessonQuestion
    answer: Paragraphs
    tries: Annotated[list[Trial], Field(min_length=3, max_length=3)]
    guide: TeachersGuide
    sources: Annotated[list[Words], Field(min_length=1, max_length=8)]

    @property
    def computation(self) -> Computation:
        """What its scene computes."""
        return COMPUTATIONS[self.scene.computation]

    @property
    def asked(self) -> Asked:
        """What it asks for."""
        return self.computation.asked[self.prediction.answer]

    @property
    def values(self) -> dict[str, Any]:
        """The values of all sliders where the lesson begins."""
        return {each.key: self.scene.values.get(each.key, each.default) for each in self.computation.sliders}


def lesson_of(key: str, table: Mapping[str, Any]) -> Lesson:
    """The lesson of a file.

    Args:
        key: from the file's name.
        table: what the file says.

    Raises:
        DataError: with a sentence for each of the first three mistakes.
    """
    try:
        lesson = Lesson(**{**table, "key": key})
    except ValidationError as error:
        raise DataError(*_refused(error)) from None
    try:
        mistakes = _contradictions(lesson)
    except KernlabError as error:  # a computation of no such name
        raise DataError(f"scene.computation: {error.must}", error.given, error.fix) from None
    if mistakes:
        raise DataError(" ".join(f"{each}." for each in mistakes[:3]).removesuffix("."), "", "Correct the file")
    return lesson


#: pydantic's beginnings of a sentence, and ours.
_SAID = {
    "Input should be": "must be",
    "Field required": "must be in the file",
    "Extra inputs are not permitted": "is no field of a lesson",
    "String should have": "must have",
    "String should match": "must match",
    "List should have": "must have",
    "Value error, ": "",
}


def _refused(error: ValidationError) -> tuple[str, str, str]:
    sentences = []
    for each in error.errors()[:3]:
        words = each["msg"]
        for theirs, ours in _SAID.items():
            words = words.replace(theirs, ours)
        place = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in each["loc"])
        sentences.append(f"{place} {words}" if place else words)
    given = error.errors()[0]["input"]
    return ". ".join(sentences), repr(given)[:80] if isinstance(given, str | int | float) else "", "Correct the file"


def _contradictions(lesson: Lesson) -> list[str]:
    """Sentences about what does not fit the computation."""
    computation, asks = lesson.computation, lesson.prediction
    sliders = {each.key: each for each in computation.sliders}
    found = [
        f"scene.sliders: {key} is none of {', '.join(sliders)}" for key in lesson.scene.sliders if key not in sliders
    ]
    for key, value in lesson.scene.values.items():
        if key not in sliders:
            found.append(f"scene.values: {key} is none of {', '.join(sliders)}")
        elif value not in sliders[key].values:
            found.append(f"scene.values.{key} must be one of {', '.join(map(str, sliders[key].values))}, not {value}")
    if asks.answer not in computation.asked:
        found.append(f"prediction.answer must be one of {', '.join(computation.asked)}, not {asks.answer}")
    elif (kind := computation.asked[asks.answer].kind) != asks.kind:
        found.append(f"prediction.kind must be {kind} for the answer {asks.answer}, not {asks.kind}")
    known = {*sliders, *computation.facts}
    found += [
        f"tries.{place} names {each.what}, which is none of {', '.join(sorted(known))}"
        for place, trial in enumerate(lesson.tries, 1)
        for each in trial.when
        if each.what not in known
    ]
    asks_words = (asks.ask, asks.near, asks.below, asks.above, asks.far)
    texts = [
        lesson.about,
        lesson.claim,
        lesson.question,
        lesson.answer,
        *asks_words,
        *(each.because for each in asks.choices),
    ]
    texts += [text for trial in lesson.tries for text in (trial.words, trial.done)]
    names = sorted({name for text in texts for name, _ in _PLACE.findall(text)} - known)
    found += [f"the texts name {{{name}}}, which is none of {', '.join(sorted(known))}" for name in names]
    return found


def filled(text: str, facts: Mapping[str, Fact]) -> str:
    """A text with the facts that it names in their places."""

    def put(match: re.Match[str]) -> str:
        value, form = facts[match[1]], match[2]
        return f"{value:{form}}".replace("-", "−") if form and not isinstance(value, str) else shown(value)

    return _PLACE.sub(put, text)


def shown(value: Fact) -> str:
    """A fact as a sentence has it: three digits, whole numbers in full with thin spaces."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return "infinitely many" if value > 0 else "no number"
    if (value == round(value) and abs(value) < 1e15) or abs(value) >= 1000:
        return number(value, None if value == round(value) else 3).replace("-", "−")
    return f"{value:.3g}".replace("-", "−")
