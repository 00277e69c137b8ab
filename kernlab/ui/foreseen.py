"""The previews that pages show, made by the process that draws and known here by their names."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures.process import BrokenProcessPool

from kernlab.errors import StoreError, UnknownNameError
from kernlab.spec import RunSpec
from kernlab.ui import drawing, drawn
from kernlab.ui.previews import PREFIX, Preview, name_of

__all__ = ["find", "first_of_data", "is_preview", "preview", "shown"]

_previews: OrderedDict[str, Preview] = OrderedDict()


def preview(spec: RunSpec) -> Preview:
    """What a run of ``spec`` would start from; it is made by the process that draws.

    Raises:
        KernlabError: such a run cannot be started.
    """
    name = name_of(spec)
    if name not in _previews:
        try:
            _previews[name] = drawing.pool().submit(drawn.begun, spec.to_dict()).result()
        except BrokenProcessPool:
            drawing.close()
            raise StoreError(
                "the process that draws must be alive", "it has ended", "load the page again: it is started anew"
            ) from None
        while len(_previews) > 64:
            _previews.popitem(last=False)
    return _previews[name]


_first: dict[str, str] = {}  # of the previews that show the same data the one that was seen first


def first_of_data(preview: Preview) -> Preview:
    """The preview whose pictures of the data are those of this one: the browser need not ask for them again."""
    found = _previews.get(_first.setdefault(preview.of_data, preview.id))
    if found is None:
        _first[preview.of_data] = preview.id
        return preview
    _previews.move_to_end(found.id)
    return found


def shown(spec: RunSpec) -> Preview | None:
    """The preview of ``spec``, if a page has shown it."""
    return _previews.get(name_of(spec))


def is_preview(name: str) -> bool:
    """Whether a name is that of a preview, not of a run."""
    return name.startswith(PREFIX)


def find(name: str) -> Preview:
    """The preview of that name.

    Raises:
        UnknownNameError: it is too long ago that a page has shown it.
    """
    if name not in _previews:
        raise UnknownNameError("a preview must belong to a page that is open", name, "load the page again")
    return _previews[name]
