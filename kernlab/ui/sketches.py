"""The first view of the Train page: the run that its address names, or the preview. The server loads it before previews
are asked for."""

from __future__ import annotations

from collections.abc import Mapping

from kernlab.pictures.base import VIEW as SWITCHES
from kernlab.pictures.gallery import offered, seen
from kernlab.ui import films, following, foreseen, live, pictures
from kernlab.ui.beside import COLUMNS
from kernlab.ui.firstview import VIEWS, FirstView, Sketch
from kernlab.ui.setup import spec_from
from kernlab.ui.state import BROWSERS
from kernlab.ui.view import VIEW

__all__ = ["train"]


def train(address: Mapping[str, str]) -> FirstView | None:
    """What a browser shows of a run or preview before Streamlit draws it; None of several, or of another view.

    Raises:
        KernlabError: the address is wrong, or the run has no snapshot yet.
    """
    if address.keys() & COLUMNS.keys() or address.get("view", "overview") != "overview":
        return None
    switches = {key: text for key, text in address.items() if key in SWITCHES}
    return _run(address["run"], switches) if address.get("run") else _preview(address, switches)


def _run(run_id: str, switches: Mapping[str, str]) -> FirstView:
    watch, news = following.look(run_id)[1:]
    at = seen(watch, switches)
    shots = [(pictures.shot(each, at), each.alt) for each in offered("overview", at)]
    steps = [watch.version[0] if shot.over_time else at.moment.step for shot, _ in shots]
    # Of a run that goes on the browser asks for what is new by then.
    of = len(watch.snapshots.steps)
    wanted = [(shot, of, step) for (shot, _), step in zip(shots, steps, strict=True)]
    ready = [None] * len(shots) if watch.live else films.soon(wanted)
    sketches = [Sketch(*shot, step, texts) for shot, step, texts in zip(shots, steps, ready, strict=True)]
    time = () if watch.at_once else (run_id,)
    return FirstView(
        "",
        sketches,
        live.LOW,
        live.heading(watch),
        {run_id: news.facts},
        at.view["at"],
        time,
        timeless=live.timeless(watch),
    )


def _preview(address: Mapping[str, str], switches: Mapping[str, str]) -> FirstView:
    spec = spec_from({key: text for key, text in address.items() if key not in (*VIEW, *BROWSERS)})
    run = foreseen.preview(spec)
    at = seen(run, switches)
    shots = [(pictures.shot(each, at), each.alt) for each in offered("preview", at)]
    sketches = [Sketch(shot, alt, 0, films.drawn_ahead(shot.run, shot.picture, shot.view)) for shot, alt in shots]
    return FirstView(live.invitation(spec, run), sketches, live.LOW)


VIEWS["train"] = train
