"""LIBSVM's and SVMlight's sparse text: ``label index:value index:value …``, one row a line."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from kernlab.data.readers.base import MOST_COLUMNS, SAMPLE, Reader, Reading, Upload, column_names
from kernlab.errors import DataError

__all__ = ["SvmlightReader"]

_BLOCK = 2**22  # bytes parsed at once
_CELLS = 2**21  # numbers that a block may become


class SvmlightReader(Reader):
    """scikit-learn parses the lines; what is not written is 0."""

    format = "svmlight"
    suffixes = (".svmlight", ".svm", ".libsvm")
    one_number_type = True
    target = "target"

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload, self.reading = upload, Reading(format=self.format, features=reading.features)
        low, high, rows = 2**62, 0, 0
        for lines, _ in self._blocks(2**62):
            for line in lines:
                rows += 1
                parts = line.split(b"#", 1)[0].split(None, 2)
                if len(parts) > 1:
                    first = parts[1] if not parts[1].startswith(b"qid") else (parts[2:] or [b""])[0].split(b" ")[0]
                    last = line.split(b"#", 1)[0].rstrip().rsplit(None, 1)[-1]
                    for part in (first, last):
                        if not part or part.startswith(b"qid"):
                            continue
                        place, colon, _value = part.partition(b":")
                        if not colon or not place.isdigit() or len(place) > 9:
                            raise self._refused(rows, part)
                        low, high = min(low, int(place)), max(high, int(place))
        if not rows:
            raise DataError(f"{upload.name} must contain rows", "none", "choose another file")
        self._zero = low == 0
        d = high + self._zero
        if d > MOST_COLUMNS or not d:
            raise DataError(f"{upload.name} must have from 1 to {MOST_COLUMNS} features", f"an index of {high}",
                            "keep the features that matter")  # fmt: skip
        if reading.features is not None and reading.features < d:
            raise DataError(f"features must be at least as many as {upload.name} has", f"{reading.features}, and an "
                            f"index of {high}", "give a larger number, or none")  # fmt: skip
        self.rows, d = rows, reading.features or d
        self.names, self.notes = column_names([*(f"x{j + 1}" for j in range(d)), "target"], upload.name)

    def _refused(self, row: int, part: bytes) -> DataError:
        shown = part[:40].decode("utf-8", "replace")
        return DataError(
            f"every row of {self.upload.name} must be a number and then index:value pairs in rising order",
            f"row {row:,}: {shown!r}",
            "correct that row, or choose another format",
        )

    def _blocks(self, cells: int) -> Iterator[tuple[list[bytes], int]]:
        """Lines with a row each, about a block of them at a time, and the bytes read so far."""
        rest, read = b"", 0
        with self.upload.open() as file:
            while part := file.read(_BLOCK):
                read += len(part)
                *whole, rest = (rest + part).split(b"\n")
                if len(rest) > 16 * _BLOCK:
                    raise DataError(f"a row of {self.upload.name} must have at most {16 * _BLOCK} bytes",
                                    "a longer one", "check the ends of its lines")  # fmt: skip
                lines = [line for line in whole if line.split(b"#", 1)[0].strip()]
                for start in range(0, len(lines), cells):
                    yield lines[start : start + cells], read
        if rest.split(b"#", 1)[0].strip():
            yield [rest], read

    def sample(self) -> Any:
        import pyarrow as pa

        for batch, _ in self._batches(min(SAMPLE, max(1, 5 * _CELLS // len(self.names)))):
            return pa.Table.from_batches([batch])

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        return self._batches(max(1, _CELLS // len(self.names)))

    def _batches(self, rows: int) -> Iterator[tuple[Any, float]]:
        import pyarrow as pa
        from sklearn.datasets import load_svmlight_file

        d, done = len(self.names) - 1, 0
        for lines, read in self._blocks(rows):
            try:
                X, y = load_svmlight_file(io.BytesIO(b"\n".join(lines)), n_features=d, zero_based=self._zero)
                if X.shape[0] != len(lines):
                    raise ValueError
            except (ValueError, OverflowError, IndexError):
                raise self._first_wrong(lines, d, done) from None
            values = np.ascontiguousarray(X.toarray().T)
            columns = [pa.array(column) for column in values] + [pa.array(y)]
            done += len(lines)
            yield pa.RecordBatch.from_arrays(columns, list(self.names)), min(1.0, read / self.upload.size)

    def _first_wrong(self, lines: list[bytes], d: int, before: int) -> DataError:
        from sklearn.datasets import load_svmlight_file

        for place, line in enumerate(lines, before + 1):
            try:
                X, _ = load_svmlight_file(io.BytesIO(line), n_features=d, zero_based=self._zero)
                if X.shape[0] != 1:
                    raise ValueError
            except (ValueError, OverflowError, IndexError):
                return self._refused(place, line)
        return self._refused(before + 1, lines[0])
