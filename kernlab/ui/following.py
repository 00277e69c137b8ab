"""What is new of runs since a page asked last, with the pictures that go with it; and how many pages follow a run."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.pictures.gallery import PICTURES
from kernlab.ui import drawing, drawn, foreseen
from kernlab.ui.news import News, news, preview_news
from kernlab.ui.watch import Watch

__all__ = ["Answer", "Question", "Seen", "answer", "asked", "look"]

_FRESH = 0.1  # seconds that one look at a run serves every tab,
_SOON = 0.02  # and while it begins
_KEPT, _IDLE = 64, 60.0  # runs in memory, and seconds after the last question about one: each has several snapshots
_BEGINNING = 0.25  # seconds for which an answer waits for the first snapshot of a run that begins
_LEFT = 4.0  # seconds after its last question in which a page is taken to follow a run
_DRAWING = 0.3  # seconds for which news wait for the pictures that go with them
_TOGETHER = 24  # pictures of a page in an answer at most
_PAGES = 8  # pages whose newest pictures are kept in memory


class Seen(NamedTuple):
    """A run at the moment when somebody looked at it last."""

    time: float
    watch: Watch
    news: News


_looks: OrderedDict[str, Seen] = OrderedDict()
_looking = threading.RLock()


def look(run_id: str) -> Seen:
    """A run as it is now, or was a moment ago: one look serves every tab.

    Raises:
        KernlabError: there is no such run, or it could not start.
    """
    with _looking:
        seen = _looks.get(run_id)
        begins = seen is not None and len(seen.watch.snapshots.steps) < 2
        if seen is None or time.monotonic() - seen.time > (_SOON if begins else _FRESH):
            watch = seen.watch if seen else Watch(manager().trainings, run_id)
            watch.refresh()
            seen = _looks[run_id] = Seen(time.monotonic(), watch, news(watch))
            _looks.move_to_end(run_id)
            while len(_looks) > _KEPT or seen.time - next(iter(_looks.values())).time > _IDLE:
                _looks.popitem(last=False)
        return seen


class Answer(NamedTuple):
    """What is new of a job, or the reason why it cannot be had, and what was drawn; without facts: nothing is new."""

    status: int
    facts: dict[str, Any] | None = None
    drawn: Sequence[bytes] = ()

    @property
    def lines(self) -> list[bytes]:
        return [] if self.facts is None else [json.dumps(self.facts).encode(), *self.drawn]


def answer(version: str | None, ask: Callable[[], News]) -> Answer:
    """The news; 204 where the browser has them, and 404 with the reason where there are none."""
    try:
        found = ask()
    except KernlabError as error:
        return Answer(404, {"error": str(error)})
    return Answer(204) if version == found.version else Answer(200, found.facts)


class Question(NamedTuple):
    """What a page asks of a run or preview: its name, and what the page has of it."""

    run: str
    query: QueryParams

    def answer(self) -> Answer:
        """What is new of the run or preview."""
        run = self.run
        known = foreseen.is_preview(run)
        return answer(self.query.get("version"), lambda: preview_news(foreseen.find(run)) if known else look(run).news)

    @property
    def at_once(self) -> bool:
        """The answer needs nothing of the disk."""
        seen = _looks.get(self.run)
        return seen is not None and seen.watch.in_memory

    @property
    def begins(self) -> bool:
        """The run works and has no snapshot yet."""
        seen = _looks.get(self.run)
        return seen is not None and seen.watch.state.status == "running" and not len(seen.watch.snapshots.steps)

    def wanted(self, watch: Watch) -> dict[str, int]:
        """What is newer than the page has it, by ``PICTURE?VIEW``: its step, or over training the metrics' version."""
        metrics, step = watch.version[0], int(watch.snapshots.steps[-1]) if len(watch.snapshots.steps) else -1
        newer = {
            True: str(metrics) != self.query.get("metrics"),
            False: step >= 0 and str(step) != self.query.get("step"),
        }
        wanted = {drawn.VALUES: step} if newer[False] else {}
        for name in self.query.getlist("draw")[:_TOGETHER]:
            picture = PICTURES.get(name.partition("?")[0])
            if picture and newer[picture.over_time]:
                wanted[name] = metrics if picture.over_time else step
        return wanted


def _answers(questions: Sequence[Question], wait: bool) -> list[Answer] | None:
    """The news of runs; None: they cannot be had without waiting for the disk or for another thread."""
    if not wait and not all(question.at_once for question in questions):
        return None
    if not _looking.acquire(blocking=wait):
        return None
    try:
        return [question.answer() for question in questions]
    finally:
        _looking.release()


async def asked(questions: Sequence[Question]) -> list[Answer]:
    """The news of runs and previews, of those that begin a little later if that is their first snapshot.

    Whatever the number of runs, they are looked at in one go, without another thread where that is possible, and drawn
    in one go: every change of threads takes time from a training.
    """
    until = time.monotonic() + _BEGINNING
    while True:
        found = _answers(questions, False) or await asyncio.to_thread(_answers, questions, True) or []
        if time.monotonic() > until or not any(question.begins for question in questions):
            return await _with_pictures(questions, found)
        await asyncio.sleep(_SOON)


async def _with_pictures(questions: Sequence[Question], found: Sequence[Answer]) -> list[Answer]:
    """News, and what the browser shows of the newest moments and has not; without what takes long to draw."""
    watches = {
        place: seen.watch
        for place, (question, news) in enumerate(zip(questions, found, strict=True))
        if news.status == 200 and question.query.get("draw") and (seen := _looks.get(question.run))
    }
    wanted = {place: questions[place].wanted(watch) for place, watch in watches.items()}
    lines: dict[int, list[bytes]] = {}
    if any(wanted.values()):
        # Where that takes long or fails, the browser asks for each of them by itself, and gets the reason.
        with suppress(TimeoutError, BrokenProcessPool, KernlabError):
            made = asyncio.wrap_future(_newest([(questions[place].run, each) for place, each in wanted.items()]))
            lines = dict(zip(wanted, await asyncio.wait_for(asyncio.shield(made), _DRAWING), strict=True))
    whole = [*found]
    for place, watch in watches.items():
        (run, query), made_of = questions[place], lines.get(place, [])
        page, pages = _followers(run, query.get("by", ""))
        more = {"due": watch.state.due, "page": page, "pages": pages}
        facts = {**(found[place].facts or {}), **more, "drawn": list(wanted[place]) if made_of else []}
        whole[place] = Answer(200, facts, made_of)
    return whole


_following: dict[tuple[str, str], float] = {}  # by run and page: when it asked last


def _followers(run: str, page: str) -> tuple[int, int]:
    """The place of a page among those that follow a run, from 0, and how many there are."""
    name = page[:16]
    _following[run, name] = now = time.monotonic()
    for each, asked in [*_following.items()]:
        if now - asked > _LEFT:
            del _following[each]
    names = sorted(each for of, each in _following if of == run)
    return names.index(name), len(names)


_newest_of: OrderedDict[str, Future[list[list[bytes]]]] = OrderedDict()


def _newest(wanted: list[tuple[str, dict[str, int]]]) -> Future[list[list[bytes]]]:
    """Numbers and frames of runs, drawn by the other process in one go, for all pages that show the same.

    Args:
        wanted: runs, and what of each as :meth:`Question.wanted` says it.
    """
    root = str(manager().trainings.store.root)
    return drawing.once(
        _newest_of, _PAGES, json.dumps(wanted), lambda: drawing.pool().submit(drawn.newest, root, wanted)
    )
