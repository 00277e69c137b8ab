"""CSV and its relatives: any delimiter, encoding, with or without a header, decimal point or comma.

Delimiter, header and decimal sign are found from the first lines; PyArrow parses. Every cell is read as text, so that
what is no number is refused with its row and column and never turned into something else.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from kernlab.data.kinds import MISSING, NUMBER
from kernlab.data.readers.base import MOST_COLUMNS, SAMPLE, Reader, Reading, Upload, column_names
from kernlab.data.readers.text import Utf8Stream, found_encoding, native, passages, refuse_zeros
from kernlab.errors import DataError

__all__ = ["DelimitedReader", "has_header"]

_DELIMITERS = (",", ";", "\t", "|", " ", ":")
_LINES = 200  # of which the delimiter is found
_BLOCK = 2**23  # bytes parsed at once
_WIDEST = 2**20  # bytes of the first lines; a row may be that long
#: PyArrow's words for a row with too few or too many cells. Its callback for such rows is not called where their text
#: is not UTF-8.
_RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): (.*)", re.DOTALL)


class _NoNumberError(Exception):
    """A cell is no number, or one that PyArrow does not parse."""


class DelimitedReader(Reader):
    """Text with one row a line."""

    format = "csv"
    suffixes = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")

    def __init__(self, upload: Upload, reading: Reading, start: int = 0, names: Sequence[str] = ()) -> None:
        """``start``, ``names``: where the rows begin and what the columns are called, where a format says so."""
        self.upload, self._start = upload, start
        encoding = reading.encoding or found_encoding(upload)
        head = self._head(encoding)
        lines = head.split("\n")[: _LINES + 1]
        self._blank = next((place for place, line in enumerate(lines) if line.strip()), None)
        if self._blank is None:
            raise DataError(f"{upload.name} must contain rows", "blank lines only", "choose another file")
        quote = reading.quote or '"'
        delimiter = reading.delimiter or _delimiter(lines, quote, upload.name)
        rows = _cells(head, delimiter, quote)
        if not rows or (len(rows) == 1 and reading.header and not names):
            raise DataError(f"{upload.name} must contain rows", "none", "choose another file")
        if len(rows[0]) > MOST_COLUMNS:
            column_names(rows[0], upload.name)
        decimal = reading.decimal or ("," if delimiter != "," and _decimal_commas(rows) else ".")
        header = reading.header
        if names:
            header = False
        elif header is None:
            header = has_header(rows, decimal)
        titles = names or (rows[0] if header else [f"x{j + 1}" for j in range(len(rows[0]))])
        self.names, self.notes = column_names(titles, upload.name)
        self.reading = replace(
            reading, delimiter=delimiter, encoding=encoding, header=header, decimal=decimal, quote=quote
        )
        self._rarer = False  # whether some numbers are written in a way that PyArrow does not parse
        self._checked = not encoding.startswith("utf-8")  # for zero bytes, which decoding looks for itself
        # Bytes of a row, as they are on the disk.
        sampled = head.split("\n")
        width = len("\n".join(sampled[:-1] if len(sampled) > 1 else sampled).encode()) / max(1, len(sampled) - 1)
        self._width = width * (2 if encoding.startswith("utf-16") else 1)

    def estimated_rows(self) -> int:
        return max(1, round((self.upload.size - self._start) / max(1.0, self._width)) - bool(self.reading.header))

    def _head(self, encoding: str) -> str:
        with Utf8Stream(self.upload, encoding, blanks=False, start=self._start) as stream:
            part = stream.read(_WIDEST)
            while len(part) < _WIDEST and (more := stream.read(_WIDEST - len(part))):
                part += more
        text = part.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        if len(part) >= _WIDEST and "\n" in text:
            text = text[: text.rindex("\n")]  # the last line may be cut
        return text

    @contextmanager
    def _parsed(self, block: int, numbers: Collection[str] = ()) -> Iterator[tuple[Any, Any]]:
        """PyArrow's batches, and the file that they come from.

        PyArrow parses with one thread. With several it reads ahead, and whoever stops early leaves work in its threads,
        which abort a process that ends meanwhile; it also counts rows, for its errors, with one thread alone. On two
        cores it is as fast.
        """
        import pyarrow as pa
        import pyarrow.csv as pc

        reading = self.reading
        text = native(self.upload, reading.encoding or "utf-8", blanks=reading.delimiter == " ", start=self._start)
        with text as source:
            try:
                batches = pc.open_csv(
                    source,
                    read_options=pc.ReadOptions(
                        block_size=block,
                        column_names=self.names,
                        skip_rows_after_names=int(bool(reading.header)) and 1 + int(self._blank or 0),
                        use_threads=False,
                    ),
                    parse_options=pc.ParseOptions(
                        delimiter=reading.delimiter,
                        quote_char=reading.quote,
                        newlines_in_values=True,
                    ),
                    convert_options=pc.ConvertOptions(
                        column_types={each: pa.float64() if each in numbers else pa.string() for each in self.names},
                        decimal_point=reading.decimal,
                        null_values=MISSING,
                        strings_can_be_null=True,
                    ),
                )
                yield batches, source
            except (pa.ArrowException, UnicodeError, OSError) as error:
                ragged = _RAGGED.search(str(error))
                if not ragged and "conversion error to double" in str(error):
                    raise _NoNumberError from None
                raise self._reason(str(error), ragged) from None

    def _reason(self, text: str, ragged: re.Match[str] | None) -> DataError:
        name = self.upload.name
        if ragged:
            number, expected, actual, row = ragged.groups()
            at = f"row {int(number) - bool(self.reading.header):,}: " if number else ""
            cells = f"{actual} cell{'s' * (actual != '1')}"
            return DataError(
                f"every row of {name} must have {expected} cells",
                f"{at}{cells} in {row[:60]!r}",
                "correct that row, or choose another delimiter, quote or encoding",
            )
        if "UTF8" in text or "utf-8" in text:
            column = re.search(r"column #(\d+)", text)
            where = f"column {self.names[int(column[1])]!r}: " if column else ""
            return DataError(f"{name} must be UTF-8 text", f"{where}bytes that are not UTF-8",
                             "choose its encoding, for example cp1252")  # fmt: skip
        if "straddling" in text:
            return DataError(f"a row of {name} must have at most {_BLOCK} bytes", "a longer one",
                             "check for a quote that is never closed, or choose another quote")  # fmt: skip
        return DataError(f"{name} must be a table of text", text.splitlines()[0][:200].rstrip("."),
                         "check delimiter, quote and encoding")  # fmt: skip

    def sample(self) -> Any:
        import pyarrow as pa

        found, rows = [], 0
        with self._parsed(2**22) as (batches, _):
            for batch in batches:
                found.append(batch.slice(0, SAMPLE - rows))
                rows += found[-1].num_rows
                if rows >= SAMPLE:
                    break
            else:
                self.rows = rows
            schema = batches.schema
        more = None if self.rows is not None else self._further(schema)
        return pa.Table.from_batches([*found, *([more] if more is not None else [])], schema=schema)

    def _further(self, schema: Any) -> Any:
        """Rows from the passages behind the first ones; lines that are not whole rows are left out."""
        import pyarrow as pa

        encoding = self.reading.encoding or "utf-8"
        if encoding.startswith(("utf-16", "utf-32")):
            return None
        cells: list[list[str | None]] = []
        for part in passages(self.upload):
            text = part.decode(encoding, "replace").replace("\r\n", "\n")
            text = text[text.find("\n") + 1 : max(0, text.rfind("\n"))]
            rows = _cells(text, str(self.reading.delimiter), str(self.reading.quote))
            cells += [[None if c in MISSING else c for c in row] for row in rows if len(row) == len(self.names)]
        if not cells:
            return None
        return pa.RecordBatch.from_arrays([pa.array(c, pa.string()) for c in zip(*cells, strict=True)], schema=schema)

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        if not self._checked:
            refuse_zeros(self.upload, self._start)
            self._checked = True
        done = 0
        if numbers and not self._rarer:
            try:
                for batch, share in self._read(frozenset(numbers)):
                    yield batch, share
                    done += batch.num_rows
                return
            except _NoNumberError:  # or one that is written in a rarer way, which the text shows
                self._rarer = True
        for batch, share in self._read(frozenset()):
            fresh = batch.slice(max(0, done))
            done -= batch.num_rows
            if fresh.num_rows:
                yield fresh, share

    def _read(self, numbers: Collection[str]) -> Iterator[tuple[Any, float]]:
        with self._parsed(_BLOCK, numbers=numbers) as (batches, source):
            size = max(1, source.size())
            for batch in batches:
                yield batch, min(1.0, source.tell() / size)


def _cells(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """The cells of whole lines, blank lines left out."""
    if delimiter == " ":
        text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote) if row]
    except csv.Error:
        return [line.split(delimiter) for line in text.split("\n") if line]


def _delimiter(lines: Sequence[str], quote: str, name: str) -> str:
    """The delimiter by which most rows have the same number of cells, above one; of several the one with more cells.

    A file of one column has any; it is read with commas.
    """
    text = "\n".join(lines)
    best, score = ",", (0.0, 0)
    for each in _DELIMITERS:
        widths = Counter(map(len, _cells(text, each, quote)))
        if not widths:
            continue
        width, rows = widths.most_common(1)[0]
        if width < 2:
            continue
        agreeing = rows / sum(widths.values())
        # A blank or colon also stands inside words and times: a sign that people choose on purpose goes before it.
        agreeing -= 0.1 * (each in " :")
        if (round(agreeing, 2), width) > score:
            best, score = each, (round(agreeing, 2), width)
    return best


def _decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    cells = [cell.strip() for row in rows[1:_LINES] for cell in row]
    commas = sum(bool(re.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[-+]?\d*\.\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    return commas > points


def has_header(rows: Sequence[Sequence[str]], decimal: str) -> bool:
    """Whether the first row has names: words that differ, none of them a number, none of them among its column."""
    first, *others = rows
    if len(rows) < 2 or any(NUMBER.fullmatch(cell.strip().replace(decimal, ".")) for cell in first):
        return False
    first = [cell.strip() for cell in first]
    filled = [cell for cell in first if cell and cell not in MISSING]
    if len(filled) < 0.5 * len(first):
        return False
    for j, cell in enumerate(first):
        column = {row[j].strip() for row in others[:_LINES] if j < len(row)} - set(MISSING)
        if column and all(NUMBER.fullmatch(value.replace(decimal, ".")) for value in column):
            return True  # a word above numbers
        if cell in column:
            return False
    return True
