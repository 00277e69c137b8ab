"""A run as one file: a .zip of JSON and safetensors, so that reading it can never execute anything.

run.json                     the run's record and the epochs of its snapshots
metrics.safetensors          name (index into the meta's names), step, epoch, value: one row a point
static, checkpoint, model .safetensors, snapshots/<step>.safetensors, notes.json, as they lie in the run's folder
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import sqlalchemy as sa

from kernlab.errors import StoreError
from kernlab.files import replacing
from kernlab.runs import notes, record, tensors
from kernlab.runs.layout import METRICS, SNAPSHOTS, Curve, Folder
from kernlab.runs.record import Run

__all__ = ["Contents", "pack", "unpack"]

_FORMAT = "kernlab-run-1"
# The only names that a member may have. An archive with any other (a path upwards, a link, a script) is refused.
_MEMBER = re.compile(
    r"(?:run|notes)\.json|(?:metrics|static|checkpoint|model)\.safetensors|snapshots/\d{1,18}\.safetensors"
)

#: The columns of a run's record, and the rows of its metrics and snapshots.
Contents: TypeAlias = tuple[dict[str, Any], dict[sa.Table, list[dict[str, Any]]]]


def pack(
    run: Run, epochs: Mapping[int, float], curves: Mapping[str, Curve], folder: Folder, to: Path | BinaryIO
) -> None:
    """Write a run's archive.

    Args:
        run: its record.
        epochs: of its snapshots, by step.
        curves: its metrics.
        folder: its files.
        to: a file name, written in one step, or an open file.
    """
    about = tensors.dumps({"format": _FORMAT, "run": asdict(run), "snapshots": epochs})
    table = {"name": np.repeat(np.arange(len(curves)), [len(curve.steps) for curve in curves.values()])}
    for column in Curve._fields:
        table[column] = np.concatenate([getattr(curve, column) for curve in curves.values()] or [np.zeros(0)])
    try:
        with (
            replacing(Path(to)) if isinstance(to, str | Path) else nullcontext(to) as file,
            zipfile.ZipFile(file, "w") as archive,  # not compressed: the digits of floats hardly are
        ):
            archive.writestr("run.json", about, zipfile.ZIP_DEFLATED)
            archive.writestr("metrics.safetensors", tensors.dump(table, {"names": list(curves)}))
            for each in (folder.static, folder.checkpoint, folder.model, folder.notes, *map(folder.snapshot, epochs)):
                if each.is_file():
                    archive.write(each, each.relative_to(folder.path).as_posix())
    except OSError as error:
        raise StoreError("the export must be written to a folder with free space", error, "choose another") from error


def unpack(source: Path | BinaryIO, folder: Path) -> Contents:
    """Unpack an archive and read all of it; afterwards ``folder``, empty at first, has the files of the run's folder.

    Raises:
        StoreError: the file is not a whole, well-formed run.
    """
    try:
        _extract(source, folder, shutil.disk_usage(folder).free)
        return _read(folder)
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError),  # what zipfile raises
        *(ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RuntimeError),  # other contents
    ) as error:
        if isinstance(error, StoreError):
            raise
        raise _malformed(f"{type(error).__name__}: {error}") from error


def _extract(source: Path | BinaryIO, folder: Path, space: int) -> None:
    with zipfile.ZipFile(source) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        for member in members:
            if not _MEMBER.fullmatch(member.filename):
                raise _malformed(f"it contains {member.filename!r}")
        if len({member.filename for member in members}) < len(members):
            raise _malformed("it contains a file twice")
        size = sum(member.file_size for member in members)
        if size > space:
            raise StoreError("the run must fit on the disk", f"{size} bytes, {space} are free", "free some space")
        for member in members:
            archive.extract(member, folder)  # reading checks each member's sum


def _read(folder: Path) -> Contents:
    about, points = folder / "run.json", folder / "metrics.safetensors"
    for file in (about, points):
        if not file.is_file():
            raise _malformed(f"it has no {file.name}")
    metas = {}
    for file in folder.rglob("*.safetensors"):
        try:
            metas[file.name] = tensors.load(file)[1]
        except StoreError:
            raise _malformed(f"{file.name} is damaged") from None
    if why := "checkpoint.safetensors" in metas and record.checkpoint_damage(metas["checkpoint.safetensors"]):
        raise _malformed(f"checkpoint{why}")
    document = json.loads(about.read_text(encoding="utf-8"))
    if document["format"] != _FORMAT:
        raise _malformed(f"its format is {document['format']!r}, not {_FORMAT!r}")
    try:
        notes.read(folder / "notes.json")
    except StoreError as error:
        raise _malformed(error.given) from None
    run = record.read(document["run"])
    if run.damage:
        raise _malformed("; ".join(run.damage))
    known = asdict(run) | {"deleted": False}  # a run exported alive becomes interrupted here: no process has its lock
    del known["id"], known["damage"]
    shots = [{"step": int(step), "epoch": float(epoch)} for step, epoch in document["snapshots"].items()]
    if {f"{shot['step']}.safetensors" for shot in shots} != {file.name for file in folder.glob("snapshots/*")}:
        raise _malformed("its list of snapshots does not match its files")
    table, meta = tensors.load(points)
    names = [str(name) for name in meta["names"]]
    columns = zip(*(table[column].tolist() for column in ("name", *Curve._fields)), strict=True)
    rows = [{"name": names[code], "step": int(s), "epoch": float(e), "value": float(v)} for code, s, e, v in columns]
    about.unlink()
    points.unlink()
    return known, {METRICS: rows, SNAPSHOTS: shots}


def _malformed(why: str) -> StoreError:
    return StoreError("the file must be a run as kernlab exports it", why, "export the run again")
