"""Send playback files and texts as answers of a Falcon app."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import BinaryIO

import attrs
import falcon

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import VideoNotFoundError
from hvcore.metrics.declared import DELIVERED_BYTES
from hvcore.ports.counting import CountedSegment
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.playback.downloads.joined_files import JoinedFile
from hvcore.services.playback.responses import PlaybackResponse, StoredFile
from hvcore.services.playback.shared_texts import PiecewiseBody
from hvcore_web.body_in_pieces import PIECE_BYTES, BodyInPieces
from hvcore_web.representations import (
    NOT_MODIFIED,
    Representation,
    Wanted,
    ignore_uncounted,
    represent,
)


@attrs.define(kw_only=True)
class HalfWay:
    """
    The half of an answer's media segment: if more bytes are sent, the segment counts as served.

    Attributes:
        after_bytes: The number of the answer's bytes that may be sent before the segment
            counts. They are at most half of the segment; one more byte is more.
        at: The offset in the file at which these bytes end.
        segment: The segment, which is counted before the next byte is sent.
        wait: Waits until the client takes more bytes; None where that cannot be waited
            for.
        when_broken_off: Called if the answer ended before the segment counted.
    """

    after_bytes: int
    at: int
    segment: CountedSegment
    wait: Callable[[], None] | None
    when_broken_off: Callable[[], None]


class BoundedFile:
    """
    An open file from which only a given number of bytes is read, from its position on.

    Args:
        file: The open file; it is closed together with this object.
        size_bytes: The most bytes that may be read from the file.
        half_way: The point within these bytes at which the media segment counts as served;
            None if no segment is to be counted.
    """

    def __init__(
        self, file: BinaryIO, size_bytes: int, half_way: HalfWay | None = None
    ) -> None:
        self._file = file
        self._left = size_bytes
        self._half_way = half_way
        self._to_half_way = half_way.after_bytes if half_way else 0

    def read(self, size: int | None = None, /) -> bytes:
        """
        Return up to ``size`` bytes, but stop once at the point where the segment counts as served.

        The next call shows that the caller has sent the bytes before it; so it counts the
        segment.
        """
        if self._half_way is not None and not self._to_half_way:
            self.pass_half_way()
        left = self._left if self._half_way is None else self._to_half_way
        wanted = left if size is None or size < 0 else min(size, left)
        data = self._file.read(wanted) if wanted else b""
        self._left -= len(data)
        self._to_half_way -= len(data)
        return data

    @property
    def to_half_way(self) -> int | None:
        """The number of bytes that may be sent before the segment counts; None if nothing is counted."""
        return None if self._half_way is None else self._to_half_way

    def pass_half_way(self) -> None:
        """Wait until the client takes more bytes, and count the segment as served, only once."""
        passed, self._half_way = self._half_way, None
        if passed is not None:
            if passed.wait is not None:
                # A client that has left meanwhile does not get more than half.
                passed.wait()
            passed.segment.count()

    def close(self) -> None:
        """Close the file; report the answer as broken off if the segment was to count and did not."""
        missed, self._half_way = self._half_way, None
        if missed is not None:
            missed.when_broken_off()
        self._file.close()


@attrs.frozen(kw_only=True)
class FileToSend:
    """
    An open file that another sender sends later, with the segment that it has to count as served.

    Attributes:
        descriptor: The file's descriptor; whoever has this object closes it.
        half_at: The offset in the file above which the segment counts.
        segment: The segment to count; None if nothing is counted.
        when_broken_off: The function to call if the answer ends before that offset.
    """

    descriptor: int
    half_at: int
    segment: CountedSegment | None
    when_broken_off: Callable[[], None] | None


class LocalFile(BoundedFile):
    """
    A ``BoundedFile`` on this machine, which a server may send with ``sendfile``.

    gunicorn sends ``Content-Length`` bytes from the position of the descriptor; the
    embedded server's sockets ask for ``to_half_way`` before, or have another sender send
    the file (``hvcore_server.sending.pacing``).
    """

    def hand_over(self) -> FileToSend:
        """Return a copy of the file's descriptor for another sender, which also counts the segment."""
        half_way, self._half_way = self._half_way, None
        return FileToSend(
            descriptor=os.dup(self.fileno()),
            half_at=half_way.at if half_way else 0,
            segment=half_way.segment if half_way else None,
            when_broken_off=half_way.when_broken_off if half_way else None,
        )

    def fileno(self) -> int:
        """Return the file's descriptor, for ``socket.sendfile``."""
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the file's position, as ``socket.sendfile`` does at its end; return the new position."""
        return self._file.seek(offset, whence)


