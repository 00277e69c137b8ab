"""Downloads: with progress, resumed after a break, verified, and in place only when they are whole.

    path = download(Remote(url, "sha256:…"), folder, progress=print, cancelled=lambda: False)

What has arrived lies in ``NAME.part`` beside a note of what it belongs to; the next attempt, of this process or another
one, asks the server for the rest. A server may be slow, break off, give a wrong length, redirect, or send other bytes
than it should: nothing but bytes that agree with the checksum ever gets the name.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, Any, NamedTuple

from kernlab.errors import DataError, StoreError
from kernlab.files import Claim, write

__all__ = ["Arrived", "Remote", "download", "fetched", "git_blob"]

ATTEMPTS = 6  # in a row without a new byte
WAIT = 0.5  # seconds before the second attempt, doubled each time
SILENCE = 20.0  # seconds without a byte after which an attempt has failed
_BLOCK = 2**16
_MOST = 2**33  # bytes


class Remote(NamedTuple):
    """Where a file is, and what must arrive.

    Attributes:
        url: http or https.
        checksum: "sha256:…", "md5:…" or "git:…" (git's name of a file with these contents); "": unknown.
    """

    url: str
    checksum: str = ""


class Arrived(NamedTuple):
    """How far a download is.

    Attributes:
        done: bytes.
        total: bytes; None where the server does not say.
        remaining: seconds, about.
    """

    done: int
    total: int | None
    remaining: float | None

    @property
    def share(self) -> float:
        """0 … 1; 0 where the total is unknown."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @property
    def phase(self) -> str:
        """What is done, as a preparation reports it."""
        return "downloading"

    @property
    def rows(self) -> int:
        """Rows that have been read: none yet."""
        return 0


class _Broken(Exception):
    """An attempt ended early; the next one goes on."""


class _Cancelled(Exception):
    """The caller does not want the file any more."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows http and https, never from https to http."""

    max_redirections = 8

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        scheme = urllib.parse.urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.full_url.startswith("https:") and scheme != "https"):
            raise DataError("a redirect must lead to https", newurl[:200], "download the file by hand")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def git_blob(size: int) -> Any:
    """The hash by which git names a file of that many bytes."""
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def fetched(url: str, most: int = 2**22) -> tuple[int, bytes]:
    """Status and body of a small document.

    Raises:
        DataError: the server cannot be reached, or the document is too large.
    """
    for attempt in range(3):
        try:
            with _opened(url, _HEADERS) as answer:
                body = answer.read(most + 1)
                status = answer.status
            break
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(most)
        except (OSError, HTTPException, ValueError) as error:
            if attempt == 2 or isinstance(error, ValueError):
                raise _unreachable(url, error) from None
            time.sleep(WAIT * 2**attempt)
    if len(body) > most:
        raise DataError(f"the document at {url} must have at most {most} bytes", "more", "check the address")
    return status, body


_HEADERS = {"User-Agent": "kernlab", "Accept-Encoding": "identity"}


def _opened(url: str, headers: dict[str, str]) -> Any:
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise DataError("an address must begin with http or https", url[:200], "correct it")
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.build_opener(_Redirects).open(request, timeout=SILENCE)


def _unreachable(url: str, error: object) -> DataError:
    return DataError(f"{url} must be reachable", str(error) or type(error).__name__,
                     "check the connection and try again; what has arrived is kept")  # fmt: skip


