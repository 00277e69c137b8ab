"""Excel's .xlsx, with the extra ``kernlab[excel]``: the values of one sheet, never its formulas."""

from __future__ import annotations

import datetime
import threading
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import IO, Any

from kernlab.data.readers.base import SAMPLE, Reader, Reading, Upload, column_names
from kernlab.data.readers.delimited import has_header
from kernlab.errors import DataError, UnknownNameError

__all__ = ["ExcelReader"]

_LARGEST = 2**32  # bytes of the unpacked workbook: its rows are read one after another
_LARGEST_PART = 2**28  # of its words, which are kept in memory
_RATIO = 400  # to which a part may be packed: rows of equal cells come to 100
_ROWS = 20_000
_LOADING = threading.Lock()
#: What openpyxl raises for a damaged workbook: it checks little before it uses what it reads. Both parsers of XML
#: raise a SyntaxError: Python's own, and lxml, which openpyxl takes where it is installed.
_BROKEN = (zipfile.BadZipFile, zlib.error, SyntaxError, EOFError, ArithmeticError, AttributeError, LookupError, OSError,
           AssertionError, MemoryError, RuntimeError, TypeError, ValueError)  # fmt: skip


class ExcelReader(Reader):
    """openpyxl reads the sheet row by row."""

    format = "excel"
    suffixes = (".xlsx", ".xlsm")
    one_number_type = True

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload, self.reading = upload, replace(reading, format=self.format, header=False)
        with self._sheet() as sheet:
            first = [self._words(row) for row in islice(self._filled(sheet), 200)]
            title = sheet.title
        if not first:
            raise DataError(f"sheet {title!r} of {upload.name} must contain rows", "none", "choose another sheet")
        width = max(map(len, first))
        first = [[*row, *[""] * (width - len(row))] for row in first]
        header = reading.header if reading.header is not None else has_header(first, ".")
        titles = first[0] if header else [f"x{j + 1}" for j in range(width)]
        self.names, self.notes = column_names(titles, upload.name)
        if header and len(first) < 2:
            raise DataError(f"sheet {title!r} of {upload.name} must contain rows", "a heading only", "add rows")
        self.reading = Reading(format=self.format, header=header, decimal=".", sheet=title)

    @contextmanager
    def _sheet(self) -> Iterator[Any]:
        try:
            import openpyxl  # noqa: F401
        except ImportError:
            raise DataError("Excel files need the package openpyxl", "it is not installed",
                            "run pip install 'kernlab[excel]', or save the sheet as CSV") from None  # fmt: skip
        name = self.upload.name
        try:
            with self.upload.open() as raw:
                with zipfile.ZipFile(raw) as archive:
                    self._check(archive.infolist())
                raw.seek(0)
                book = _unmeasured(raw)
                try:
                    wanted = self.reading.sheet
                    sheets = {sheet.title: sheet for sheet in book.worksheets}
                    if not sheets or (wanted and wanted not in sheets):
                        raise UnknownNameError.among(f"sheet of {name}", wanted or "", sheets)
                    yield sheets[wanted] if wanted else next(iter(sheets.values()))
                finally:
                    book.close()
        except (DataError, UnknownNameError):
            raise
        except _BROKEN as error:
            reason = str(error).splitlines()[0].rstrip(".")[:200] if str(error) else type(error).__name__
            raise DataError(f"{name} must be an Excel workbook (.xlsx)", reason, "save it again, or as CSV") from None

    def _check(self, parts: Sequence[zipfile.ZipInfo]) -> None:
        large = sum(part.file_size for part in parts) > _LARGEST
        for part in parts:
            words = part.file_size > _LARGEST_PART and "worksheets/" not in part.filename
            packed = part.file_size > 2**24 and part.file_size > _RATIO * part.compress_size
            if large or words or packed:
                raise DataError(f"the workbook {self.upload.name} must not unpack to more than {_LARGEST} bytes",
                                f"{part.filename!r} with {part.file_size} bytes",
                                "save the sheet as CSV")  # fmt: skip

    @staticmethod
    def _filled(sheet: Any) -> Iterator[Sequence[Any]]:
        """Rows with at least one cell, without the empty cells at their ends."""
        for row in sheet.iter_rows(values_only=True):
            end = len(row)
            while end and row[end - 1] is None:
                end -= 1
            if end:
                yield row[:end]

    @staticmethod
    def _words(row: Sequence[Any]) -> list[str]:
        return ["" if cell is None else str(cell) for cell in row]

    def sample(self) -> Any:
        import pyarrow as pa

        for batch, _ in self._batches(SAMPLE):
            self.rows = batch.num_rows if batch.num_rows < min(SAMPLE, 2**21 // len(self.names)) else None
            return pa.Table.from_batches([batch])

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        return self._batches(_ROWS)

    def _batches(self, most: int) -> Iterator[tuple[Any, float]]:
        width, done = len(self.names), 0
        most = max(1, min(most, 2**21 // width))
        with self._sheet() as sheet:
            rows = self._filled(sheet)
            if self.reading.header:
                next(rows, None)
            while part := list(islice(rows, most)):
                for place, row in enumerate(part, done + 1):
                    if len(row) > width:
                        raise DataError(f"every row of {self.upload.name} must have at most {width} cells",
                                        f"row {place:,}: {len(row)} cells", "correct that row")  # fmt: skip
                done += len(part)
                yield self._batch(part, width), sheet.share

    def _batch(self, rows: Sequence[Sequence[Any]], width: int) -> Any:
        import pyarrow as pa

        columns = [_column([row[j] if j < len(row) else None for row in rows]) for j in range(width)]
        return pa.RecordBatch.from_arrays(columns, list(self.names))


def _unmeasured(raw: IO[bytes]) -> Any:
    """The workbook, whose sheets do not look for their sizes: the file may lie about them, and where it says nothing
    openpyxl reads the whole of every sheet for them."""
    from openpyxl.reader import excel

    class UnsizedSheet(excel.ReadOnlyWorksheet):  # type: ignore[misc]
        _source: Any = None

        def _get_size(self) -> None: ...

        def _get_source(self) -> Any:
            self._source = super()._get_source()
            return self._source

        @property
        def share(self) -> float:
            """Of the sheet's bytes, those that have been read."""
            if self._source is None or self._source.closed:
                return 1.0
            return float(self._source.tell() / max(1, self.parent._archive.getinfo(self._worksheet_path).file_size))

    with _LOADING:  # openpyxl offers no place for a class of ours
        theirs, excel.ReadOnlyWorksheet = excel.ReadOnlyWorksheet, UnsizedSheet
        try:
            return excel.load_workbook(raw, read_only=True, data_only=True, keep_links=False)
        finally:
            excel.ReadOnlyWorksheet = theirs


def _column(cells: list[Any]) -> Any:
    """Cells of one type as they are, mixed ones as words."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float} or kinds == {bool}:
        return pa.array(cells, pa.bool_() if kinds == {bool} else pa.float64())
    if kinds and kinds <= {datetime.datetime, datetime.date}:
        return pa.array([None if cell is None else datetime.datetime(*cell.timetuple()[:6]) for cell in cells],
                        pa.timestamp("us"))  # fmt: skip
    return pa.array([None if cell is None else _word(cell) for cell in cells], pa.string())


def _word(cell: Any) -> str:
    return f"{cell:g}" if isinstance(cell, float) and cell.is_integer() else str(cell)
