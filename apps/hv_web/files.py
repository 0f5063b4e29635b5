"""
Answer with bytes, through Falcon.
"""

from collections.abc import Callable
from functools import partial
from typing import BinaryIO

import falcon

from hv_web.representations import (
    NOT_MODIFIED,
    Representation,
    Wanted,
    ignore_uncounted,
    represent,
)
from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import VideoNotFoundError
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.playback.responses import PlaybackResponse, StoredFile
from hvcore.services.playback.shared_texts import PiecewiseBody


class BoundedFile:
    """
    A part of a file, from where it stands, that ends after some bytes.

    Args:
        file: Closed together with this.
        size_bytes: What may be read of it.
        before_last_byte: Called once all but the last byte was handed over.
        when_broken_off: Called if that never happened.
    """

    def __init__(
        self,
        file: BinaryIO,
        size_bytes: int,
        before_last_byte: Callable[[], object] | None = None,
        when_broken_off: Callable[[], None] | None = None,
    ) -> None:
        self._file = file
        self._left = size_bytes
        self._before_last_byte = before_last_byte
        self._when_broken_off = when_broken_off

    def read(self, size: int | None = None, /) -> bytes:
        """
        Return up to size bytes; where somebody waits for the last, that alone.

        Who comes for more has handed over what he had before.
        """
        left = self._left
        if self._before_last_byte:
            if left > 1:
                left -= 1
            elif left == 1:
                self.announce_last_byte()
        wanted = left if size is None or size < 0 else min(size, left)
        data = self._file.read(wanted) if wanted else b""
        self._left -= len(data)
        return data

    @property
    def awaits_last_byte(self) -> bool:
        """
        Tell whether somebody is to be told before the last byte.
        """
        return self._before_last_byte is not None

    def announce_last_byte(self) -> None:
        """
        Tell that all but the last byte was handed over.
        """
        tell, self._before_last_byte = self._before_last_byte, None
        if tell is not None:
            tell()
            self._when_broken_off = None

    def close(self) -> None:
        """
        Close the file.
        """
        broken_off, self._when_broken_off = self._when_broken_off, None
        if broken_off is not None:
            broken_off()
        self._file.close()


class LocalFile(BoundedFile):
    """
    The same of a file of this machine, which a server may sendfile.

    gunicorn sends ``Content-Length`` bytes from where the descriptor stands;
    our sockets ask for ``awaits_last_byte`` (hv_server.pacing).
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


def send(req: falcon.Request, resp: falcon.Response, served: PlaybackResponse) -> None:
    """
    Make the response carry what was served, or the part that was asked for.

    Raises:
        RangeNotSatisfiableError: The range begins behind the end.
        UnavailableError: The storage does not answer.
        VideoNotFoundError: The file has just been removed.
    """
    chosen = represent(_wanted(req), served)
    body = chosen.body
    if body is not None and served.elsewhere is not None:
        address = served.elsewhere()
        if address is not None:
            _redirect(resp, served, chosen, address)
            return
    # Before the response says anything: what cannot be opened is an error.
    stream = _open(req, served, body, chosen) if isinstance(body, StoredFile) else None
    ignore_uncounted(served, chosen)
    resp.status = chosen.status
    for name, value in chosen.headers:
        # Answers may vary with other things, too.
        (resp.append_header if name == "Vary" else resp.set_header)(name, value)
    if chosen.status is NOT_MODIFIED:
        return
    resp.set_header("Content-Length", str(chosen.end - chosen.start))
    if chosen.content_range:
        resp.set_header("Content-Range", chosen.content_range)
    if stream is not None:
        resp.stream = stream
    elif isinstance(body, bytes):
        resp.data = body[chosen.start : chosen.end]
    elif isinstance(body, PiecewiseBody):
        resp.stream = body.pieces(chosen.start, chosen.end)


def _redirect(
    resp: falcon.Response,
    served: PlaybackResponse,
    chosen: Representation,
    address: str,
) -> None:
    # Whether the player takes it all, nobody here sees: it counts as taken.
    ignore_uncounted(served, chosen)
    if served.segment is not None and chosen.start == 0:
        served.segment.count()
    # It asks there as it has asked here, for the same part.
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


def _open(
    req: falcon.Request,
    served: PlaybackResponse,
    stored: StoredFile,
    chosen: Representation,
) -> BoundedFile:
    try:
        file = stored.open(chosen.start, chosen.end)
    except (FileNotFoundError, ObjectNotFoundError) as exc:
        raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING) from exc
    tell: Callable[[], None] | None = None
    if served.segment is not None and chosen.start == 0:
        tell = served.segment.count
    wait = getattr(req.env.get("gunicorn.socket"), "wait_writable", None)
    if tell is not None and wait is not None:
        tell = partial(_tell_once_writable, wait, tell)
    # Only our sockets ask for the last byte: others would send it unnoticed.
    fits_sendfile = stored.is_local and (tell is None or wait is not None)
    kind = LocalFile if fits_sendfile else BoundedFile
    broken_off = partial(served.ignore, IgnoredReason.BROKEN_OFF) if tell else None
    return kind(file, chosen.end - chosen.start, tell, broken_off)


def _tell_once_writable(wait: Callable[[], None], tell: Callable[[], object]) -> None:
    # Who has left meanwhile does not get the last byte.
    wait()
    tell()
