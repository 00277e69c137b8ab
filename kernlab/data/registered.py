"""The data sets that kernlab knows of by name, whether their files are here or not: registry.toml."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass

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
    note: str = ""

    @property
    def provenance(self) -> str:
        """Origin, citation and licence in one line."""
        return f"{self.origin}. {self.citation} Licence: {self.licence}."

    def describes(self, rows: int, features: int) -> bool:
        """Does a table of that shape fit this entry? A namesake with other data must not borrow its boundary."""
        return (rows, features) == (self.rows, self.features)


@functools.cache
def registered() -> dict[str, About]:
    """The entries of registry.toml by name."""
    with (bundle() / "datasets" / "registry.toml").open("rb") as file:
        entries = tomllib.load(file)
    return {name: About(**{**entry, "labels": tuple(entry.get("labels", ()))}) for name, entry in entries.items()}
