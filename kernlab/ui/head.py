"""What every page has beside its own: definitions of its words, the look for a lecture, and lists of scenes.

One component in the head of the page brings the modules of ``page/`` into the browser, which do all of it: no script of
a page runs for it.
"""

from __future__ import annotations

import time

from kernlab.ui import glossary, jobs
from kernlab.ui.assets import component
from kernlab.ui.pages import PAGES
from kernlab.ui.state import SHARED

__all__ = ["head"]

_component = component("page", "page.mjs")
_scenes = component("scenes", "scenes.mjs")


def head() -> None:
    """Put what every page has into its head."""
    jobs.head()
    # A number of its own lets the browser know of every run of the script, however short it is.
    data = {"words": glossary.address(), "pages": [page.name for page in PAGES], "script": time.time_ns()}
    _component(key="page-head", data=data)


def _list_scenes(address: str) -> None:
    """The list of scenes in the Share popover, to which the page can be added."""
    _scenes(key="scenes", data={"address": address})


SHARED["scenes"] = _list_scenes
