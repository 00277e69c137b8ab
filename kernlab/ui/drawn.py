"""Layouts, frames and numbers of runs and previews, drawn by the process that draws and kept with their run.

The server reads what is kept, and has the rest drawn here; nothing here needs the server.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from kernlab import __version__
from kernlab.errors import KernlabError
from kernlab.files import replacing
from kernlab.pictures.gallery import PICTURES
from kernlab.ui.news import values
from kernlab.ui.previews import Preview, made

if TYPE_CHECKING:
    from kernlab.pictures.frames import Films

__all__ = ["VALUES", "begun", "file_of", "layouts", "newest", "parts", "parts_of_preview", "read"]

VALUES = "values"  # the numbers beside the pictures, asked for as a picture is
_ROOM = 64 * 2**20  # bytes of frames that are kept with one run


# -- kept --------------------------------------------------------------------------------------------------------------


def file_of(folder: Path, what: str, key: str, view: dict[str, str], number: int) -> Path | None:
    """Where a layout or frame is kept with its run; None: it is not kept."""
    picture = PICTURES.get(key)
    if picture is None or picture.over_time:  # such a frame changes with every new point
        return None
    used = {name: text for name, text in sorted(view.items()) if name in (*picture.uses, "reference")}
    digest = hashlib.sha256(json.dumps([__version__, key, used]).encode()).hexdigest()[:16]
    return folder / f"{key}-{digest}" / f"{what}-{number}.json.gz"


def read(file: Path | None) -> bytes | None:
    """What is kept in a file, compressed; None: nothing."""
    with suppress(OSError):
        return file.read_bytes() if file else None
    return None


_sizes: dict[Path, int] = {}  # bytes of a run's films, measured once and then counted


def _keep(file: Path | None, packed: bytes) -> None:
    """Keep what was drawn, while the run's films have room; a store that refuses is no reason to show nothing."""
    if file is None:
        return
    folder = file.parents[1]
    with suppress(OSError):
        if folder not in _sizes:
            _sizes[folder] = sum(each.stat().st_size for each in folder.rglob("*.gz"))
        if _sizes[folder] > _ROOM:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as out:
            out.write(packed)
        _sizes[folder] += len(packed)


# -- drawn -------------------------------------------------------------------------------------------------------------

_films: dict[str, Films] = {}  # by the folder of their store


def parts(
    root: str, what: str, run_id: str, key: str, view: dict[str, str], numbers: list[int], strict: bool
) -> list[bytes]:  # fmt: skip
    """Layouts or frames of a run, compressed, and kept; what cannot be drawn is empty.

    Args:
        root: folder of the store.
        what: "layout" or "frame".
        key: of the picture.
        view: its switches.
        numbers: of snapshots for layouts, steps for frames.
        strict: what cannot be drawn is an error instead.

    Raises:
        KernlabError: strictly, the reason why one cannot be drawn.
    """
    films, found = _films_of(root), []
    for number in numbers:
        try:
            file = file_of(films.store.folder(run_id).films, what, key, view, number)
            found.append(_packed(file, getattr(films, what), run_id, key, view, number))
        except KernlabError:
            if strict:
                raise
            found.append(b"")
    return found


def layouts(root: str, wanted: list[tuple[str, str, dict[str, str], int]]) -> list[bytes]:
    """Layouts of several runs; what cannot be drawn is empty.

    Args:
        root: folder of the store.
        wanted: run, picture, its switches and the number of snapshots, of each.
    """
    found = []
    for run_id, key, view, of in wanted:
        packed = b""
        with suppress(Exception):  # of whatever kind: it must not take the others along
            (packed,) = parts(root, "layout", run_id, key, view, [of], True)
        found.append(gzip.decompress(packed) if packed else b"")
    return found


def _packed(file: Path | None, draw: Callable[..., bytes], *asked: Any) -> bytes:
    """What is kept in a file; drawn, where there is none, and kept."""
    packed = read(file)
    if packed is None:
        packed = gzip.compress(draw(*asked), 5)
        _keep(file, packed)
    return packed


def newest(root: str, wanted: list[tuple[str, dict[str, int]]]) -> list[list[bytes]]:
    """Numbers and frames of the newest moments of runs; what cannot be drawn is empty.

    Args:
        root: folder of the store.
        wanted: runs, and of each by ``PICTURE?VIEW`` or :data:`VALUES` the step, or the version of the metrics.
    """
    return [_newest_of_a_run(root, run_id, names) if names else [] for run_id, names in wanted]


def _newest_of_a_run(root: str, run_id: str, wanted: dict[str, int]) -> list[bytes]:
    from kernlab.pictures.frames import frame

    films, found = _films_of(root), []
    try:
        folder, run = films.store.folder(run_id).films, films.with_steps(run_id, wanted.values())
    except KernlabError:
        return []
    for name, number in wanted.items():
        key, _, query = name.partition("?")
        view = dict(parse_qsl(query))
        try:
            if key == VALUES:
                found.append(json.dumps(values(run, number)).encode())
            else:
                file, asked = file_of(folder, "frame", key, view, number), (run, key, view, number)
                found.append(gzip.decompress(_packed(file, frame, *asked)) if file else frame(*asked))
        except Exception:  # of whatever kind: it must not take the news and the other pictures along
            found.append(b"")
    return found


def _films_of(root: str) -> Films:
    if root not in _films:
        from threadpoolctl import threadpool_limits

        from kernlab.pictures.frames import Films
        from kernlab.runs.store import Store

        threadpool_limits(1)  # the matrices behind pictures are small
        _films[root] = Films(Store(Path(root)))
    return _films[root]


def begun(spec: dict[str, Any]) -> Preview:
    """The preview of a spec.

    Raises:
        KernlabError: such a run cannot be started.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    return made(spec)


def parts_of_preview(
    spec: dict[str, Any], what: str, key: str, view: dict[str, str], numbers: list[int]
) -> list[bytes]:
    """Layouts or frames of the preview of a spec, compressed: as :func:`parts`, and strictly."""
    from kernlab.pictures import frames

    run = made(spec)
    return [gzip.compress(getattr(frames, what)(run, key, view, number), 5) for number in numbers]
