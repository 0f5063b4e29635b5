"""Answer with bytes, through Falcon."""

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
    Reports the moment from which on an answer counts.

    Attributes:
        after_bytes: So much of the answer is at most half of the whole, and with
            one byte more it is more.
        at: Where that is in the file.
        segment: Counted before that byte is sent.
        wait: Waits until the other side takes more; None where nobody can.
        when_broken_off: Called if it never was.
    """

    after_bytes: int
    at: int
    segment: CountedSegment
    wait: Callable[[], None] | None
    when_broken_off: Callable[[], None]


class BoundedFile:
    """
    A part of a file, from where it stands, that ends after some bytes.

    Args:
        file: Closed together with this.
        size_bytes: What may be read of it.
        half_way: Lies before its end; None for what is not counted.
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
        Return up to size bytes, and of what counts no more at first than its half.

        A caller that reads more has sent the bytes before.
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
        """The bytes that may be sent before the segment counts; None if it never does."""
        return None if self._half_way is None else self._to_half_way

    def pass_half_way(self) -> None:
        """Report that the next byte makes more than half."""
        passed, self._half_way = self._half_way, None
        if passed is not None:
            if passed.wait is not None:
                # A client that has left meanwhile does not get more than half.
                passed.wait()
            passed.segment.count()

    def close(self) -> None:
        """Close the file."""
        missed, self._half_way = self._half_way, None
        if missed is not None:
            missed.when_broken_off()
        self._file.close()


@attrs.frozen(kw_only=True)
class FileToSend:
    """
    A file for a sender that sends it later, and counts it.

    Attributes:
        descriptor: To be closed by whoever has this.
        half_at: The segment counts once more than this is sent.
    """

    descriptor: int
    half_at: int
    segment: CountedSegment | None
    when_broken_off: Callable[[], None] | None


class LocalFile(BoundedFile):
    """
    The same of a file of this machine, which a server may sendfile.

    gunicorn sends ``Content-Length`` bytes from where the descriptor stands;
    our sockets ask for ``to_half_way``, or have it passed on (hvcore_server.sending.pacing).
    """

    def hand_over(self) -> FileToSend:
        """Give the file to another sender, which then also counts and closes it."""
        half_way, self._half_way = self._half_way, None
        return FileToSend(
            descriptor=os.dup(self.fileno()),
            half_at=half_way.at if half_way else 0,
            segment=half_way.segment if half_way else None,
            when_broken_off=half_way.when_broken_off if half_way else None,
        )

    def fileno(self) -> int:
        """Return the file's descriptor."""
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move the descriptor, as ``socket.sendfile`` does when it has ended."""
        return self._file.seek(offset, whence)


def send(
    req: falcon.Request, resp: falcon.Response, response: PlaybackResponse
) -> None:
    """
    Put a playback response, or the requested part of it, into the HTTP response.

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
