"""
Choose the form of an answer: its byte range, its status for caches (304), its compression.

Source: RFC 9110, sections 12 to 15. Uses no web framework: the apps and the loop of
the delivery process share these decisions.
"""

import gzip
import re
import unicodedata
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import quote

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.services.playback.responses import Lifetime, PlaybackResponse, StoredFile
from hvcore.services.playback.shared_texts import PIECE_BYTES, FilledText, PiecewiseBody
from hvcore_web.compression.compressed_texts import CompressedTexts
from hvcore_web.ranges import asked_range

MAX_CACHED: Final = 64
"""The most compressed short texts in memory."""
MAX_CACHED_DESCRIPTIONS: Final = 4096
"""The most written headers in memory, about 2 MB."""
MAX_AGE_S: Final = {
    # A year, the longest that RFC 9111 suggests; a name's bytes never change.
    Lifetime.IMMUTABLE: 31_536_000,
    # A video that was deleted or made private ends soon in caches, too.
    Lifetime.PLAYLIST: 10,
    Lifetime.PICTURE: 600,
}
OK: Final = "200 OK"
PARTIAL: Final = "206 Partial Content"
NOT_MODIFIED: Final = "304 Not Modified"

Headers: TypeAlias = tuple[tuple[str, str], ...]

_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_CODING = re.compile(
    r"[ \t]*([\w*+.-]+)[ \t]*(?:;[ \t]*q=([01](?:\.[0-9]{0,3})?)[ \t]*)?", re.IGNORECASE
)


@attrs.frozen(kw_only=True)
class Wanted:
    """The request headers about the form of the answer (range, validators, compression), as sent."""

    is_head: bool = False
    range: str | None = None
    if_range: str | None = None
    if_none_match: str | None = None
    accept_encoding: str | None = None


@attrs.frozen(kw_only=True)
class Representation:
    """
    The chosen form of an answer: status, body, range, and the headers of this answer.

    Attributes:
        headers: The headers without ``Content-Length``; equal answers share one object.
        body: The text or file of which the answer is a part; None for HEAD and 304.
        start: The offset in the body at which the answer begins.
        end: The offset at which the answer ends; end - start is the ``Content-Length``.
        half_at: The offset up to which the answer is at most half of the whole file; with
            one byte more it is more than half.
        has_over_half: Whether more than half of the whole file is in the answer.
        is_for_pages: Whether pages of every origin may read the answer.
    """

    status: str
    headers: Headers
    body: bytes | StoredFile | PiecewiseBody | None
    start: int
    end: int
    size_bytes: int
    is_for_pages: bool = True
    half_at: int = attrs.field(init=False)
    has_over_half: bool = attrs.field(init=False)

    @half_at.default
    def _find_half(self) -> int:
        return self.start + self.size_bytes // 2

    @has_over_half.default
    def _compare_with_half(self) -> bool:
        return self.end > self.half_at

    @property
    def content_range(self) -> str | None:
        """The value of the header ``Content-Range``; empty if the answer has no such header."""
        if self.status is not PARTIAL:
            return None
        return f"bytes {self.start}-{self.end - 1}/{self.size_bytes}"


_compressed: Final = CompressedTexts()


def represent(
    wanted: Wanted, response: PlaybackResponse, *, waits: bool = True
) -> Representation:
    """
    Choose the form of an answer: status, range, compression and headers.

    Several ranges in one request are answered with the whole (RFC 9110,
    section 14.2, lets a server ignore them); players never ask for them.

    Args:
        waits: Whether the caller waits while a long text is compressed.

    Raises:
        NotPreparedError: A text would have to be compressed now, and waits is False.
        RangeNotSatisfiableError: The range begins behind the end.
    """
    is_plain = response.save_as is None and _wants_all(wanted)
    if is_plain and isinstance(response.body, StoredFile):
        return _whole(
            response.body,
            response.etag,
            response.content_type,
            response.lifetime,
            is_public=response.is_public,
        )
    body, etag, coding = _coded(wanted, response, waits=waits)
    size = len(body) if isinstance(body, bytes) else body.size_bytes
    is_cached = response.lifetime is not Lifetime.ONCE
    is_known = is_cached and _has_it(wanted.if_none_match, etag)
    headers = _describe(
        etag,
        None if is_known else response.content_type,
        coding,
        response.lifetime,
        is_public=response.is_public,
        is_text=response.is_text,
    )
    if response.save_as is not None and not is_known:
        headers = (*headers, ("Content-Disposition", _attachment(response.save_as)))
    status, start, end = OK, 0, size
    if is_known:
        status = NOT_MODIFIED
    elif is_cached and wanted.range is not None:
        asked = _asked(wanted, etag, size)
        if asked:
            status, (start, end) = PARTIAL, asked
    return Representation(
        status=status,
        headers=headers,
        body=None if is_known or wanted.is_head else body,
        start=start,
        end=end,
        size_bytes=size,
    )


