"""A run as one file: a .zip of JSON and safetensors, so that reading it can never execute anything.

run.json                     the run's record and the epochs of its snapshots
metrics.safetensors          name (index into the meta's names), step, epoch, value: one row a point
static, checkpoint, model .safetensors, snapshots/<step>.safetensors, as they lie in the run's folder
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
import zlib
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import sqlalchemy as sa
from pydantic import ValidationError

from kernlab.errors import StoreError
from kernlab.files import replacing
from kernlab.runs import layout, record, tensors
from kernlab.runs.layout import METRICS, SNAPSHOTS, Curve

if TYPE_CHECKING:
    from kernlab.runs.store import Store

__all__ = ["export", "import_"]

_FORMAT = "kernlab-run-1"
# The only names there can be. Whatever else an archive holds (a path upwards, a link, a script) is refused.
_MEMBER = re.compile(r"run\.json|(?:metrics|static|checkpoint|model)\.safetensors|snapshots/\d{1,18}\.safetensors")


def export(store: Store, run_id: str, to: Path | BinaryIO) -> None:
    """Write the run's archive to a file name (in one step) or an open file."""
    run, shots, curves = store.get(run_id), store.snapshots(run_id), store.metrics(run_id).curves
    if run.trouble:
        raise run.trouble
    epochs = dict(zip(shots.steps.tolist(), shots.epochs.tolist(), strict=True))
    about = tensors.dumps({"format": _FORMAT, "run": asdict(run), "snapshots": epochs})
    table = {"name": np.repeat(np.arange(len(curves)), [len(curve.steps) for curve in curves.values()])}
    for column in Curve._fields:
        table[column] = np.concatenate([getattr(curve, column) for curve in curves.values()] or [np.zeros(0)])
    folder = store.folder(run_id)
    files = [folder.static, folder.checkpoint, folder.model, *map(folder.snapshot, shots.steps)]
    try:
        with (
            replacing(Path(to)) if isinstance(to, str | Path) else nullcontext(to) as file,
            zipfile.ZipFile(file, "w") as pack,  # not compressed: the digits of floats hardly are
        ):
            pack.writestr("run.json", about, zipfile.ZIP_DEFLATED)
            pack.writestr("metrics.safetensors", tensors.dump(table, {"names": list(curves)}))
            for each in files:
                if each.is_file():
                    pack.write(each, each.relative_to(folder.path).as_posix())
    except OSError as error:
        raise StoreError("the export must be written to a folder with free space", error, "choose another") from error


def import_(store: Store, source: Path | BinaryIO) -> str:
    """Take the run of an archive in as a new one; returns its id."""
    if isinstance(source, str | Path) and not Path(source).is_file():
        raise StoreError("the file to import must be there", source, "check its name")
    with store.guard(), tempfile.TemporaryDirectory(dir=store.root, prefix=layout.IMPORTING) as scratch:
        folder = Path(scratch)
        try:
            _unpack(source, folder, shutil.disk_usage(folder).free)
            known, rows = _read(folder)
        except StoreError:
            raise
        except (
            *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),  # what zipfile raises
            *(ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError),  # contents of another shape
        ) as error:
            raise _malformed(f"{type(error).__name__}: {error}") from error

        def fill(place: layout.Folder) -> None:
            for file in [file for file in folder.rglob("*") if file.is_file()]:
                to = place.path / file.relative_to(folder)
                to.parent.mkdir(exist_ok=True)
                file.replace(to)

        run_id = store.enter(fill, rows, **known)
        store.copy_record(run_id)
        store.release(run_id)
    return run_id


def _unpack(source: Path | BinaryIO, folder: Path, space: int) -> None:
    with zipfile.ZipFile(source) as pack:
        members = [member for member in pack.infolist() if not member.is_dir()]
        for member in members:
            if not _MEMBER.fullmatch(member.filename):
                raise _malformed(f"it holds {member.filename!r}")
        if len({member.filename for member in members}) < len(members):
            raise _malformed("it holds a file twice")
        size = sum(member.file_size for member in members)
        if size > space:
            raise StoreError("the run must fit on the disk", f"{size} bytes, {space} are free", "free some space")
        for member in members:
            place = folder / member.filename
            place.parent.mkdir(exist_ok=True)
            with pack.open(member) as packed, open(place, "xb") as file:  # reading checks each member's sum
                shutil.copyfileobj(packed, file)


def _read(folder: Path) -> tuple[dict[str, Any], dict[sa.Table, list[dict[str, Any]]]]:
    """The record's columns, and the rows of its metrics and snapshots, once every file has been read."""
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
    if "checkpoint.safetensors" in metas:
        try:
            record.Resumable.model_validate(metas["checkpoint.safetensors"])
        except ValidationError as error:
            raise _malformed(f"checkpoint{record.first_error(error)}") from None
    document = json.loads(about.read_text(encoding="utf-8"))
    if document["format"] != _FORMAT:
        raise _malformed(f"its format is {document['format']!r}, not {_FORMAT!r}")
    run = record.read(document["run"])
    if run.damage:
        raise _malformed("; ".join(run.damage))
    known = asdict(run) | {"deleted": False}  # a run exported alive is found interrupted here: nobody holds it
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
