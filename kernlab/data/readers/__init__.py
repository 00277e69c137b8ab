"""Readers of file formats: :func:`opened` finds the one for a file. A new format is one class here."""

from __future__ import annotations

from dataclasses import replace

from kernlab.data.readers.arff import ArffReader
from kernlab.data.readers.base import SAMPLE, Reader, Reading, Upload
from kernlab.data.readers.delimited import DelimitedReader
from kernlab.data.readers.excel import ExcelReader
from kernlab.data.readers.npz import NpzReader
from kernlab.data.readers.parquet import ParquetReader
from kernlab.data.readers.svmlight import SvmlightReader
from kernlab.errors import DataError, UnknownNameError

__all__ = ["READERS", "SAMPLE", "Reader", "Reading", "Upload", "opened"]

READERS: dict[str, type[Reader]] = {
    each.format: each for each in (DelimitedReader, ParquetReader, ArffReader, SvmlightReader, NpzReader, ExcelReader)
}


def opened(upload: Upload, reading: Reading | None = None) -> Reader:
    """The reader of a file, by the format that is asked for, the ending of its name, or its first bytes.

    Raises:
        DataError: the file is empty, or cannot be read in that format.
        UnknownNameError: there is no such format.
    """
    reading = reading or Reading()
    if not upload.size:
        raise DataError(f"{upload.name} must contain rows", "an empty file", "choose another file")
    chosen = reading.format or _format(upload)
    if chosen not in READERS:
        raise UnknownNameError.among("file format", chosen, READERS)
    return READERS[chosen](upload, replace(reading, format=chosen))


def _format(upload: Upload) -> str:
    with upload.open() as file:
        start = file.read(4)
    if start == b"PAR1":
        return "parquet"
    name = upload.name.lower()
    return next((format for format, each in READERS.items() if name.endswith(each.suffixes)), "csv")
