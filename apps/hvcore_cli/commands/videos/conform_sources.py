"""The places from which ``hv conform`` reads a video: the storage, a folder, a web server."""

import re
import time
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

import attrs
import urllib3

from hvcore.conformance import Piece, UnreadableError
from hvcore.errors import NotFoundError
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.playback.delivery import Delivery, PlaybackPermission
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.shared_texts import PiecewiseBody
from hvcore.services.processing.published_source import (
    NO_SUCH_FILE,
    NOT_STORED,
    piece_of,
)

CONNECT_S: Final = 5.0
SILENCE_S: Final = 20.0
REQUEST_S: Final = 60.0
"""The seconds for one request with its whole answer, however slowly the answer comes."""
MOST_SKIPPED_BYTES: Final = 32 * 1024 * 1024
"""The most bytes that are read in vain if a server does not answer with a range."""

_TOTAL: Final = re.compile(r"bytes (?:[0-9]+-[0-9]+|\*)/([0-9]{1,15})")
_AMBIGUOUS: Final = re.compile(r"[\\\x00-\x20\x7f]")
_OK: Final = 200
_PARTIAL: Final = 206
_NO_SUCH_RANGE: Final = 416


@attrs.frozen(kw_only=True)
class StorageSource:
    """
    Reads a video's files from the storage, in the form in which delivery answers with them.

    Delivery's code makes the answers, because the storage does not have captions in the form that
    players get. Private videos need no token here. Nothing is counted as served.
    """

    delivery: Delivery
    video: Playable

    def read(self, name: str, start: int, length: int) -> Piece:
        """
        Return ``length`` bytes of a video's file from ``start`` on, and the size of the file in bytes.

        Raises:
            UnreadableError: The file was not published, or is not in the storage.
            UnavailableError: The storage does not answer.
        """
        try:
            body = self.delivery.serve(
                self.video, name.partition("?")[0], PlaybackPermission()
            ).body
            if isinstance(body, bytes):
                return Piece(data=body[start : start + length], size_bytes=len(body))
            if isinstance(body, PiecewiseBody):
                part = b"".join(body.pieces(start, start + length))
                return Piece(data=part, size_bytes=body.size_bytes)
            # Its true size, and not the one that the database has of it.
            size = body.storage.stat(body.path).size_bytes
            return piece_of(body, start, length, file_bytes=size)
        except NotFoundError as exc:
            raise UnreadableError(NO_SUCH_FILE) from exc
        except ObjectNotFoundError as exc:
            raise UnreadableError(NOT_STORED) from exc


@attrs.frozen
class FolderSource:
    """
    Reads files of this machine, in or below the folder of the multivariant playlist.

    A playlist may come from anybody, so no device and no other folder is opened.
    """

    folder: Path

    def read(self, name: str, start: int, length: int) -> Piece:
        """
        Return ``length`` bytes of a file from ``start`` on, and the size of the file in bytes.

        Raises:
            UnreadableError: The file does not exist, or is in another folder.
        """
        path = unquote(name.partition("?")[0].partition("#")[0])
        try:
            file = (self.folder / path).resolve()
            if urlsplit(name).scheme or not file.is_relative_to(self.folder.resolve()):
                raise UnreadableError("The file is outside of the video's folder.")
            # A pipe would never end.
            if not file.is_file():
                raise UnreadableError("There is no such file.")
            with file.open("rb") as opened:
                opened.seek(start)
                return Piece(data=opened.read(length), size_bytes=file.stat().st_size)
        # RuntimeError: links that lead to each other.
        except (OSError, ValueError, RuntimeError) as exc:
            raise UnreadableError("The file cannot be read.") from exc


class WebSource:
    """
    Reads a video's files from the web server that the operator has named.

    The operator may name any address, even one of this machine, which ``OutboundHttp`` refuses
    when other people name it. But the text of a playlist may come from anybody: so only addresses
    with the scheme, host and port that the operator named are fetched, and no redirect is
    followed. Sizes and times are limited.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._origin = _origin(url)
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=CONNECT_S, read=SILENCE_S), retries=False
        )

    def close(self) -> None:
        """Close the connections to the web server."""
        self._pool.clear()

    def read(self, name: str, start: int, length: int) -> Piece:
        """
        Fetch ``length`` bytes of a file from ``start`` on; return them with the file's size in bytes.

        Raises:
            UnreadableError: The file is on another server, or cannot be fetched.
        """
        try:
            url = urljoin(self._url, name)
            if _origin(url) != self._origin:
                raise UnreadableError("It is on another server; not fetched.")
            return self._fetch(url.partition("#")[0], start, length)
        except (urllib3.exceptions.HTTPError, ValueError, OSError) as exc:
            # Its text may have the address, which may have a token.
            raise UnreadableError(
                f"It cannot be fetched: {type(exc).__name__}."
            ) from exc

    def _fetch(self, url: str, start: int, length: int) -> Piece:
        wanted = f"bytes={start}-{start + max(length, 1) - 1}"
        answer = self._pool.request(
            "GET",
            url,
            headers={"Range": wanted, "Accept-Encoding": "identity"},
            preload_content=False,
            redirect=False,
            decode_content=False,
        )
        try:
            return _piece(answer, start, length)
        finally:
            # What is left of the body would have to be read to keep it.
            answer.close()


def _piece(answer: urllib3.BaseHTTPResponse, start: int, length: int) -> Piece:
    total = _TOTAL.fullmatch(answer.headers.get("Content-Range", ""))
    if answer.status == _NO_SUCH_RANGE and total:
        return Piece(data=b"", size_bytes=int(total[1]))
    if answer.status == _PARTIAL and total:
        return Piece(data=_body(answer, length), size_bytes=int(total[1]))
    if answer.status != _OK:
        raise UnreadableError(f"The server answers with status {answer.status}.")
    size_text = answer.headers.get("Content-Length", "")
    if size_text.isdecimal() and start + length <= MOST_SKIPPED_BYTES:
        return Piece(
            data=_body(answer, start + length)[start:], size_bytes=int(size_text)
        )
    data = _body(answer, MOST_SKIPPED_BYTES)
    if len(data) >= MOST_SKIPPED_BYTES:
        raise UnreadableError("The server does not serve ranges of this large file.")
    return Piece(data=data[start : start + length], size_bytes=len(data))


def _body(answer: urllib3.BaseHTTPResponse, most: int) -> bytes:
    found = bytearray()
    deadline = time.monotonic() + REQUEST_S
    while len(found) < most:
        # Not read(): it waits until the whole amount is there.
        chunk = answer.read1(min(most - len(found), 64 * 1024))
        if not chunk:
            break
        found += chunk
        if time.monotonic() > deadline:
            raise UnreadableError(f"The answer takes longer than {REQUEST_S:.0f} s.")
    return bytes(found)


def _origin(url: str) -> tuple[str | None, str | None, int | None]:
    # By the parser that connects: another one may read another host in it.
    if _AMBIGUOUS.search(url):
        raise ValueError("an address cannot have these characters")
    parts = urllib3.util.parse_url(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme or "")
    return parts.scheme, parts.host, port
