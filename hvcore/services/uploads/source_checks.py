"""
Check by headers and first bytes whether a URL gives a file that can be a video.

So a web page is refused before gigabytes are fetched. The transcoder finds out what the
file really is.
"""

import re
from http import HTTPStatus
from typing import Final

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.uploads.content_types import bare_type
from hvcore.safe_http import StreamedResponse

SNIFFED_BYTES: Final = 64
# Whoever gives files away says text/plain, application/force-download and much more;
# what it is, the first bytes say.
_SOMETHING_ELSE: Final = re.compile(
    r"text/(?:html|xml|json)|(?:image|audio)/.*"
    r"|application/(?:json|xml)|[^/]*/[^/]*\+(?:json|xml)"
)
_NOT_COMPRESSED: Final = frozenset(
    {
        # As some programs for object stores leave it behind.
        "",
        "identity",
        # How it was sent to an object store, which has unpacked it.
        "aws-chunked",
    }
)
_TRY_AGAIN: Final = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)
_SERVER_ERRORS: Final = 500
_MOV_BOXES: Final = frozenset(
    {b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", b"styp"}
)
"""With what a file of the MP4 and QuickTime family may begin."""
_QUICKTIME: Final = b"qt  "
_EBML: Final = b"\x1a\x45\xdf\xa3"


class FetchError(TranscodeError):
    """Failure of one download attempt; another attempt may succeed."""


def check_head(download: StreamedResponse) -> None:
    """
    Refuse the HTTP response of a source by its status and headers.

    Raises:
        UnusableSourceError: The URL will never give a video.
        FetchError: The URL may give a video another time.
    """
    _check_status(download.status)
    kind = bare_type(download.headers.get("content-type"))
    if _SOMETHING_ELSE.fullmatch(kind):
        raise UnusableSourceError(
            f"The source gives {kind[:80]} instead of a video."
            if kind.isascii() and kind.isprintable()
            else "The source sends something other than a video."
        )
    codings = download.headers.get("content-encoding", "").lower().split(",")
    if not {coding.strip() for coding in codings} <= _NOT_COMPRESSED:
        raise UnusableSourceError(
            "The source gives the file compressed; it must give it uncompressed."
        )
    if download.content_length is not None:
        check_size(download.content_length)


def check_size(size_bytes: int) -> None:
    """
    Refuse a source file that is larger than 5 GB.

    Raises:
        UnusableSourceError: The file is larger.
    """
    if size_bytes > MAX_UPLOAD_BYTES:
        raise UnusableSourceError("The source's file is larger than 5 GB.")


def sniffed_type(head: bytes) -> str:
    """
    Return the content type of a video file, found by its first bytes.

    Raises:
        UnusableSourceError: The file is in no supported container format.
    """
    if head[4:8] in _MOV_BOXES:
        return "video/quicktime" if head[8:12] == _QUICKTIME else "video/mp4"
    if head.startswith(_EBML):
        return "video/x-matroska"
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return "video/x-msvideo"
    if not head:
        raise UnusableSourceError("The source's file is empty.")
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        raise UnusableSourceError("The source gives a web page instead of a video.")
    raise UnusableSourceError(
        "The source's file is not a video in a supported format (MP4, MOV, WebM, MKV "
        "or AVI)."
    )


def _check_status(status: int) -> None:
    if status == HTTPStatus.OK:
        return
    message = f"The source answered with status {status}."
    if status in _TRY_AGAIN or status >= _SERVER_ERRORS:
        raise FetchError(message)
    raise UnusableSourceError(message)
