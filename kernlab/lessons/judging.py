"""How far off a prediction was: of a choice, of a number, and of a drawn curve."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kernlab.errors import OptionError
from kernlab.lessons.base import POINTS, Guess, Vector
from kernlab.lessons.lesson import Lesson, filled, shown

__all__ = ["Judged", "judge", "read_guess", "written_guess"]

NEAR_FACTOR = 1.5  # on a logarithmic scale a prediction within this factor is close
NEAR_SHARE = 0.1  # on a linear one, within this share of its length
NEAR_CURVE = 0.2  # of a curve: the share of the area below either that lies below only one
_LEVELS = 100  # heights of a curve in an address


class Judged(NamedTuple):
    """A prediction beside the answer.

    Attributes:
        near: it is right, or close.
        distance: how far off: 0 or 1 of a choice; the difference, or the factor (≥ 1), of a number; of a curve
            the share of the area below it or the computed one that lies below only one of them.
        words: the same in a sentence.
        because: why.
    """

    near: bool
    distance: float
    words: str
    because: str


def judge(lesson: Lesson, guess: Guess) -> Judged:
    """The prediction beside what the lesson's scene computes."""
    facts = lesson.computation.known(**lesson.values)
    truth = lesson.asked.answer(lesson.computation.at(**lesson.values))
    found = {"choice": _choice, "number": _number, "curve": _curve}[lesson.prediction.kind](lesson, guess, truth)
    return found._replace(because=filled(found.because, facts))


def _choice(lesson: Lesson, guess: Any, truth: Any) -> Judged:
    words = {each.key: each for each in lesson.prediction.choices}
    right = guess == truth
    text = f"**“{words[guess].words}”** is what happens." if right else (
        f"You predicted **“{words[guess].words}”**. The computation finds **“{words[str(truth)].words}”**."
    )  # fmt: skip
    return Judged(right, float(not right), text, words[guess].because)


def _number(lesson: Lesson, guess: Any, truth: Any) -> Judged:
    asks = lesson.prediction
    text = f"You predicted **{_with(guess, asks.unit)}**, the computation finds **{_with(truth, asks.unit)}**"
    if asks.scale == "log":
        distance = max(guess, truth) / min(guess, truth) if min(guess, truth) > 0 else math.inf
        near = distance <= NEAR_FACTOR
        off = f"{shown(float(f'{distance:.2g}'))} times too {'low' if guess < truth else 'high'}"
    else:
        distance = abs(guess - truth)
        near = distance <= NEAR_SHARE * (asks.high - asks.low)
        unit = "points" if asks.unit == "%" else asks.unit  # the difference of two percentages is none
        off = f"{_with(distance, unit)} too {'low' if guess < truth else 'high'}"
    text += ": exactly that." if guess == truth else f": {off}."
    return Judged(near, distance, text, asks.near if near else asks.below if guess < truth else asks.above)


def _with(value: float, unit: str) -> str:
    """A number with its unit, of one in the singular."""
    one = shown(value) == "1" and len(unit) > 1
    return f"{shown(value)} {unit.removesuffix('s') if one else unit}".rstrip()


def _curve(lesson: Lesson, guess: Any, truth: Any) -> Judged:
    sheet = lesson.asked.sheet
    assert sheet
    one, other = np.asarray(guess) - sheet.y[0], np.asarray(truth) - sheet.y[0]
    distance = float(np.abs(one - other).sum() / np.maximum(one, other).sum())
    near = distance <= NEAR_CURVE
    text = f"Of the area below your curve and the computed one, **{100 * distance:.0f} %** lies below only one of them."
    return Judged(near, distance, text, lesson.prediction.near if near else lesson.prediction.far)


def written_guess(lesson: Lesson, guess: Guess) -> str:
    """A prediction as an address has it."""
    if isinstance(guess, str):
        return guess
    if isinstance(guess, np.ndarray):
        sheet = lesson.asked.sheet
        assert sheet
        low, high = sheet.y
        return ".".join(str(round(level)) for level in _LEVELS * (guess - low) / (high - low))
    return f"{guess:.6g}"


def read_guess(lesson: Lesson, text: str) -> Guess:
    """The prediction that a text stands for.

    Raises:
        OptionError: it stands for none.
    """
    asks = lesson.prediction
    if asks.kind == "choice":
        keys = [each.key for each in asks.choices]
        if text not in keys:
            raise OptionError(f"the prediction must be one of {', '.join(keys)}", repr(text[:40]))
        return text
    if asks.kind == "number":
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not asks.low <= value <= asks.high:
            raise OptionError(f"the prediction must be a number from {asks.low:g} to {asks.high:g}", repr(text[:40]))
        return float(round(value)) if asks.whole else value
    return _heights(lesson, text)


def _heights(lesson: Lesson, text: str) -> Vector:
    levels = text.split(".")
    if len(levels) != POINTS or not all(each.isdecimal() and int(each) <= _LEVELS for each in levels):
        raise OptionError(f"the prediction must be {POINTS} whole numbers from 0 to {_LEVELS} with dots between them")
    sheet = lesson.asked.sheet
    assert sheet
    low, high = sheet.y
    return low + (high - low) * np.array([int(each) for each in levels]) / _LEVELS
