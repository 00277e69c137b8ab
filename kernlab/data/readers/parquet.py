"""Parquet files, row group by row group."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from kernlab.data.readers.base import SAMPLE, Reader, Reading, Upload, column_names
from kernlab.errors import DataError

__all__ = ["ParquetReader"]

_CELLS = 2**21  # decoded at once
_LARGEST_FOOTER = 2**25  # bytes: a footer is read as a whole


class ParquetReader(Reader):
    """Every column of a Parquet file; nested ones come as they are and are left out later."""

    format = "parquet"
    suffixes = (".parquet", ".pq")

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload, self.reading = upload, Reading(format=self.format)
        with self._opened() as file:
            self.rows = file.metadata.num_rows
            kept = [name for name in file.schema_arrow.names if not name.startswith("__index_level_")]
            self.names, self.notes = column_names(kept, upload.name)
            self._places = [file.schema_arrow.names.index(name) for name in kept]

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        name = self.upload.name
        try:
            with self.upload.open() as raw:
                size = raw.seek(0, 2)
                if size >= 12:
                    raw.seek(-8, 2)
                    length = int.from_bytes(raw.read(4), "little")
                    if raw.read(4) == b"PAR1" and length > _LARGEST_FOOTER:
                        raise DataError(f"the footer of {name} must have at most {_LARGEST_FOOTER} bytes",
                                        f"{length} bytes", "write the file again with fewer columns")  # fmt: skip
                raw.seek(0)
                with pq.ParquetFile(raw) as file:
                    yield file
        except (pa.ArrowException, OSError, UnicodeError, MemoryError, KeyError, IndexError) as error:
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            raise DataError(f"{name} must be a readable Parquet file", reason[:200], "write the file again") from None

    def sample(self) -> Any:
        import pyarrow as pa

        with self._opened() as file:
            for batch in file.iter_batches(max(1, min(SAMPLE, 10 * _CELLS // max(1, len(self.names))))):
                return pa.Table.from_batches([self._named(batch)])
            return pa.Table.from_batches([], schema=file.schema_arrow).select(self._places).rename_columns(self.names)

    def batches(self, numbers: Collection[str] = ()) -> Iterator[tuple[Any, float]]:
        done = 0
        with self._opened() as file:
            for batch in file.iter_batches(max(1, _CELLS // max(1, len(self.names)))):
                done += batch.num_rows
                yield self._named(batch), done / max(1, self.rows or 0)

    def _named(self, batch: Any) -> Any:
        import pyarrow as pa

        return pa.RecordBatch.from_arrays([batch.column(place) for place in self._places], list(self.names))
