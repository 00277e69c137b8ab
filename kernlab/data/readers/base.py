"""What every reader of a file format gives: how the file was understood, and its rows, batch by batch.

A file is never read as a whole. Cells come as the format stores them: text for CSV, typed columns for Parquet;
:mod:`kernlab.data.kinds` makes numbers and categories of both.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from kernlab.errors import DataError, OptionError

__all__ = ["MOST_COLUMNS", "SAMPLE", "Reader", "Reading", "Upload", "column_names", "refused"]

MOST_COLUMNS = 20_000
SAMPLE = 10_000  # rows that are looked at before an import
_LONGEST_NAME = 1000  # characters of a column's name


@dataclass(frozen=True)
class Reading:
    """How a file is to be read; None: found from its contents.

    Attributes:
        format: "csv" (any delimiter), "parquet", "arff", "svmlight", "npz" or "excel".
        delimiter: of CSV: one character; a blank stands for any number of blanks.
        encoding: of text: a codec's name, "utf-8", "utf-16", "cp1252" …
        header: whether the first row has the columns' names.
        decimal: "." or ",": the sign before a number's decimals.
        quote: the sign around cells that contain delimiters.
        sheet: of Excel: the name of the sheet.
        features: of LIBSVM, which has no trace of columns that are 0 to the end in every row: how many there are.
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    decimal: str | None = None
    quote: str | None = None
    sheet: str | None = None
    features: int | None = None

    def __post_init__(self) -> None:
        for name, allowed in (("decimal", (".", ",")), ("header", (True, False))):
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise OptionError(f"{name} must be {allowed[0]!r} or {allowed[1]!r}", repr(value))
        for name in ("delimiter", "quote"):
            value = getattr(self, name)
            if value is not None and (len(value) != 1 or not value.isascii() or value in "\r\n\0"):
                raise OptionError(f"{name} must be one ASCII character", repr(value))
        if self.features is not None and not 1 <= self.features <= MOST_COLUMNS:
            raise OptionError(f"features must be a whole number from 1 to {MOST_COLUMNS}", self.features)
        if self.delimiter is not None and self.delimiter in (self.quote, self.decimal):
            raise OptionError("delimiter, quote and decimal must differ", f"{self.delimiter!r} twice")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: what is not None."""
        return {key: value for key, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Upload:
    """A file on the disk or in memory.

    Attributes:
        name: its file name, which tells the format.
        content: a path, or the bytes themselves.
    """

    name: str
    content: Path | bytes

    @classmethod
    def of(cls, source: str | Path | bytes | Upload, name: str = "") -> Upload:
        """The file at a path, or the bytes with a file name.

        Raises:
            DataError: there is no such regular file.
        """
        if isinstance(source, Upload):
            return source
        if isinstance(source, bytes | bytearray | memoryview):
            return cls(name or "table.csv", bytes(source))
        path = Path(source).expanduser()
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError) as error:
            raise DataError("the file must exist", f"{path}: {error}", "correct the path") from None
        if not stat.S_ISREG(mode):  # reading a pipe or a device may wait for ever
            raise DataError("the path must lead to a regular file", str(path), "choose a file")
        return cls(name or path.name, path)

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size

    def open(self) -> BinaryIO:
        """The bytes from the start."""
        try:
            return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")
        except OSError as error:
            raise DataError(f"{self.name} must be readable", error, "check its permissions") from None

    @property
    def stem(self) -> str:
        """The file name without its folder and endings."""
        return os.path.basename(self.name.replace("\\", "/")).split(".")[0]


class Reader:
    """Base of the readers: one open format.

    Attributes:
        reading: the options with everything found.
        names: the columns' names, all different.
        notes: sentences on what was assumed.
        target: the column that the format itself calls the target, else "".
        rows: number of rows, None where only reading all of them would show it; ``sample`` may find it.

    Class attributes:
        format, suffixes: its name, and the endings of its files.
        one_number_type: whether the format cannot tell whole numbers from others by their type.
    """

    format: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    one_number_type: ClassVar[bool] = False

    upload: Upload
    reading: Reading
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    target: str = ""
    rows: int | None = None

    def __init__(self, upload: Upload, reading: Reading) -> None:
        raise NotImplementedError

    def sample(self) -> Any:
        """A ``pyarrow.Table`` of at most about ``SAMPLE`` rows."""
        raise NotImplementedError

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        """All rows as ``pyarrow.RecordBatch``, each with the share of the file that has been read (0 … 1).

        Args:
            numbers: columns that are wanted as numbers: a reader of text may parse them at once.

        Raises:
            DataError: what cannot be read, with its row where one can be named.
        """
        raise NotImplementedError

    def estimated_rows(self) -> int | None:
        """How many rows there are, about."""
        return self.rows

    def levels(self, name: str) -> tuple[str, ...]:
        """The categories that the format declares for a column; none where it does not."""
        return ()


_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def column_names(found: Sequence[str], file: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names that differ and are not empty, with sentences on what was changed.

    Raises:
        DataError: too many columns, or a name that is too long.
    """
    if len(found) > MOST_COLUMNS:
        raise DataError(
            f"{file} must have at most {MOST_COLUMNS} columns",
            f"{len(found)} columns",
            "keep the columns that matter, or check the delimiter",
        )
    names: list[str] = []
    taken: set[str] = set()
    changed = []
    for place, each in enumerate(found, 1):
        name = _CONTROL.sub(" ", each).strip()  # pandas and files of other formats lose a NUL
        if len(name) > _LONGEST_NAME:
            raise DataError(
                f"column names of {file} must have at most {_LONGEST_NAME} characters",
                f"column {place}: {name[:20]!r} … with {len(name)}",
                "rename the column, or read the file without a header",
            )
        start = name or f"column {place}"
        name, again = start, 1
        while name in taken:
            again += 1
            name = f"{start} ({again})"
        if name != each.strip():
            changed.append(name)
        taken.add(name)
        names.append(name)
    more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
    note = f"Columns without a name of their own were named anew: {', '.join(changed[:5])}{more}."
    return tuple(names), (note,) * bool(changed)


def refused(file: str, row: int | None, column: str, what: str, fix: str) -> DataError:
    """The sentence about one cell; rows count from 1, the heading left out."""
    place = f"row {row:,}" if row is not None else ""
    place += (", " if place and column else "") + (f"column {column!r}" if column else "")
    return DataError(f"every cell of {file} must be readable", f"{place}: {what}" if place else what, fix)
