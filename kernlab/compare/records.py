"""The store of comparisons: one small file for each finished cell, written whole or not at all.

    HOME/comparisons/cells/<key>.json    the record of a cell, shared by all comparisons that have this cell
    HOME/comparisons/<id>.json           a comparison: its configuration, name and time
    HOME/comparisons/<id>.lock           locked while a process works on it

Any number of threads and processes may share the folder: a cell is claimed before it is computed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kernlab import paths
from kernlab.compare.base import Comparison, Record
from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.files import Claim, replacing

__all__ = ["RecordStore", "StoredComparison", "comparison_id"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoredComparison:
    """A comparison in the store.

    Attributes:
        id: hash of the configuration: starting the same comparison again resumes this one.
        name: the user's name for it.
        created: seconds since 1970.
        comparison: its configuration.
        keys: of its cells, in order; empty until they are known.
    """

    id: str
    name: str
    created: float
    comparison: Comparison
    keys: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "comparison": self.comparison.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StoredComparison:
        """The comparison that ``to_dict`` wrote."""
        comparison = Comparison.from_dict(values["comparison"])
        return cls(values["id"], values["name"], values["created"], comparison, tuple(values["keys"]))


def comparison_id(comparison: Comparison) -> str:
    """Hash of the configuration."""
    known = comparison.to_dict() | {"datasets": [data.identity() for data in comparison.datasets]}
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


class RecordStore:
    """The comparisons in one folder.

    Args:
        root: the folder of runs and comparisons. Default: :func:`kernlab.paths.home`.

    Raises:
        StoreError: the folder cannot be used.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (Path(root) if root is not None else paths.home()) / "comparisons"
        self._cells = self.root / "cells"
        with self._guard():
            self._cells.mkdir(parents=True, exist_ok=True)

    # -- cells

    def get(self, key: str) -> Record | None:
        """The record of a cell; None where it was not computed, or its file is damaged (with a warning)."""
        path = self._cells / f"{key}.json"
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            record = Record.from_dict(values)
            if record.key != key or record.status not in ("done", "failed") or not isinstance(record.cell, dict):
                raise ValueError("it is not this cell's record")
            return record
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, AttributeError, OSError) as error:
            _log.warning("the record %s cannot be read (%s); the cell is computed again", path, error)
            return None

    def put(self, record: Record) -> None:
        """Store a record.

        Raises:
            StoreError: no space, or the folder cannot be written to; earlier records are not affected.
        """
        self._write(self._cells / f"{record.key}.json", record.to_dict())

    def claim(self, key: str) -> Claim | None:
        """The right to compute the cell; None while another thread or process has it."""
        with self._guard():
            return Claim.take(self._cells / f"{key}.lock")

    # -- comparisons

    def keep(self, comparison: Comparison, name: str = "", keys: tuple[str, ...] = ()) -> StoredComparison:
        """Store a comparison, or find the stored one; ``name`` and ``keys`` replace its own unless they are empty."""
        found = self._read(self.root / f"{comparison_id(comparison)}.json")
        stored = found or StoredComparison(comparison_id(comparison), "", time.time(), comparison)
        default = f"{', '.join(comparison.methods)} on {', '.join(each.dataset for each in comparison.datasets)}"
        stored = replace(stored, name=name or stored.name or default, keys=keys or stored.keys)
        if stored != found:
            self._write(self.root / f"{stored.id}.json", stored.to_dict())
        return stored

    def comparisons(self) -> list[StoredComparison]:
        """All comparisons, newest first."""
        with self._guard():
            found = [self._read(path) for path in self.root.glob("*.json")]
        return sorted((each for each in found if each), key=lambda each: each.created, reverse=True)

    def comparison(self, id: str) -> StoredComparison:
        """The comparison of that id.

        Raises:
            UnknownNameError: no comparison has that id.
        """
        known = {each.id: each for each in self.comparisons()}
        if id not in known:
            raise UnknownNameError.among("comparison", id, known)
        return known[id]

    def delete(self, id: str) -> None:
        """Remove a comparison; its cells stay, since others may have them too."""
        with self._guard():
            (self.root / f"{self.comparison(id).id}.json").unlink(missing_ok=True)

    def work(self, id: str) -> Claim | None:
        """The claim of the process that works on a comparison; None while another process has it."""
        with self._guard():
            return Claim.take(self.root / f"{id}.lock")

    def working(self, id: str) -> str:
        """ "held" while a process works on the comparison, "abandoned" where one was killed at it, else ""."""
        return Claim.state(self.root / f"{id}.lock")

    def worked_on(self) -> list[StoredComparison]:
        """The comparisons that a process works on."""
        with self._guard():
            paths = [path for path in self.root.glob("*.lock") if Claim.state(path) == "held"]
        return [found for path in paths if (found := self._read(path.with_suffix(".json")))]

    def records(self, stored: StoredComparison) -> list[Record]:
        """Its computed records, in the order of its cells."""
        return [record for key in stored.keys if (record := self.get(key))]

    def finished(self, stored: StoredComparison) -> int:
        """How many of its cells have a record, without reading them."""
        return sum((self._cells / f"{key}.json").exists() for key in stored.keys)

    # -- the disk

    def _read(self, path: Path) -> StoredComparison | None:
        try:
            return StoredComparison.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError, OSError, KernlabError) as error:
            _log.warning("the comparison %s cannot be read: %s", path, error)
            return None

    def _write(self, path: Path, values: Mapping[str, Any]) -> None:
        with self._guard(), replacing(path) as file:
            file.write(json.dumps(values, ensure_ascii=False).encode())

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn what the disk refuses into a StoreError that names the folder."""
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            fix = "free some space there" if full else "make the folder writable"
            raise StoreError(
                f"the folder of comparisons {self.root} must be readable, writable and have free space",
                error,
                f"{fix}, or point KERNLAB_HOME at another folder; what is finished is kept",
            ) from error