def ignore_uncounted(response: PlaybackResponse, chosen: Representation) -> None:
    """If an answer does not count as a served segment, record the reason for that."""
    if chosen.status is NOT_MODIFIED:
        response.ignore(IgnoredReason.NOT_MODIFIED)
    elif chosen.body is None:
        response.ignore(IgnoredReason.HEAD)
    elif not chosen.has_over_half:
        response.ignore(IgnoredReason.TOO_FEW_BYTES)
    elif response.segment is None:
        response.ignore(IgnoredReason.OTHER_FILE)


def _wants_all(wanted: Wanted) -> bool:
    # As players ask for segments.
    return not wanted.is_head and wanted.range is None and wanted.if_none_match is None


@lru_cache(maxsize=MAX_CACHED_DESCRIPTIONS)
def _whole(
    stored: StoredFile,
    etag: str,
    content_type: str,
    lifetime: Lifetime,
    *,
    is_public: bool,
) -> Representation:
    return Representation(
        status=OK,
        headers=_describe(
            etag, content_type, None, lifetime, is_public=is_public, is_text=False
        ),
        body=stored,
        start=0,
        end=stored.size_bytes,
        size_bytes=stored.size_bytes,
    )


@lru_cache(maxsize=MAX_CACHED_DESCRIPTIONS)
def _describe(  # noqa: PLR0913 - all that they depend on
    etag: str,
    content_type: str | None,
    coding: str | None,
    lifetime: Lifetime,
    *,
    is_public: bool,
    is_text: bool,
) -> Headers:
    found = [("Content-Type", content_type)] if content_type else []
    if is_text:
        found.append(("Vary", "Accept-Encoding"))
    if coding:
        found.append(("Content-Encoding", coding))
    if lifetime is Lifetime.ONCE:
        return (*found, ("Cache-Control", "no-store"))
    scope = "public" if is_public else "private"
    suffix = ", immutable" if lifetime is Lifetime.IMMUTABLE else ""
    cached = f"{scope}, max-age={MAX_AGE_S[lifetime]}{suffix}"
    return (
        *found,
        ("ETag", f'"{etag}"'),
        ("Accept-Ranges", "bytes"),
        ("Cache-Control", cached),
    )


def _coded(
    wanted: Wanted, response: PlaybackResponse, *, waits: bool
) -> tuple[bytes | StoredFile | PiecewiseBody, str, str | None]:
    body = response.body
    # A range is one of the plain text: nobody resumes a playlist.
    if (
        not response.is_text
        or wanted.range is not None
        or not _takes_gzip(wanted.accept_encoding)
        or not isinstance(body, (bytes, FilledText))
    ):
        return body, response.etag, None
    compressed: bytes | PiecewiseBody | None
    if isinstance(body, bytes) and len(body) <= PIECE_BYTES:
        compressed = _gzipped(body)
    else:
        compressed = _compressed.find(body, response.etag, waits=waits)
    if compressed is None:
        return body, response.etag, None
    return compressed, f"{response.etag}-gzip", "gzip"


def _attachment(name: str) -> str:
    """Return the value of Content-Disposition (RFC 6266, with RFC 8187's form of a name)."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = plain.replace("\\", "_").replace('"', "_").replace("%", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


@lru_cache(maxsize=MAX_CACHED)
def _gzipped(body: bytes) -> bytes:
    # No time in the header, or equal texts would differ in bytes.
    return gzip.compress(body, mtime=0)


def _asked(wanted: Wanted, etag: str, size_bytes: int) -> tuple[int, int] | None:
    # Ranges are defined for GET alone (RFC 9110, section 14.2).
    if wanted.range is None or wanted.is_head:
        return None
    return asked_range(
        wanted.range, if_range=wanted.if_range, etag=etag, size_bytes=size_bytes
    )


def _has_it(header: str | None, etag: str) -> bool:
    if header is None:
        return False
    return header.strip() == "*" or etag in _ENTITY_TAG.findall(header)


@lru_cache(maxsize=MAX_CACHED)
def _takes_gzip(header: str | None) -> bool:
    accepted: dict[str, float] = {}
    for part in (header or "").split(","):
        match = _CODING.fullmatch(part)
        if match:
            accepted[match[1].lower()] = float(match[2] or 1)
    default = accepted.get("*", 0.0)
    return accepted.get("gzip", accepted.get("x-gzip", default)) > 0
