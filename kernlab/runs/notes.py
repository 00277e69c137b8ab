"""Notes that a person pins to moments of a run: one short text a step, kept in a file of the run's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from kernlab.errors import OptionError, StoreError
from kernlab.files import write

__all__ = ["LONGEST", "Note", "put", "read"]

LONGEST = 280  # characters of a note
MOST = 200  # notes of a run


@dataclass(frozen=True)
class Note:
    """A text at a moment.

    Attributes:
        step: of the snapshot that it is pinned to; it is also what an address calls the note.
        epoch: of that snapshot.
        text: one line.
    """

    step: Annotated[int, Field(ge=0, lt=2**63)]
    epoch: Annotated[float, Field(ge=0, le=1e15)]
    text: Annotated[str, Field(min_length=1, max_length=LONGEST)]


_NOTES: TypeAdapter[list[Note]] = TypeAdapter(Annotated[list[Note], Field(max_length=MOST)])


def read(path: Path) -> tuple[Note, ...]:
    """The notes of a file in the order of their moments; none where there is no file.

    Raises:
        StoreError: the file is damaged.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    try:
        found = _NOTES.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise StoreError(
            "the notes of a run must be a list of step, epoch and text",
            f"{path.name}: {first['msg']}",
            "run kernlab runs check --repair, which sets the file aside",
        ) from None
    return tuple(sorted({note.step: note for note in found}.values(), key=lambda note: note.step))


def put(path: Path, step: int, epoch: float, text: str) -> None:
    """Pin a text to a moment in place of the note that was there; an empty text removes it.

    Raises:
        OptionError: the text is too long, or there are too many notes.
        StoreError: the file is damaged.
        OSError: it cannot be written.
    """
    text = " ".join(text.split())
    if len(text) > LONGEST:
        raise OptionError(f"a note must have at most {LONGEST} characters", f"{len(text)}", "shorten it")
    notes = {note.step: note for note in read(path)}
    notes.pop(step, None)
    if text:
        notes[step] = Note(int(step), float(epoch), text)
    if len(notes) > MOST:
        raise OptionError(f"a run must have at most {MOST} notes", f"{len(notes)}", "remove one first")
    found: list[Mapping[str, Any]] = [asdict(note) for note in notes.values()]
    write(path, json.dumps(found, ensure_ascii=False))
