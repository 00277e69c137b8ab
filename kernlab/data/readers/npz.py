"""NumPy's NPZ archives without pickle: X and y, or columns of equal length. Nothing is unpacked onto the disk."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

from kernlab.data.readers.base import MOST_COLUMNS, SAMPLE, Reader, Reading, Upload, column_names
from kernlab.errors import DataError

__all__ = ["NpzReader"]

_INPUTS = ("x", "data", "features", "inputs", "x_train")
_TARGETS = ("y", "target", "targets", "label", "labels", "y_train")
_CELLS = 2**21
_WHOLE = 2**28  # bytes of an array that must be read as a whole
_MOST_NUMBERS = 2**31


class _Array(NamedTuple):
    member: str
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


class NpzReader(Reader):
    """Rows of the arrays side by side; arrays in C order are read block by block."""

    format = "npz"
    suffixes = (".npz",)

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload, self.reading = upload, Reading(format=self.format)
        with self._opened() as archive:
            arrays = {}
            for info in archive.infolist()[: MOST_COLUMNS + 1]:
                name = info.filename.removesuffix(".npy")
                arrays[name] = self._header(archive, info)
        by_name = {name.lower(): name for name in arrays}
        inputs = next((by_name[word] for word in _INPUTS if word in by_name), None)
        target = next((by_name[word] for word in _TARGETS if word in by_name), None)
        chosen = [each for each in (inputs, target) if each] if inputs else list(arrays)
        if target and not inputs:
            chosen = [*(each for each in chosen if each != target), target]
        self._arrays, titles = [], []
        for name in chosen:
            array = arrays[name]
            if len(array.shape) not in (1, 2) or not array.shape[0]:
                raise DataError(f"arrays of {upload.name} must have rows, and columns or none",
                                f"{name!r} of shape {array.shape}", "reshape it to rows and columns")  # fmt: skip
            width = array.shape[1] if len(array.shape) == 2 else 1
            if width > MOST_COLUMNS or array.shape[0] * width > _MOST_NUMBERS:
                raise DataError(f"{upload.name} must have at most {MOST_COLUMNS} columns and {_MOST_NUMBERS} numbers",
                                f"{name!r} of shape {array.shape}", "keep a part of it")  # fmt: skip
            prefix = "x" if name == inputs else name
            titles += [name] if len(array.shape) == 1 or (name == target and width == 1) else [
                f"{prefix}{j + 1}" for j in range(width)]  # fmt: skip
            self._arrays.append(array)
        lengths = {array.shape[0] for array in self._arrays}
        if len(lengths) != 1:
            raise DataError(f"arrays of {upload.name} must have equally many rows",
                            ", ".join(map(str, sorted(lengths))) or "no array", "name them X and y")  # fmt: skip
        self.rows = lengths.pop()
        self.names, self.notes = column_names(titles, upload.name)
        self.target = target if target in self.names else ""

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        name = self.upload.name
        try:
            with self.upload.open() as raw, zipfile.ZipFile(raw) as archive:
                yield archive
        except (zipfile.BadZipFile, zlib.error, ArithmeticError, EOFError, LookupError, MemoryError, OSError,
                RuntimeError, SyntaxError, TypeError, ValueError) as error:  # fmt: skip
            if isinstance(error, DataError):
                raise
            reason = str(error).splitlines()[0].rstrip(".")[:200] if str(error) else type(error).__name__
            raise DataError(f"{name} must be a whole NPZ archive", reason, "write it again with numpy.savez") from None

    def _header(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Array:
        with archive.open(info) as file:
            shape, fortran, dtype = _npy_header(file)
        if dtype.hasobject or dtype.kind not in "biufUSM":
            raise DataError(f"arrays of {self.upload.name} must be of numbers or words; pickled objects are never read",
                            f"{info.filename!r} of type {dtype}", "save it as numbers or words")  # fmt: skip
        return _Array(info.filename, shape, fortran, dtype)

    def _pieces(self, archive: zipfile.ZipFile, array: _Array, rows: int) -> Iterator[Any]:
        """Blocks [rows columns] of an array."""
        n = array.shape[0]
        size = int(np.prod(array.shape, dtype=object)) * array.dtype.itemsize
        with archive.open(array.member) as file:
            _npy_header(file)
            if len(array.shape) == 2 and array.fortran:
                if size > _WHOLE:
                    raise DataError(f"a large array of {self.upload.name} must be in C order",
                                    f"{array.member!r} in Fortran order with {size} bytes",
                                    "save numpy.ascontiguousarray of it")  # fmt: skip
                whole = np.frombuffer(_read(file, size), array.dtype).reshape(array.shape, order="F")
                for start in range(0, n, rows):
                    yield whole[start : start + rows]
                return
            row = size // n
            for start in range(0, n, rows):
                count = min(rows, n - start)
                yield np.frombuffer(_read(file, count * row), array.dtype).reshape(count, -1)

    def sample(self) -> Any:
        import pyarrow as pa

        for batch, _ in self._batches(max(1, min(SAMPLE, 5 * _CELLS // len(self.names)))):
            return pa.Table.from_batches([batch])

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        return self._batches(max(1, _CELLS // len(self.names)))

    def _batches(self, rows: int) -> Iterator[tuple[Any, float]]:
        import pyarrow as pa

        done, total = 0, self.rows or 1
        with self._opened() as archive:
            for pieces in zip(*(self._pieces(archive, array, rows) for array in self._arrays), strict=True):
                columns = [_column(piece[:, j]) for piece in pieces for j in range(piece.shape[1])]
                done += len(pieces[0])
                yield pa.RecordBatch.from_arrays(columns, list(self.names)), done / total


def _npy_header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(file)
    headers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in headers:
        raise ValueError(f"arrays of NPY version {version[0]}.{version[1]} are not read")
    try:
        found = headers[version](file)
    except (tokenize.TokenError, SyntaxError, RecursionError, MemoryError) as error:  # it is read as a Python literal
        raise ValueError(f"a header that cannot be read: {error}") from None
    if any(size < 0 for size in found[0]):
        raise ValueError("a negative size")
    return found


def _read(file: Any, size: int) -> bytes:
    parts = []
    while size and (part := file.read(min(size, 2**22))):
        parts.append(part)
        size -= len(part)
    if size:
        raise ValueError("an array ends too early")
    return b"".join(parts)


def _column(values: Any) -> Any:
    import pyarrow as pa

    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    if values.dtype.kind == "U":
        codes = np.ascontiguousarray(values).view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        if (codes > 0x10FFFF).any():
            raise ValueError("words with characters that are none")
        return pa.array(values.tolist(), pa.string())
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    return pa.array(np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="))), from_pandas=True)
