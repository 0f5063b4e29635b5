"""
Take a request's body into a file, whole or not at all.
"""

import errno
import fcntl
import os
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

import attrs
import falcon

from hv_upload.room import Claim, Room
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import InvalidFileSizeError, UnavailableError
from hvcore.services.uploads import INCOMING_PREFIX

BLOCK_BYTES: Final = 64 * 1024
"""Servers read until they have it all; the pace is judged only in between."""
GRACE_S: Final = 60.0
MIN_BYTES_PER_S: Final = 8 * 1024
"""A sender that stays below it after GRACE_S keeps others out."""
WINDOW_S: Final = 60.0
MIN_BYTES_PER_S_WHILE_SCARCE: Final = 128 * 1024
"""In a window, while others wait for a place; 5 GiB take 11 hours so."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class CutOffError(InvalidFileSizeError):
    """
    The body ended too early, or came too slowly.
    """


@attrs.frozen(kw_only=True)
class IncomingFiles:
    """
    Collect bodies in a folder.

    Attributes:
        folder: Where a file lies until it is kept.
        room: Shared by all uploads of a process.
        is_scarce: Whether others wait for a place.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    folder: Path
    room: Room = attrs.field(factory=Room)
    elapsed_s: Callable[[], float] = time.monotonic
    is_scarce: Callable[[], bool] = lambda: False

    @contextmanager
    def collect(
        self, req: falcon.Request, *, max_bytes: int = MAX_UPLOAD_BYTES
    ) -> Iterator[tuple[Path, int]]:
        """
        Give the file and its size; what is still there afterwards is removed.

        Args:
            max_bytes: A body that turns out longer is refused.

        Raises:
            InvalidFileSizeError: The body ended too early, came too slowly
                or is too long.
            UnavailableError: The disk is nearly full, or fails.
        """
        path, file = _locked_file(self.folder)
        try:
            size_bytes = self._take(req, file, max_bytes)
            # Locked until it is kept: nobody cleans it away meanwhile.
            yield path, size_bytes
        except OSError as exc:
            if exc.errno in _FULL:
                raise UnavailableError("The disk is full; try again later.") from exc
            raise
        finally:
            # What stays is cleaned away: nobody holds its lock any more.
            with suppress(OSError):
                path.unlink()
            # What had to be on the disk is there already.
            with suppress(OSError):
                file.close()

    def _take(self, req: falcon.Request, file: BinaryIO, max_bytes: int) -> int:
        length = req.content_length
        with self.room.claim(self.folder, length) as claim:
            size_bytes = self._copy(req, file, claim, max_bytes)
        if length is not None and size_bytes < length:
            raise _cut_off(size_bytes, length)
        with _working():
            file.flush()
            # What was acknowledged must be there after a power cut.
            os.fsync(file.fileno())
        return size_bytes

    def _copy(
        self, req: falcon.Request, file: BinaryIO, claim: Claim, max_bytes: int
    ) -> int:
        pace = SenderPace(self.elapsed_s(), is_scarce=self.is_scarce)
        received = 0
        for block in blocks(req, req.content_length):
            received += len(block)
            if received > max_bytes:
                raise InvalidFileSizeError(
                    f"The upload may have at most {max_bytes} bytes."
                )
            with _working():
                file.write(block)
                claim.received(received)
            pace.check(received, self.elapsed_s())
        return received


class SenderPace:
    """
    Whether a sender makes enough of its place.

    Args:
        started_s: When it began, on a clock that only goes forward.
        is_scarce: Whether others wait for a place.
    """

    def __init__(self, started_s: float, *, is_scarce: Callable[[], bool]) -> None:
        self._started_s = started_s
        self._is_scarce = is_scarce
        self._window = deque([(started_s, 0)])

    def check(self, received: int, now_s: float) -> None:
        """
        Refuse a sender who keeps a place for little.

        Args:
            received: Bytes, since the beginning.

        Raises:
            CutOffError: It was given time, and used it badly.
        """
        elapsed_s = now_s - self._started_s
        if elapsed_s > GRACE_S and received < elapsed_s * MIN_BYTES_PER_S:
            raise CutOffError(
                "The upload was too slow and was given up; send it again."
            )
        since_s, before = self._remember(received, now_s)
        least = (now_s - since_s) * MIN_BYTES_PER_S_WHILE_SCARCE
        if (
            now_s - since_s >= WINDOW_S
            and received - before < least
            and self._is_scarce()
        ):
            raise CutOffError(
                "The upload was slow while others waited, and was given up; send "
                "it again."
            )

    def _remember(self, received: int, now_s: float) -> tuple[float, int]:
        """
        Return the last moment before the window, or the first one there is.
        """
        # One a second is enough.
        if now_s - self._window[-1][0] >= 1:
            self._window.append((now_s, received))
        while len(self._window) > 1 and now_s - self._window[1][0] >= WINDOW_S:
            self._window.popleft()
        return self._window[0]


def blocks(req: falcon.Request, length: int | None) -> Iterator[bytes]:
    """
    Give a request's body, as far as it comes.

    Args:
        length: Its ``Content-Length``; None: it is chunked.

    Raises:
        CutOffError: The sender went away. With a length, it may also just end.
    """
    # Falcon's own streams read a chunked body as empty. A server that ends
    # its input itself, as gunicorn does, says so.
    if length is None and not req.env.get("wsgi.input_terminated"):
        return
    stream = req.env["wsgi.input"]
    left = length
    while left is None or left > 0:
        try:
            block = stream.read(BLOCK_BYTES if left is None else min(BLOCK_BYTES, left))
        except OSError as exc:
            # The sender went away or was too slow: the server's own errors of
            # a broken body are OSErrors as well.
            raise _cut_off(None, length) from exc
        if not block:
            return
        left = None if left is None else left - len(block)
        yield block


def _locked_file(folder: Path) -> tuple[Path, BinaryIO]:
    while True:
        path = folder / f"{INCOMING_PREFIX}{secrets.token_hex(16)}"
        with _working():
            file = path.open("xb")
            # Not every network folder has locks; there, only age tells.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file.fileno()).st_nlink:
                return path, file
        # Cleaned away before it was locked.
        file.close()


@contextmanager
def _working() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        why = "is full" if exc.errno in _FULL else "does not work"
        raise UnavailableError(
            f"The disk for uploads {why}; try again later.", retry_after_s=60
        ) from exc


def _cut_off(received: int | None, length: int | None) -> CutOffError:
    some = "fewer" if received is None else str(received)
    announced = "the whole body" if length is None else f"{length} bytes"
    return CutOffError(
        f"The upload ended after {some} bytes instead of {announced}; send it again."
    )
