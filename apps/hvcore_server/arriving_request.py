"""
Collect the bytes of an HTTP request, and tell whether a thread should wait for the rest.

It reads of HTTP only where a request ends. Unusual requests go to a thread at once,
which refuses them without waiting for the rest.
"""

from enum import Enum
from typing import Final

SMALL_BODY_BYTES: Final = 64 * 1024
"""The largest body that is read at once, as large as JSON may be; a longer body is read by a
thread, piece by piece."""
MAX_HEAD_BYTES: Final = 64 * 1024
MAX_LINE_BYTES: Final = 8190
"""The longest request line: the address may contain a playback token of 4 KB."""
_END: Final = b"\r\n\r\n"
_LINE_END: Final = b"\r\n"
_LENGTH: Final = b"\r\ncontent-length:"
_CODING: Final = b"\r\ntransfer-encoding:"
_MAX_CHUNK_LINE_BYTES: Final = 8190
_MAX_FRAMING_BYTES: Final = 256 * 1024
"""The most bytes of a small chunked body with its framing: a chunk of 1 byte takes six."""


class RequestState(Enum):
    """
    The part of an HTTP request that has arrived so far.

    Attributes:
        HEAD: A part of the head.
        BODY: The head, and perhaps a part of the body.
        WHOLE: All of the request; or a malformed request, of which no more is waited for.
        LARGE: The head of a request with a long body, which a thread is to read.
        HEAD_TOO_LARGE: A head that is longer than the server reads.
        LINE_TOO_LONG: A request line that is longer than the server reads.
    """

    HEAD = "head"
    BODY = "body"
    WHOLE = "whole"
    LARGE = "large"
    HEAD_TOO_LARGE = "head too large"
    LINE_TOO_LONG = "line too long"


class ArrivingRequest:
    """
    The bytes of one request that have arrived, perhaps with bytes of the next request.

    Attributes:
        expects_continue: Whether the client waits for 100 Continue before it sends the
            body.
        was_continued: Whether the client was sent 100 Continue.
    """

    __slots__ = (
        *("_body", "_chunks", "_head_bytes", "data"),
        *("expects_continue", "was_continued"),
    )

    def __init__(self) -> None:
        self.data = bytearray()
        self._head_bytes = 0
        self._body = 0
        self._chunks: _Chunks | None = None
        self.expects_continue = self.was_continued = False

    @property
    def head(self) -> bytes:
        """The bytes of the request line and the headers; empty until all of them have arrived."""
        return bytes(self.data[: self._head_bytes])

    def add(self, data: bytes) -> RequestState:
        """Add bytes that have arrived, and return the state of the request."""
        searched = max(0, len(self.data) - len(_END) + 1)
        self.data += data
        if not self._head_bytes:
            end = self.data.find(_END, searched)
            if end < 0:
                return self._begun()
            self._head_bytes = end + len(_END)
            if not self._has_body():
                return RequestState.WHOLE
        if self._chunks is not None:
            return self._chunks.look(self.data)
        if self._body > SMALL_BODY_BYTES:
            return RequestState.LARGE
        is_whole = len(self.data) >= self._head_bytes + self._body
        return RequestState.WHOLE if is_whole else RequestState.BODY

    def _begun(self) -> RequestState:
        """Return the state of a request whose head has not ended."""
        if len(self.data) < MAX_HEAD_BYTES:
            return RequestState.HEAD
        line_end = self.data.find(_LINE_END, 0, MAX_HEAD_BYTES)
        is_line = 0 <= line_end <= MAX_LINE_BYTES
        return RequestState.HEAD_TOO_LARGE if is_line else RequestState.LINE_TOO_LONG

    def _has_body(self) -> bool:
        head = self.head.lower()
        has_chunks = _CODING in head
        if has_chunks is (_LENGTH in head):
            # None, or two of them, which is refused.
            return False
        if has_chunks:
            # Anything else is refused as well.
            if only_value(head, _CODING) != b"chunked":
                return False
            self._chunks = _Chunks(self._head_bytes)
        else:
            length = only_value(head, _LENGTH)
            if not length.isdigit():
                return False
            # Some have more digits than Python reads, and no file has.
            self._body = int(length[:20])
        is_continue = only_value(head, b"\r\nexpect:") == b"100-continue"
        self.expects_continue = is_continue and b" http/1.1\r\n" in head
        return bool(self._chunks or self._body)


class _Chunks:
    """Finds the end of a chunked body (RFC 9112, section 7.1)."""

    __slots__ = ("_at", "_begins", "_in_trailers", "_searched", "_size_bytes")

    def __init__(self, begins: int) -> None:
        self._begins = self._at = self._searched = begins
        self._size_bytes = 0
        self._in_trailers = False

    def look(self, data: bytearray) -> RequestState:
        """Return the state of the request, judged by the chunks of its body that have arrived."""
        while not self._in_trailers:
            line_end = data.find(_LINE_END, max(self._at, self._searched - 1))
            if line_end < 0:
                self._searched = len(data)
                is_odd = len(data) - self._at > _MAX_CHUNK_LINE_BYTES
                return RequestState.WHOLE if is_odd else self._awaited(data)
            size_bytes = _chunk_size(bytes(data[self._at : line_end]))
            if size_bytes is None:
                return RequestState.WHOLE
            begins = line_end + len(_LINE_END)
            if size_bytes == 0:
                self._in_trailers, self._at = True, begins
                break
            came = len(data) - begins
            # What came, and not what is announced: a thread would wait for that.
            if self._size_bytes + min(came, size_bytes) > SMALL_BODY_BYTES:
                return RequestState.LARGE
            if came < size_bytes + len(_LINE_END):
                return self._awaited(data)
            self._size_bytes += size_bytes
            self._at = self._searched = begins + size_bytes + len(_LINE_END)
        ends = data.startswith(_LINE_END, self._at) or data.find(_END, self._at) >= 0
        return RequestState.WHOLE if ends else self._awaited(data)

    def _awaited(self, data: bytearray) -> RequestState:
        is_odd = len(data) - self._begins > _MAX_FRAMING_BYTES
        return RequestState.WHOLE if is_odd else RequestState.BODY


def only_value(head: bytes, name: bytes) -> bytes:
    """
    Return the value of a header; empty if the header is missing or occurs several times.

    Args:
        head: The request line and the headers, in lower case.
        name: The header's name in lower case, with the line break before it and the
            colon behind it.
    """
    before, _, rest = head.partition(name)
    del before
    if name in rest:
        return b""
    return rest.partition(_LINE_END)[0].strip(b" \t")


def _chunk_size(line: bytes) -> int | None:
    digits = line.partition(b";")[0].strip(b" \t")
    if not digits or len(digits) > 16 or digits.strip(b"0123456789abcdefABCDEF"):  # noqa: PLR2004 - 64 bits
        return None
    return int(digits, 16)
