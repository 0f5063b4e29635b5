"""
Answer with bytes: ranges, validators, compression (RFC 9110).
"""

import gzip
import re
from collections.abc import Callable
from functools import lru_cache
from typing import BinaryIO, Final

import attrs
import falcon

from hvcore.domain.playback_rules import PlaybackRule
from hvcore.errors import RangeNotSatisfiableError, VideoNotFoundError
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.served import Lifetime, Served, StoredFile

MAX_KEPT: Final = 64
MAX_KEPT_BYTES: Final = 512 * 1024
"""Of compressed texts in memory: how many, and how long they may be as they were."""
MAX_AGE_S: Final = {
    # A year, the longest that RFC 9111 suggests; a name's bytes never change.
    Lifetime.IMMUTABLE: 31_536_000,
    # A video that was deleted or made private ends soon in caches, too.
    Lifetime.PLAYLIST: 10,
    Lifetime.PICTURE: 600,
}

# RFC 9110, section 14.1.1; the unit's case does not matter.
_RANGE = re.compile(
    r"bytes[ \t]*=[ \t]*([0-9]{0,30})-([0-9]{0,30})[ \t]*", re.IGNORECASE
)
_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_CODING = re.compile(
    r"[ \t]*([\w*+.-]+)[ \t]*(?:;[ \t]*q=([01](?:\.[0-9]{0,3})?)[ \t]*)?", re.IGNORECASE
)


class BoundedFile:
    """
    A part of a file, from where it stands, that ends after some bytes.

    Args:
        file: Closed together with this.
        size_bytes: What may be read of it.
    """

    def __init__(self, file: BinaryIO, size_bytes: int) -> None:
        self._file = file
        self._left = size_bytes

    def read(self, size: int | None = None, /) -> bytes:
        """
        Return up to size bytes.
        """
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        data = self._file.read(wanted) if wanted else b""
        self._left -= len(data)
        return data

    def close(self) -> None:
        """
        Close the file.
        """
        self._file.close()


class LocalFile(BoundedFile):
    """
    The same of a file of this machine, which a server may sendfile.

    gunicorn sends ``Content-Length`` bytes from where the descriptor stands.
    """

    def fileno(self) -> int:
        """
        Return the file's descriptor.
        """
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        """
        Move the descriptor, as ``socket.sendfile`` does when it has ended.
        """
        return self._file.seek(offset, whence)


@attrs.frozen(kw_only=True)
class _Representation:
    etag: str
    size_bytes: int
    open: Callable[[int, int], BoundedFile | bytes]
    is_compressed: bool = False


def send(req: falcon.Request, resp: falcon.Response, served: Served) -> None:
    """
    Make the response carry what was served, or the part that was asked for.

    Several ranges in one request are answered with the whole (RFC 9110,
    section 14.2, lets a server ignore them); players never ask for them.

    Raises:
        RangeNotSatisfiableError: The range begins behind the end.
        VideoNotFoundError: The file has just been removed.
    """
    chosen = _represent(req, served)
    if served.lifetime is not Lifetime.ONCE and _has_it(
        req.get_header("If-None-Match"), chosen.etag
    ):
        resp.status = falcon.HTTP_304
        _describe(resp, served, chosen)
        return
    asked = None if served.lifetime is Lifetime.ONCE else _range(req, chosen)
    start, end = asked or (0, chosen.size_bytes)
    content = None if req.method == "HEAD" else chosen.open(start, end)
    if content is not None and start == 0 and served.on_answer:
        # Before the first byte: what a player has is counted, whatever happens.
        served.on_answer()
    _describe(resp, served, chosen)
    resp.content_type = served.content_type
    resp.set_header("Content-Length", str(end - start))
    if asked:
        resp.status = falcon.HTTP_206
        resp.set_header("Content-Range", f"bytes {start}-{end - 1}/{chosen.size_bytes}")
    if isinstance(content, bytes):
        resp.data = content
    elif content is not None:
        resp.stream = content


