"""The previews that pages show, made by the process that draws and known here by their names."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from kernlab.errors import StoreError, UnknownNameError
from kernlab.spec import RunSpec
from kernlab.ui import drawing, drawn
from kernlab.ui.previews import PREFIX, Preview, name_of

__all__ = ["find", "first_of_data", "is_preview", "preview", "shown"]

T = TypeVar("T")

_PREVIEWS, _SPECS = 16, 2000  # in memory: previews of 1 to 10 MB each, and specs, which others are made of again

_previews: OrderedDict[str, Preview] = OrderedDict()  # by name; the one that was asked for last is the last
_specs: OrderedDict[str, RunSpec] = OrderedDict()
_changing = threading.Lock()


def preview(spec: RunSpec) -> Preview:
    """What a run of ``spec`` would start from; it is made by the process that draws.

    Raises:
        KernlabError: such a run cannot be started.
    """
    name = name_of(spec)
    found = _previews.get(name)
    if found is None:
        try:
            found = drawing.pool().submit(drawn.begun, spec.to_dict()).result()
        except BrokenProcessPool:
            drawing.close()
            raise StoreError(
                "the process that draws must be alive", "it has ended", "load the page again: it is started anew"
            ) from None
    with _changing:
        _put(_previews, name, found, _PREVIEWS)
        _put(_specs, name, spec, _SPECS)
    return found


def _put(kept: OrderedDict[str, T], name: str, value: T, most: int) -> None:
    kept[name] = value
    kept.move_to_end(name)
    while len(kept) > most:
        kept.popitem(last=False)


_first: dict[str, str] = {}  # of the previews that show the same data the one that was seen first


def first_of_data(preview: Preview) -> Preview:
    """The preview whose pictures of the data are those of this one: the browser need not ask for them again."""
    found = _previews.get(_first.setdefault(preview.of_data, preview.id))
    if found is None:
        _first[preview.of_data] = preview.id
        return preview
    with _changing:
        _put(_previews, found.id, found, _PREVIEWS)
    return found


def shown(spec: RunSpec) -> Preview | None:
    """The preview of ``spec``, if a page has shown it."""
    return _previews.get(name_of(spec))


def is_preview(name: str) -> bool:
    """Whether a name is that of a preview, not of a run."""
    return name.startswith(PREFIX)


def find(name: str) -> Preview:
    """The preview of that name, which is made again where others have taken its place in memory.

    Raises:
        UnknownNameError: it is too long ago that a page has shown it.
    """
    if (found := _previews.get(name)) is not None:
        return found
    if (spec := _specs.get(name)) is None:
        raise UnknownNameError("a preview must belong to a page that is open", name, "load the page again")
    return preview(spec)
