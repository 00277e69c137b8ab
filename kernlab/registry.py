"""Names to classes. A new part of kernlab is one file and one ``@REGISTRY.register("name")``.

Forms, the command line, the README's tables and the conformance tests all read the registries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from kernlab.errors import UnknownNameError

__all__ = ["Registry"]

T = TypeVar("T")
Entry = TypeVar("Entry")


class Registry(Mapping[str, T]):
    """A read-only mapping from name to entry that answers an unknown name with the nearest ones.

    Args:
        kind: what the entries are, for messages: "feature map", "method".
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def register(self, name: str) -> Callable[[Entry], Entry]:
        """Decorator that adds its class or function as ``name`` and returns it unchanged."""

        def added(entry: Entry) -> Entry:
            self.add(name, entry)  # type: ignore[arg-type]
            return entry

        return added

    def add(self, name: str, entry: T) -> None:
        if name in self._entries and self._entries[name] is not entry:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = entry

    def __getitem__(self, name: str) -> T:
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise UnknownNameError.among(self.kind, name, self._entries) from None

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind}s: {', '.join(self)}>"
