"""The lessons there are: kernlab's own, and those of a folder that a lecturer names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kernlab import paths
from kernlab.errors import DataError, KernlabError
from kernlab.lessons.lesson import Lesson, lesson_of

__all__ = ["Shelf", "shelf"]

_OWN = Path(__file__).with_name("texts")
_LARGEST = 64 * 1024  # bytes of a file
_MOST = 100  # files of a folder


class Shelf(NamedTuple):
    """Lessons by key, in the order of their files' names, and a sentence for each file that is none."""

    lessons: Mapping[str, Lesson]
    troubles: tuple[str, ...]


def shelf(folder: Path | None = None) -> Shelf:
    """kernlab's lessons, then those of ``folder`` (by default of the one that KERNLAB_LESSONS names).

    Files that have not changed are not read again.
    """
    folder = folder or paths.lessons()
    lessons: dict[str, Lesson] = {}
    troubles: list[str] = []
    for place in (_OWN, folder):
        for file in _files(place, troubles):
            try:
                about = file.stat()
                lesson = _read(file, about.st_mtime_ns, about.st_size)
                if lesson.key in lessons:
                    raise DataError("a lesson must have a name of its own", repr(lesson.key), "rename the file")
                lessons[lesson.key] = lesson
            except OSError as error:
                troubles.append(f"{file.name}: the file cannot be read ({error.strerror}).")
            except KernlabError as error:
                troubles.append(f"{file.name}: {error}")
    return Shelf(lessons, tuple(troubles))


def _files(folder: Path | None, troubles: list[str]) -> Iterator[Path]:
    if folder is None:
        return
    try:
        found = sorted(each for each in folder.iterdir() if each.suffix == ".toml" and each.is_file())
    except OSError:
        troubles.append(f"The folder {folder.name} of lessons cannot be read. Given: KERNLAB_LESSONS.")
        return
    if len(found) > _MOST:
        troubles.append(
            f"A folder must have at most {_MOST} lessons. Given: {len(found)}. The first {_MOST} are shown."
        )
    yield from found[:_MOST]


@lru_cache(4 * _MOST)
def _read(file: Path, changed: int, size: int) -> Lesson:
    """The lesson of a file of that time and size.

    Raises:
        DataError: it is none, with what to change.
    """
    if size > _LARGEST:
        raise DataError(f"a lesson must have at most {_LARGEST // 1024} kB", f"{size // 1024} kB", "shorten it")
    try:
        table = tomllib.loads(file.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise DataError("a lesson must be text in UTF-8", "", "save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError("a lesson must be TOML", str(error), "correct the file") from None
    key = re.sub(r"^\d+[-_]", "", file.stem.lower())
    return lesson_of(key, table)
