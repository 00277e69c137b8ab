"""The first view of the Train page: the preview of its address. The server loads it before previews are asked for."""

from __future__ import annotations

from collections.abc import Mapping

from kernlab.pictures.base import VIEW as SWITCHES
from kernlab.pictures.gallery import offered, seen
from kernlab.ui import films, foreseen, live, pictures
from kernlab.ui.beside import COLUMNS
from kernlab.ui.firstview import VIEWS, FirstView, Sketch
from kernlab.ui.setup import FORM, spec_from
from kernlab.ui.state import BROWSERS
from kernlab.ui.view import VIEW

__all__ = ["train"]


def train(address: Mapping[str, str]) -> FirstView | None:
    """What a browser shows of a preview before Streamlit draws it; None where the address names runs.

    Raises:
        KernlabError: the address is wrong.
    """
    if address.keys() & {*FORM, *COLUMNS}:
        return None
    spec = spec_from({key: text for key, text in address.items() if key not in (*VIEW, *BROWSERS)})
    run = foreseen.preview(spec)
    at = seen(run, {key: text for key, text in address.items() if key in SWITCHES})
    shots = [(pictures.shot(each, at), each.alt) for each in offered("preview", at)]
    sketches = [Sketch(shot, alt, films.drawn_ahead(shot.run, shot.picture, shot.view)) for shot, alt in shots]
    return FirstView(live.invitation(spec, run), sketches, live.LOW)


VIEWS["train"] = train
