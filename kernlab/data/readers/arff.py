"""ARFF, the format of Weka and OpenML: attributes with declared types, then rows, dense or sparse."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from kernlab.data.readers.base import MOST_COLUMNS, SAMPLE, Reader, Reading, Upload, column_names
from kernlab.data.readers.delimited import DelimitedReader
from kernlab.data.readers.text import Utf8Stream, found_encoding, head_of
from kernlab.errors import DataError

__all__ = ["ArffReader"]

_WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_WORD}|[^\s{{]+)\s*(.*)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_WORD}|[^,]*?)\s*(?:,|$)")
_DATA = re.compile(rb"(?im)^[ \t]*@data[ \t]*(?:%[^\n]*)?\r?$")
_SPECIAL = (b"'", b'"', b"%", b"{", b"\\", b" ", b"\t", b";")
_ROWS = 20_000  # of a batch that Python reads
_LONGEST = 2**23  # characters of a line


class ArffReader(Reader):
    """Rows without quotes, blanks, comments and braces are parsed by PyArrow, all others by Python."""

    format = "arff"
    suffixes = (".arff",)

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload = upload
        encoding = reading.encoding or found_encoding(upload)
        head = head_of(upload)
        found = _DATA.search(head)
        if not found:
            raise DataError(f"{upload.name} must be an ARFF file with a line @data", "none in its first 4 MB",
                            "choose another format, or save it as UTF-8")  # fmt: skip
        self._start = min(found.end() + 1, upload.size)
        self.reading = replace(reading, format=self.format, encoding=encoding, decimal=".")
        try:
            lines = head[: found.start()].decode(encoding, "replace").splitlines()
        except (LookupError, UnicodeError):
            raise DataError(f"{upload.name} must be text", f"encoding {encoding}", "use utf-8 or cp1252") from None
        names, self._levels, types = [], [], []
        for number, line in enumerate(lines, 1):
            if not (text := line.strip()) or not text.lower().startswith("@attribute"):
                continue
            match = _ATTRIBUTE.fullmatch(text)
            kind = match[2].split("%")[0].strip() if match and not match[2].startswith("{") else match and match[2]
            if not match or not kind or kind.lower().startswith("relational"):
                raise DataError(f"every attribute of {upload.name} must have a name and a type",
                                f"line {number}: {text[:80]!r}", "correct that line")  # fmt: skip
            names.append(_plain(match[1]))
            types.append(kind.lower())
            inside = kind.strip()[1 : kind.rfind("}")] if kind.startswith("{") else ""
            self._levels.append(tuple(_split(inside)) if inside else ())
            if len(names) > MOST_COLUMNS:
                break
        if not names:
            raise DataError(f"{upload.name} must have attributes", "none", "choose another file")
        self.names, self.notes = column_names(names, upload.name)
        self.target = next((name for name in self.names if name.lower() == "class"), self.names[-1])
        self._numeric = [kind.startswith(("numeric", "real", "integer")) for kind in types]
        self._plain: bool | None = None

    def levels(self, name: str) -> tuple[str, ...]:
        return self._levels[self.names.index(name)]

    def estimated_rows(self) -> int:
        part = head_of(self.upload)[self._start :]
        lines = part.count(b"\n")
        return round((self.upload.size - self._start) * lines / len(part)) if lines else 1

    def _dense(self) -> DelimitedReader:
        reading = replace(self.reading, format="csv", delimiter=",", quote='"', header=False)
        return DelimitedReader(self.upload, reading, self._start, self.names)

    def _is_plain(self) -> bool:
        """Whether PyArrow can parse the rows."""
        if self._plain is None:
            self._plain = self.upload.size > self._start
            with self.upload.open() as file:
                file.seek(self._start)
                while self._plain and (part := file.read(2**22)):
                    self._plain = not any(sign in part for sign in _SPECIAL)
        return self._plain

    def sample(self) -> Any:
        import pyarrow as pa

        # The first rows say whether Python must read them; the whole file is searched only for an import.
        with self.upload.open() as file:
            file.seek(self._start)
            part = file.read(2**20)
        if part.strip() and not any(sign in part for sign in _SPECIAL):
            dense = self._dense()
            sampled, self.rows = dense.sample(), dense.rows
            return sampled
        for batch, share in self._slow(SAMPLE):
            self.rows = batch.num_rows if share == 1 else None
            return pa.Table.from_batches([batch])
        raise DataError(f"{self.upload.name} must contain rows", "none", "choose another file")

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        return self._dense().batches(numbers) if self._is_plain() else self._slow(_ROWS)

    def _slow(self, rows: int) -> Iterator[tuple[Any, float]]:
        width, done, cells, read = len(self.names), 0, [], self._start
        for line in self._lines():
            read += len(line) + 1
            text = line.strip()
            if not text or text.startswith("%"):
                continue
            row = self._sparse(text, done + 1) if text.startswith("{") else _split(text)
            if len(row) != width:
                raise DataError(f"every row of {self.upload.name} must have {width} cells",
                                f"row {done + 1:,}: {len(row)} in {text[:60]!r}", "correct that row")  # fmt: skip
            cells.append([None if cell == "?" else cell for cell in row])
            done += 1
            if len(cells) * width >= 2**21 or len(cells) == rows:
                yield self._batch(cells), min(1.0, read / self.upload.size)
                cells = []
        if cells:
            yield self._batch(cells), 1.0

    def _lines(self) -> Iterator[str]:
        rest = b""
        with Utf8Stream(self.upload, str(self.reading.encoding), start=self._start) as stream:
            while part := stream.read(2**20):
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield line.decode("utf-8", "replace")
                if len(rest) > _LONGEST:
                    raise DataError(f"a row of {self.upload.name} must have at most {_LONGEST} bytes", "a longer one",
                                    "check the ends of its lines")  # fmt: skip
        yield rest.decode("utf-8", "replace")

    def _batch(self, cells: Sequence[Sequence[str | None]]) -> Any:
        import pyarrow as pa

        columns = [pa.array(column, pa.string()) for column in zip(*cells, strict=True)]
        return pa.RecordBatch.from_arrays(columns, list(self.names))

    def _sparse(self, text: str, row: int) -> list[str]:
        """{place value, …}: what is not named is 0, of a nominal attribute its first level."""
        cells = [levels[0] if levels else "0" for levels in self._levels]
        if not text.endswith("}"):
            text += "}"
        for entry in _split(text[1:-1]) if text[1:-1].strip() else ():
            place, _, value = entry.partition(" ")
            if not place.isdecimal() or int(place) >= len(cells):
                raise DataError(f"places in a sparse row of {self.upload.name} must be below {len(cells)}",
                                f"row {row:,}: {entry[:40]!r}", "correct that row")  # fmt: skip
            cells[int(place)] = _plain(value.strip())
        return cells


def _split(text: str) -> list[str]:
    """The cells of a line that is separated by commas."""
    found, at = [], 0
    while at <= len(text):
        match = _CELL.match(text, at)
        if match is None:  # something follows a closing quote
            end = text.find(",", at)
            end = len(text) if end < 0 else end
            found.append(text[at:end].strip())
            at = end + 1
            continue
        found.append(_plain(match[1]))
        if match.end() == len(text) and not match[0].endswith(","):
            break
        at = match.end()
    return found


def _plain(word: str) -> str:
    """A word without its quotes and backslashes."""
    if len(word) > 1 and word[0] in "'\"" and word[-1] == word[0]:
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word