def send(
    req: falcon.Request, resp: falcon.Response, response: PlaybackResponse
) -> None:
    """
    Write a playback response, or the requested range of it, into the HTTP response.

    If the response is on another server, answer with a redirect (307) to its address.

    Raises:
        RangeNotSatisfiableError: The range begins behind the end.
        UnavailableError: The storage does not answer.
        VideoNotFoundError: The file has just been removed.
    """
    chosen = represent(_wanted(req), response)
    body = chosen.body
    if body is not None and response.elsewhere is not None:
        address = response.elsewhere()
        if address is not None:
            _redirect(resp, response, chosen, address)
            return
    # Before the response says anything: what cannot be opened is an error.
    stream = (
        _open(req, response, body, chosen) if isinstance(body, StoredFile) else None
    )
    ignore_uncounted(response, chosen)
    resp.status = chosen.status
    for name, value in chosen.headers:
        # Answers may vary with other things, too.
        (resp.append_header if name == "Vary" else resp.set_header)(name, value)
    if chosen.status is NOT_MODIFIED:
        return
    resp.set_header("Content-Length", str(chosen.end - chosen.start))
    if body is not None:
        DELIVERED_BYTES.add(amount=chosen.end - chosen.start)
    if chosen.content_range:
        resp.set_header("Content-Range", chosen.content_range)
    if isinstance(body, bytes):
        resp.data = body[chosen.start : chosen.end]
    elif isinstance(body, PiecewiseBody):
        resp.stream = _made_by_pieces(body, chosen.start, chosen.end)
    elif stream is not None:
        resp.stream = stream


def _redirect(
    resp: falcon.Response,
    response: PlaybackResponse,
    chosen: Representation,
    address: str,
) -> None:
    # Whether the player takes it all, nobody here sees: it counts as taken.
    ignore_uncounted(response, chosen)
    if response.segment is not None and chosen.has_over_half:
        response.segment.count()
    # It asks there as it has asked here, for the same range.
    resp.status = falcon.HTTP_307
    resp.set_header("Location", address)
    resp.set_header("Cache-Control", "no-store")


def _wanted(req: falcon.Request) -> Wanted:
    return Wanted(
        is_head=req.method == "HEAD",
        range=req.get_header("Range"),
        if_range=req.get_header("If-Range"),
        if_none_match=req.get_header("If-None-Match"),
        accept_encoding=req.get_header("Accept-Encoding"),
    )


def _made_by_pieces(body: PiecewiseBody, start: int, end: int) -> Iterable[bytes]:
    if isinstance(body, JoinedFile):
        return BodyInPieces(partial(body.part, asked=(start, end)), start, end)
    return body.pieces(start, end)


def _open(
    req: falcon.Request,
    response: PlaybackResponse,
    stored: StoredFile,
    chosen: Representation,
) -> BoundedFile | BodyInPieces:
    size_bytes = chosen.end - chosen.start
    try:
        file = stored.open(chosen.start, chosen.end)
    except (FileNotFoundError, ObjectNotFoundError) as exc:
        raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING) from exc
    # A source has gigabytes; a segment is read at once, and counted by its half.
    if not stored.is_local and response.segment is None and size_bytes > PIECE_BYTES:
        file.close()
        return BodyInPieces(stored.read, chosen.start, chosen.end)
    wait = getattr(req.env.get("gunicorn.socket"), "wait_writable", None)
    half_way = None
    if response.segment is not None and chosen.has_over_half:
        half_way = HalfWay(
            after_bytes=chosen.half_at - chosen.start,
            at=chosen.half_at,
            segment=response.segment,
            wait=wait,
            when_broken_off=response.break_off,
        )
    # Only our sockets stop at the half: others would pass it unnoticed.
    fits_sendfile = stored.is_local and (half_way is None or wait is not None)
    kind = LocalFile if fits_sendfile else BoundedFile
    return kind(file, size_bytes, half_way)