def _describe(resp: falcon.Response, served: Served, chosen: _Representation) -> None:
    if served.is_text:
        resp.append_header("Vary", "Accept-Encoding")
    if chosen.is_compressed:
        resp.set_header("Content-Encoding", "gzip")
    if served.lifetime is Lifetime.ONCE:
        resp.set_header("Cache-Control", "no-store")
        return
    scope = "public" if served.is_public else "private"
    suffix = ", immutable" if served.lifetime is Lifetime.IMMUTABLE else ""
    resp.set_header("ETag", f'"{chosen.etag}"')
    resp.set_header("Accept-Ranges", "bytes")
    resp.set_header(
        "Cache-Control", f"{scope}, max-age={MAX_AGE_S[served.lifetime]}{suffix}"
    )


def _represent(req: falcon.Request, served: Served) -> _Representation:
    body = served.body
    if isinstance(body, StoredFile):
        return _Representation(
            etag=served.etag,
            size_bytes=body.size_bytes,
            open=lambda start, end: _open(body, start, end),
        )
    # A range is one of the plain text: nobody resumes a playlist.
    is_compressed = (
        served.is_text
        and req.get_header("Range") is None
        and _takes_gzip(req.get_header("Accept-Encoding"))
    )
    content = body
    if is_compressed:
        is_kept = len(body) <= MAX_KEPT_BYTES
        content = _gzipped(body) if is_kept else _gzipped.__wrapped__(body)
    return _Representation(
        etag=f"{served.etag}-gzip" if is_compressed else served.etag,
        size_bytes=len(content),
        open=lambda start, end: content[start:end],
        is_compressed=is_compressed,
    )


@lru_cache(maxsize=MAX_KEPT)
def _gzipped(body: bytes) -> bytes:
    # No time in the header, or equal texts would differ in bytes.
    return gzip.compress(body, mtime=0)


def _open(stored: StoredFile, start: int, end: int) -> BoundedFile:
    try:
        file = stored.open(start, end)
    except (FileNotFoundError, ObjectNotFoundError) as exc:
        raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING) from exc
    kind = LocalFile if stored.is_local else BoundedFile
    return kind(file, end - start)


def _range(req: falcon.Request, chosen: _Representation) -> tuple[int, int] | None:
    header = req.get_header("Range")
    # Defined for GET alone (RFC 9110, section 14.2).
    if header is None or req.method != "GET" or not _is_current(req, chosen.etag):
        return None
    match = _RANGE.fullmatch(header.strip())
    if match is None or not (match[1] or match[2]):
        return None
    size = chosen.size_bytes
    if not match[1]:
        start, end = max(0, size - int(match[2])), size
    else:
        start = int(match[1])
        last = int(match[2]) if match[2] else size - 1
        if match[2] and last < start:
            return None
        end = min(last + 1, size)
    if start >= size:
        raise RangeNotSatisfiableError(
            headers={"Content-Range": f"bytes */{size}"},
            rule=PlaybackRule.RANGE_OUTSIDE,
        )
    return start, end


def _is_current(req: falcon.Request, etag: str) -> bool:
    # Strong comparison (RFC 9110, section 13.1.5): a weak tag never matches,
    # nor does a date, since we send none.
    header = req.get_header("If-Range")
    return header is None or header.strip() == f'"{etag}"'


def _has_it(header: str | None, etag: str) -> bool:
    if header is None:
        return False
    return header.strip() == "*" or etag in _ENTITY_TAG.findall(header)


def _takes_gzip(header: str | None) -> bool:
    accepted: dict[str, float] = {}
    for part in (header or "").split(","):
        match = _CODING.fullmatch(part)
        if match:
            accepted[match[1].lower()] = float(match[2] or 1)
    default = accepted.get("*", 0.0)
    return accepted.get("gzip", accepted.get("x-gzip", default)) > 0