def download(
    address: Remote,
    folder: Path,
    *,
    name: str = "",
    progress: Callable[[Arrived], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    most: int = _MOST,
) -> Path | None:
    """The file at an address, in a folder, once it is whole and verified.

    Args:
        address: where, and what must arrive.
        folder: made where it is missing.
        name: of the file; by default from the address.
        progress: called some times a second at most.
        cancelled: asked between blocks; what has arrived is kept for later.
        most: bytes above which a download is refused.

    Returns:
        The file's path; None where it was cancelled.

    Raises:
        DataError: the server does not give the file, or other bytes than the checksum says.
        StoreError: the file cannot be written, or another process downloads it.
    """
    path = folder / (_safe(name) or _safe(urllib.parse.unquote(urllib.parse.urlsplit(address.url).path)) or "download")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        claim = Claim.take(path.with_name(f".{path.name}.lock"))
        if claim is None:
            raise StoreError("a file must be downloaded by one process at a time", str(path), "wait for the other one")
        try:
            if path.is_file() and address.checksum and _agrees(path, address.checksum):
                return path
            return _Download(address, path, progress, cancelled, most).run()
        finally:
            claim.release()
    except OSError as error:
        raise StoreError("the download must be writable", f"{path}: {error}", "free some space") from None


def _safe(name: str) -> str:
    """The last part of a name as a file name."""
    return re.sub(r"[^\w.-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1])[-100:].lstrip(".")


class _Download:
    """One file: its part, what is known of it, and the attempts."""

    def __init__(
        self, address: Remote, path: Path, progress: Callable[[Arrived], object] | None,
        cancelled: Callable[[], bool] | None, most: int,
    ) -> None:  # fmt: skip
        self.address, self.path, self.most = address, path, most
        self.part, self.note = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.part.json")
        self._progress, self._cancelled = progress, cancelled
        self._began, self._last, self._first = time.monotonic(), 0.0, 0

    def run(self) -> Path | None:
        fruitless = 0
        resumed = self._known().get("tag") is not None and self.part.exists()
        while True:
            before = self._size()
            try:
                self._attempt()
            except _Broken as error:
                fruitless = 0 if self._size() > before else fruitless + 1
                if fruitless >= ATTEMPTS:
                    raise _unreachable(self.address.url, error) from None
                if not self._wait(WAIT * 2**fruitless):
                    return None
                continue
            except _Cancelled:
                return None
            if not self.address.checksum or _agrees(self.part, self.address.checksum):
                break
            self._forget()
            if not resumed:  # the parts of a resumed file may belong to different versions of it
                raise DataError(
                    f"what arrives from {self.address.url} must have the checksum {self.address.checksum}",
                    "other bytes",
                    "try again later; the file has changed or was damaged on its way, and nothing of it is kept",
                )
            resumed = False
        self._report(self._size(), self._size(), last=True)
        with open(self.part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(self.part, self.path)
        with suppress(OSError):
            self.note.unlink()
        return self.path

    def _wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._cancelled and self._cancelled():
                return False
            time.sleep(min(0.1, seconds))
        return True

    def _size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def _known(self) -> dict[str, Any]:
        """What the part belongs to; empty where that is not known."""
        try:
            found = json.loads(self.note.read_text("utf-8"))
            same = found["url"] == self.address.url and found["checksum"] == self.address.checksum
            return dict(found) if same else {}
        except (OSError, ValueError, LookupError, TypeError):
            return {}

    def _forget(self) -> None:
        for each in (self.part, self.note):
            with suppress(FileNotFoundError):
                each.unlink()

    def _attempt(self) -> None:
        """Ask for what is missing, and append it.

        Raises:
            _Broken: the connection ended before the file did.
            _Cancelled: the caller cancelled.
            DataError: the server refuses.
        """
        known, done = self._known(), self._size()
        headers = dict(_HEADERS)
        if done and known.get("tag"):
            headers |= {"Range": f"bytes={done}-", "If-Range": known["tag"]}
        elif done and self.address.checksum and known:
            headers["Range"] = f"bytes={done}-"
        else:
            done = 0
        try:
            answer = _opened(self.address.url, headers)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416 and done:  # nothing lies behind what has arrived, or the file has changed
                if self.address.checksum and _agrees(self.part, self.address.checksum):
                    return
                self._forget()
                raise _Broken("the server has no such part") from None
            if error.code in (408, 425, 429, 500, 502, 503, 504):
                raise _Broken(f"status {error.code}") from None
            raise DataError(f"{self.address.url} must be there", f"status {error.code} {error.reason}",
                            "check the name, or try again later") from None  # fmt: skip
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise _unreachable(self.address.url, error) from None
        except (OSError, HTTPException) as error:
            raise _Broken(str(error) or type(error).__name__) from None
        with answer:
            self._take(answer, done)

    def _take(self, answer: Any, done: int) -> None:
        length = answer.headers.get("Content-Length", "")
        expected = int(length) if length.isdecimal() and len(length) < 16 else None
        if answer.status == 206:
            place = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", answer.headers.get("Content-Range", ""))
            if not place or int(place[1]) != done:
                self._forget()
                raise _Broken("the server sends another part than it was asked for")
            total = int(place[3]) if place[3] != "*" else None
            if total is None and expected is not None:
                total = done + expected
        else:
            done, total = 0, expected
        if (total or 0) > self.most:
            raise DataError(f"a download must have at most {self.most} bytes", f"{total}", "check the address")
        tag = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
        tag = None if tag and tag.startswith("W/") else tag  # a weak tag promises no equal bytes
        about = {"url": self.address.url, "checksum": self.address.checksum, "tag": tag}
        with open(self.part, "ab" if done else "wb") as file:
            write(self.note, json.dumps(about))
            self._began, self._first = time.monotonic(), done
            while True:
                if self._cancelled and self._cancelled():
                    raise _Cancelled
                try:
                    block = answer.read1(_BLOCK)
                except (OSError, HTTPException, ValueError) as error:
                    raise _Broken(str(error) or type(error).__name__) from None
                if not block:
                    break
                file.write(block)
                done += len(block)
                if done > self.most:
                    raise DataError(f"a download must have at most {self.most} bytes", "more", "check the address")
                self._report(done, total)
        if total is not None and done < total:
            raise _Broken(f"{done} of {total} bytes arrived")

    def _report(self, done: int, total: int | None, last: bool = False) -> None:
        now = time.monotonic()
        if self._progress and (last or now - self._last > 0.1):
            self._last = now
            pace = (done - self._first) / max(1e-3, now - self._began)
            remaining = (total - done) / pace if total and pace else None
            self._progress(Arrived(done, total, remaining))


def _agrees(path: Path, checksum: str) -> bool:
    kind, _, wanted = checksum.partition(":")
    digest = git_blob(path.stat().st_size) if kind == "git" else hashlib.new(kind, usedforsecurity=False)
    with open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return bool(digest.hexdigest() == wanted.lower())
