"""The film on the Home page: a small kernel being learned, which was recorded once and comes with the package.

    python -m kernlab.ui.miniature        records it anew, after a change of its method, its data or its pictures

The page is the first that somebody sees, so nothing of it may wait for torch or for a training.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import lzma
import math
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

__all__ = ["EXPLAINED", "HEIGHT", "INTRODUCTION", "PICTURES", "SHOWN", "film", "name", "record", "routes"]

#: What is trained: ASKL on this data set with these options.
DATASET = "checkerboard"
OPTIONS: dict[str, Any] = {"n_features": 200, "epochs": 20, "batch_size": 64}

#: What the page says above its film.
INTRODUCTION = (
    "A kernel decides which points a model treats as similar, and its **spectral density** is the same kernel in "
    "frequencies. kernlab learns that density from data while you watch it move, together with the function it makes "
    "and the terms of its generalisation bound. Everything runs on this machine, from data that come with it."
)

#: The pictures on the page: those at its top, and those that say what kernel, density, learning and bound are.
SHOWN = ("function", "joint_density")
HEIGHT = 380  # of these, in CSS pixels
EXPLAINED = ("similarity", "waves", "progress", "promise")
PICTURES = (*SHOWN, *EXPLAINED)

_FILE = Path(__file__).with_suffix(".json.xz")


@cache
def film() -> dict[str, Any]:
    """What the page shows.

    Returns:
        ``address``, the parameters with which the Train page trains the same; ``alt``, the alternative text of every
        picture; ``answers``, what the server answers by the address below that of the film.
    """
    found: dict[str, Any] = json.loads(lzma.decompress(_FILE.read_bytes()))
    return found


@cache
def name() -> str:
    """What the browser calls the run: another recording has another name, since the browser keeps frames for ever."""
    return f"home-{hashlib.sha256(_FILE.read_bytes()).hexdigest()[:12]}"


def routes(base: str) -> list[BaseRoute]:
    """The routes of the film, as those of any run (kernlab.ui.films), and of the line that names the device."""
    home = f"{base}/film/{name()}"
    return [
        Route(home, _recorded),
        Route(f"{home}/{{address:path}}", _recorded),
        Route(f"{base}/news/device", _device),
    ]


async def _recorded(request: Request) -> Response:
    packed = await asyncio.to_thread(_answer, request.path_params.get("address", ""))
    if packed is None:
        return JSONResponse({"error": "There is no such picture."}, 404)
    kept = {"Cache-Control": "private, max-age=31536000, immutable", "Content-Encoding": "gzip"}
    return Response(packed, media_type="application/json", headers=kept)


async def _device(request: Request) -> Response:
    def words() -> str:
        from kernlab import devices

        return f"Training will run on: {devices.describe(devices.resolve('auto'))}"

    while "torch" not in sys.modules:  # the page does not wait for its import
        await asyncio.sleep(0.2)
    return JSONResponse({"words": await asyncio.to_thread(words)}, headers={"Cache-Control": "no-store"})


@cache
def _answer(address: str) -> bytes | None:
    """What the server answers to an address below that of the film, compressed; None: there is no such.

    As of any run: JSON, and of the frames of several steps one line each.
    """
    *picture, steps = address.split("/")
    found = [film()["answers"].get("/".join([*picture, step])) for step in steps.split(",")]
    if None in found:
        return None
    return gzip.compress("\n".join(json.dumps(each, separators=(",", ":")) for each in found).encode(), 5)


def record() -> None:
    """Train the run and write its film."""
    import tempfile

    from kernlab.jobs import manager
    from kernlab.pictures.film import frame, layout
    from kernlab.pictures.frames import to_json
    from kernlab.pictures.gallery import picture_for, seen
    from kernlab.spec import RunSpec
    from kernlab.ui.news import news, values
    from kernlab.ui.setup import address_of
    from kernlab.ui.watch import Watch

    spec = RunSpec.of("ASKL", DATASET, **OPTIONS)
    with tempfile.TemporaryDirectory() as folder:
        jobs = manager(Path(folder)).trainings
        run = jobs.submit(spec)
        jobs.wait(run)
        watch = Watch(jobs, run)
        watch.refresh()
        answers: dict[str, Any] = {"": news(watch).facts}
        alts = {}
        for key in PICTURES:
            picture = picture_for(key, seen(watch))
            alts[key] = picture.alt
            answers[key] = json.loads(to_json(layout(picture, watch)._asdict()))
            if picture.over_time:  # the browser asks for it by the newest metrics
                whole = json.loads(to_json(_coarse(frame(picture, seen(watch))._asdict())))
                answers[f"{key}/{answers['']['metrics']}"] = whole
                continue
            for step, epoch in zip(*watch.snapshots, strict=True):
                moment = watch.moment(float(epoch))
                assert moment
                at = seen(watch)._replace(moment=moment)
                answers[f"{key}/{step}"] = json.loads(to_json(_coarse(frame(picture, at)._asdict())))
        for step in watch.snapshots.steps.tolist():
            answers[f"values/{step}"] = values(watch, step)
        manager(Path(folder)).shutdown()
    written = {"address": address_of(spec), "alt": alts, "answers": answers}
    _FILE.write_bytes(lzma.compress(json.dumps(written, separators=(",", ":")).encode(), preset=9))


def _coarse(value: Any) -> Any:
    """Arrays as lists of numbers with about three digits, more than a picture shows: the file is a third as large."""
    import numpy as np

    if isinstance(value, Mapping):
        return {key: _coarse(each) for key, each in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
        largest = float(np.nanmax(np.abs(value)))
        digits = 2 - math.floor(math.log10(largest)) if largest else 0
        return (np.round(value.astype(np.float64), digits) + 0.0).tolist()
    return value


if __name__ == "__main__":
    record()
