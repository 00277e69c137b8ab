"""Text files as UTF-8 bytes: which encoding they have, and a stream that decodes them while they are read."""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from kernlab.data.readers.base import Upload
from kernlab.errors import DataError, OptionError

__all__ = ["Utf8Stream", "found_encoding", "head_of", "native", "passages", "refuse_zeros"]

_HEAD = 2**22  # bytes from the start of a file that are looked at
_PASSAGE = 2**16  # bytes of each further place
_PASSAGES = 24

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_SIGNS = "€£§°²µ·«»–—‘’“”„…®©\xa0"  # of the West, besides letters


def head_of(upload: Upload) -> bytes:
    """The first bytes of a file, at most 4 MB."""
    with upload.open() as file:
        return file.read(_HEAD)


def passages(upload: Upload) -> list[bytes]:
    """A few short passages spread over what lies behind :func:`head_of`."""
    size = upload.size
    if size <= _HEAD + _PASSAGE:
        return []
    found = []
    with upload.open() as file:
        for k in range(1, _PASSAGES + 1):
            file.seek(_HEAD + (size - _HEAD - _PASSAGE) * k // _PASSAGES)
            found.append(file.read(_PASSAGE))
    return found


def found_encoding(upload: Upload) -> str:
    """The encoding of a text: by its byte order mark, UTF-8 where the bytes are, else the likeliest one."""
    head = head_of(upload)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    start = head[:2000]
    if b"\0" in start:  # UTF-16 without a mark has a zero in every other byte of plain letters
        even, odd = start[::2].count(0), start[1::2].count(0)
        if odd > 0.4 * len(start) / 2 and not even:
            return "utf-16-le"
        if even > 0.4 * len(start) / 2 and not odd:
            return "utf-16-be"
    strange = next((part for part in [head, *passages(upload)] if not _is_utf8(part)), None)
    if strange is None:
        return "utf-8"
    # The lines that are not plain ASCII say most; a few thousand bytes of them suffice, and keep it quick.
    telling = b"\n".join([line for line in strange.split(b"\n") if not line.isascii()])[:8000]
    if _is_western(telling):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(telling, steps=4, chunk_size=512).best()
    if best is None or best.encoding in ("utf_8", "ascii") or "cp1252" in best.could_be_from_charset:
        return "cp1252"  # of several that read the text alike, the commonest
    return best.encoding


def _is_western(part: bytes) -> bool:
    """Whether the bytes are letters with accents among plain ones: other alphabets have hardly a plain letter."""
    letters = [each for each in part.decode("cp1252", "replace") if each.isalpha() or not each.isascii()]
    strange = [each for each in letters if not each.isascii()]
    return len(strange) < 0.4 * len(letters) and all(each.isalpha() or each in _SIGNS for each in strange)


def _is_utf8(part: bytes) -> bool:
    # A passage may begin or end within a character.
    try:
        part.lstrip(bytes(range(0x80, 0xC0))).decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end >= len(part) - 4 and error.reason == "unexpected end of data"
    return True


@contextmanager
def native(upload: Upload, encoding: str, *, blanks: bool = False, start: int = 0) -> Iterator[Any]:
    """The text as UTF-8 in a ``pyarrow`` file of its own kind, which PyArrow's threads read without Python.

    Where the file has another encoding, or blanks are to be joined, a copy is made that lasts as long as the context.
    """
    import pyarrow as pa

    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig") and not blanks:
        content = upload.content
        source = pa.BufferReader(content) if isinstance(content, bytes) else pa.OSFile(str(content), "rb")
        with source:
            source.seek(start)
            yield source
        return
    copy, path = tempfile.mkstemp(prefix="kernlab-", suffix=".txt")
    try:
        with open(copy, "wb") as out, Utf8Stream(upload, encoding, blanks=blanks, start=start) as stream:
            shutil.copyfileobj(stream, out, 2**22)
        with pa.OSFile(path, "rb") as source:
            yield source
    except OSError as error:
        raise DataError(f"{upload.name} must be readable", error, "free some space for temporary files") from None
    finally:
        with suppress(OSError):
            os.unlink(path)


def refuse_zeros(upload: Upload, start: int = 0) -> None:
    """Raise DataError if a text in UTF-8 contains a zero byte, with its line."""
    with Utf8Stream(upload, "utf-8", start=start) as stream:
        while stream.read(2**22):
            pass


class Utf8Stream(io.RawIOBase):
    """The text of a file as UTF-8, decoded while it is read; zero bytes are refused.

    Args:
        upload: the file.
        encoding: its encoding.
        blanks: any number of blanks and tabs becomes one blank, and none stays at the ends of lines.
        start: bytes of the file to leave out (its own, before decoding).
    """

    def __init__(self, upload: Upload, encoding: str, *, blanks: bool = False, start: int = 0) -> None:
        try:
            kind = codecs.lookup(encoding)
        except LookupError:
            raise OptionError("encoding must be a text codec", repr(encoding), "use utf-8, cp1252 or utf-16") from None
        if not getattr(kind, "_is_text_encoding", True):
            raise OptionError("encoding must be a text codec", repr(encoding), "use utf-8, cp1252 or utf-16")
        self.name, self._blanks = upload.name, blanks
        self._file: BinaryIO = upload.open()
        self._file.seek(start)
        self._decoder: Any = None if kind.name == "utf-8" else kind.incrementaldecoder("strict")
        self._rest, self._first, self._lines = b"", kind.name == "utf-8" and not start, 0
        self._kept = b""  # of ``blanks``: the last line, while it is incomplete
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if not self._rest:
            self._rest = self._next(len(view))
        n = min(len(view), len(self._rest))
        view[:n] = self._rest[:n]
        self._rest = self._rest[n:]
        return n

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            parts = []
            while part := self.read(2**20):
                parts.append(part)
            return b"".join(parts)
        if not self._rest:
            self._rest = self._next(size)
        part, self._rest = self._rest[:size], self._rest[size:]
        return part

    def _next(self, size: int) -> bytes:
        """The next decoded bytes; empty at the end of the file."""
        while not self._ended:
            raw = self._file.read(max(size, 2**16))
            self._ended = not raw
            part = self._decoded(raw)
            if self._first and part:
                part, self._first = part.removeprefix(codecs.BOM_UTF8), False
            if b"\0" in part:
                row = self._lines + part[: part.index(b"\0")].count(b"\n") + 1
                raise DataError(f"{self.name} must be text", f"line {row:,}: a zero byte",
                                "check the encoding, or export the table again")  # fmt: skip
            self._lines += part.count(b"\n")
            if self._blanks:
                part = self._squeezed(part)
            if part:
                return part
        return b""

    def _decoded(self, raw: bytes) -> bytes:
        if self._decoder is None:
            return raw
        try:
            text: str = self._decoder.decode(raw, not raw)
            return text.encode("utf-8")
        except UnicodeError as error:
            reason = getattr(error, "reason", str(error))
            raise DataError(
                f"{self.name} must be text in the encoding {self._decoder.__class__.__module__.split('.')[-1]}",
                f"near line {self._lines + 1:,}: {reason}",
                "choose another encoding",
            ) from None

    def _squeezed(self, part: bytes) -> bytes:
        lines = self._kept + part
        if self._ended:
            whole, self._kept = lines, b""
        else:
            end = lines.rfind(b"\n") + 1
            whole, self._kept = lines[:end], lines[end:]
        return re.sub(rb"[ \t]+", b" ", re.sub(rb"(?m)^[ \t]+|[ \t]+(?=\r?$)", b"", whole))

    def close(self) -> None:
        self._file.close()
        super().close()
