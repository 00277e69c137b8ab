"""The words of the pages: what terms and symbols mean, wherever they stand.

``glossary.toml`` has the definitions. The browser links them where they stand in texts, labels and legends
(glossary.mjs finds them in a text, words.mjs on the page); :func:`found` finds the same here.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

__all__ = ["Definition", "address", "found", "meaning", "routes", "terms"]

_FILE = Path(__file__).with_name("glossary.toml")


class Definition(NamedTuple):
    """One entry of the glossary.

    Attributes:
        name: the term, as its definition is headed.
        also: spellings that are found anywhere in a text, the name among them.
        labels: spellings that count only where they are the whole text, such as "train" in a legend.
        formulas: spellings that count only in formulas, which the browser alone can take apart.
        words: its definition, one or two sentences.
    """

    name: str
    also: tuple[str, ...]
    labels: tuple[str, ...]
    formulas: tuple[str, ...]
    words: str


@cache
def terms() -> tuple[Definition, ...]:
    """All entries, in the order of the file."""
    entries = tomllib.loads(_FILE.read_text("utf-8"))
    return tuple(_term(name, **each) for name, each in entries.items())


def _term(
    name: str,
    words: str,
    also: Sequence[str] = (),
    labels: Sequence[str] = (),
    formulas: Sequence[str] = (),
    label: bool = False,
) -> Definition:
    anywhere, alone = (also, (name, *labels)) if label else ((name, *also), labels)
    return Definition(name, tuple(anywhere), tuple(alone), tuple(formulas), words)


def _is_symbol(name: str) -> bool:
    """Whether a name is found only as it is written: it has no three letters in a row."""
    return re.search(r"[^\W\d_]{3}", name) is None


def _is_initial(text: str, start: int, end: int) -> bool:
    """Whether a symbol is the first letter of a person's name: "J. Li, Y. Liu and W. Wang" speaks of no symbol."""
    if end != start + 1 or not re.match(r"[A-Z]\.[\s-]?[A-Z]", text[start:]):
        return False
    return re.search(r"(?:^|\(|[,;]\s|\band\s|\b[A-Z]\.[\s-]?)$", text[:start]) is not None


@cache
def _finder() -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for every spelling, the longest first, and the term of each."""
    owners = {each if _is_symbol(each) else each.lower(): term.name for term in terms() for each in term.also}
    names = [re.escape(name).replace(r"\ ", r"\s") + ("s?" if name[-1].isalpha() and not _is_symbol(name) else "")
             for name in sorted(owners, key=len, reverse=True)]  # fmt: skip
    # A hyphen makes another word: "2-D" has no D, "non-stationary" nothing that is stationary.
    return re.compile(rf"(?<![\w\-‑])(?:{'|'.join(names)})(?![\w]|[-‑]\w)", re.IGNORECASE), owners


def found(text: str) -> list[str]:
    """The terms of a text by name, in the order of their first occurrence."""
    if alone := next((term.name for term in terms() if text.strip() in term.labels), None):
        return [alone]
    pattern, owners = _finder()
    matches = (match for match in pattern.finditer(text) if not _is_initial(text, *match.span()))
    hits = (re.sub(r"\s", " ", match.group()) for match in matches)
    names = (owners.get(hit) or owners.get(hit.lower()) or owners.get(hit.lower().removesuffix("s")) for hit in hits)
    return list(dict.fromkeys(filter(None, names)))


def meaning(text: str) -> str | None:
    """The definition of the first term of a text, for heads of tables, which a browser paints; None: it has none."""
    names = found(text)
    return next((term.words for term in terms() if term.name in names[:1]), None)


@cache
def _json() -> bytes:
    return json.dumps([term._asdict() for term in terms()], ensure_ascii=False, separators=(",", ":")).encode()


@cache
def address() -> str:
    """Where the browser asks for the glossary, below the app's own address; another glossary has another address."""
    return f"words/{hashlib.sha256(_json()).hexdigest()[:12]}"


def routes(base: str) -> list[BaseRoute]:
    """The route of the glossary."""
    return [Route(f"{base}/{address()}", _answer)]


async def _answer(request: Request) -> Response:
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(_json(), media_type="application/json", headers=kept)
