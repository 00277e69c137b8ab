"""OpenML's catalogue: a table's description by name or number, its file, and the data set that it makes.

The address of the server is ``KERNLAB_OPENML``, OpenML's own by default.
"""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kernlab.data.download import Arrived, Remote, download, fetched
from kernlab.data.readers import Upload
from kernlab.data.recipe import Recipe
from kernlab.data.tables import Progress, Stored, TablePreview, look, prepare, with_targets
from kernlab.errors import DataError, UnknownNameError
from kernlab.paths import home

__all__ = ["VARIABLE", "Entry", "find", "keep", "recipe_of"]

VARIABLE = "KERNLAB_OPENML"
_SERVER = "https://api.openml.org"


@dataclass(frozen=True)
class Entry:
    """A table of OpenML.

    Attributes:
        number: its id.
        name, version: as OpenML lists it.
        url: of its ARFF file.
        checksum: MD5 of that file; "" where OpenML has none.
        target: the column that is to be predicted; "" where none is named.
        unused: columns that are row numbers or that its authors leave out.
        licence, description: as OpenML has them.
    """

    number: int
    name: str
    version: int
    url: str
    checksum: str
    target: str
    unused: tuple[str, ...]
    licence: str
    description: str

    @property
    def provenance(self) -> str:
        """Where it comes from, in one line."""
        licence = self.licence or "not stated"
        return f"OpenML {self.number}, {self.name} version {self.version}. Licence: {licence}."


def find(name_or_number: str | int) -> Entry:
    """The description of a table; of several with one name the first active version.

    Raises:
        UnknownNameError: OpenML has no such table.
        DataError: OpenML cannot be reached, or answers with something else.
    """
    text = str(name_or_number).strip()
    number = int(text) if text.isdecimal() and len(text) < 10 else _number(text)
    status, body = fetched(f"{_server()}/api/v1/json/data/{number}")
    if status in (404, 412):
        raise _unknown(text)
    found = _json(status, body).get("data_set_description")
    try:
        assert isinstance(found, Mapping)
        unused = [*_listed(found.get("ignore_attribute")), *_listed(found.get("row_id_attribute"))]
        checksum = str(found.get("md5_checksum") or "")
        return Entry(
            number=int(found["id"]),
            name=str(found["name"]),
            version=int(found.get("version") or 1),
            url=str(found["url"]),
            checksum=f"md5:{checksum}" if checksum else "",
            target=(_listed(found.get("default_target_attribute")) or [""])[0],
            unused=tuple(unused),
            licence=str(found.get("licence") or ""),
            description=" ".join(str(found.get("description") or "").split())[:300],
        )
    except (AssertionError, LookupError, TypeError, ValueError):
        raise _strange("a description without id, name or url") from None


def _server() -> str:
    return (os.environ.get(VARIABLE) or _SERVER).rstrip("/")


def _number(name: str) -> int:
    if not name:
        raise _unknown(name)
    quoted = urllib.parse.quote(name.lower(), safe="")
    status, body = fetched(f"{_server()}/api/v1/json/data/list/data_name/{quoted}/limit/20/status/active/")
    if status in (404, 412):
        raise _unknown(name)
    try:
        entries = _json(status, body)["data"]["dataset"]
        versions = sorted((int(each.get("version") or 1), int(each["did"])) for each in entries)
        return versions[0][1]
    except (LookupError, TypeError, ValueError, AttributeError):
        raise _strange("a list without data sets") from None


def _json(status: int, body: bytes) -> Any:
    if status != 200:
        raise _strange(f"status {status}")
    try:
        found = json.loads(body)
    except ValueError:
        raise _strange("no JSON") from None
    return found if isinstance(found, dict) else {}


def _strange(what: str) -> DataError:
    return DataError("OpenML must answer with the description of a table", what, "try again later")


def _unknown(name: str) -> UnknownNameError:
    return UnknownNameError("a table of OpenML must be named by its name or number", repr(name),
                            "look it up in OpenML's catalogue")  # fmt: skip


def _listed(value: Any) -> list[str]:
    """One name, several, or several separated by commas."""
    parts = value if isinstance(value, list) else str(value or "").split(",")
    return [str(part).strip().strip("\"'") for part in parts if str(part).strip()]


def recipe_of(entry: Entry, preview: TablePreview) -> Recipe:
    """The proposal for an entry's table: its target, and without the columns that its authors leave out."""
    recipe = preview.recipe
    names = [each.name for each in preview.columns]
    if entry.target in names:
        recipe = with_targets(preview, recipe, [entry.target])
    kinds = {name: "drop" if name in entry.unused and name not in recipe.targets else kind
             for name, kind in recipe.kinds.items()}  # fmt: skip
    return replace(recipe, kinds=kinds)


def keep(
    entry: Entry,
    name: str,
    *,
    recipe: Callable[[TablePreview], Recipe] | None = None,
    progress: Callable[[Arrived | Progress], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    replacing: bool = False,
    details: Mapping[str, Any] | None = None,
) -> Stored | None:
    """Download an entry's file, verify it, prepare it and keep it under a name.

    Args:
        entry: what :func:`find` returned.
        name: what ``load`` will take.
        recipe: what becomes of the columns; by default the proposal of :func:`recipe_of`.
        progress: called with the progress of the download, then of the preparation.
        cancelled: asked now and then; what has been downloaded is kept for later.
        replacing: whether a prepared data set of that name may be replaced.
        details: see :func:`kernlab.data.tables.prepare`.

    Returns:
        What was kept; None where it was cancelled.

    Raises:
        KernlabError: the file does not arrive as it should, or cannot be used.
    """
    folder = home() / "downloads" / f"openml-{entry.number}"
    path = download(
        Remote(entry.url, entry.checksum), folder, name="table.arff", progress=progress, cancelled=cancelled
    )
    if path is None:
        return None
    upload = Upload(f"{entry.name}.arff", path)
    preview = look(upload)
    chosen = recipe(preview) if recipe else recipe_of(entry, preview)
    about = {"description": entry.description or f"{entry.name}, from OpenML.", "origin": entry.provenance}
    stored = prepare(
        upload, chosen, name, progress=progress, cancelled=cancelled, replacing=replacing,
        details={**about, **(details or {})},
    )  # fmt: skip
    if stored is not None:
        path.unlink(missing_ok=True)
    return stored
