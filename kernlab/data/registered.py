"""The data sets of registry.toml, whether their files are present or not."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernlab.paths import bundle
from kernlab.typing import Task

__all__ = ["About", "registered"]


@dataclass(frozen=True)
class About:
    """One entry of registry.toml; its README says what each field means."""

    task: Task
    rows: int
    features: int
    description: str
    origin: str
    citation: str
    licence: str
    classes: int | None = None
    labels: tuple[str, ...] = ()
    target: str = "target"
    train_rows: int | None = None
    openml: int | None = None
    sha256: str = ""
    content: str = ""
    files: tuple[Mapping[str, Any], ...] = ()
    columns: tuple[str, ...] = ()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    note: str = ""

    @property
    def provenance(self) -> str:
        """Origin, citation and licence in one line."""
        return f"{self.origin}. {self.citation} Licence: {self.licence}."

    def describes(self, rows: int, features: int) -> bool:
        """Whether a table of that shape can be this entry's: other data of that name must not get its boundary."""
        return (rows, features) == (self.rows, self.features)


@functools.cache
def registered() -> dict[str, About]:
    """The entries of registry.toml by name."""
    with (bundle() / "datasets" / "registry.toml").open("rb") as file:
        entries = tomllib.load(file)
    lists = ("labels", "files", "columns")
    return {
        name: About(**{**entry, **{key: tuple(entry.get(key, ())) for key in lists}}) for name, entry in entries.items()
    }
