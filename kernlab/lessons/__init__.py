"""Lessons: one text file each, which asks a question first, and the computations that answer it.

    shelf(folder).lessons["density"]     a lesson: text, scene, prediction, checks, teacher's guide, sources
    COMPUTATIONS["density"]              numbers(**sliders) → NamedTuple → draw(…) → figure; its facts and answers

A lesson holds data and names a computation; a computation is one file here. A new lesson of known computations is a
copy of one file in ``texts/``, in a folder that ``kernlab app --lessons DIR`` names.
"""

from kernlab.lessons.base import COMPUTATIONS, Asked, Computation, Numbers, Sheet
from kernlab.lessons.judging import Judged, judge, read_guess, written_guess
from kernlab.lessons.lesson import Lesson, filled
from kernlab.lessons.shelf import Shelf, shelf
from kernlab.lessons.topics import TOPICS

__all__ = [
    "COMPUTATIONS",
    "TOPICS",
    "Asked",
    "Computation",
    "Judged",
    "Lesson",
    "Numbers",
    "Sheet",
    "Shelf",
    "filled",
    "judge",
    "read_guess",
    "shelf",
    "written_guess",
]
