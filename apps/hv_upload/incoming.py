"""
Take a request's body into a file, whole or not at all.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import falcon

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import InvalidFileSizeError
from hvcore.incoming.disk_space import DiskReservations, disk_failure, is_disk_full
from hvcore.incoming.whole import ArrivingFile, arriving_file

BLOCK_BYTES: Final = 64 * 1024
"""Servers read until they have it all; the pace is judged only in between."""
GRACE_S: Final = 60.0
MIN_BYTES_PER_S: Final = 8 * 1024
"""A sender that stays below it after GRACE_S keeps others out."""
WINDOW_S: Final = 60.0
MIN_BYTES_PER_S_WHILE_SCARCE: Final = 128 * 1024
"""In a window, while others wait for a slot; 5 GiB take 11 hours so."""


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
        reservations: Shared by all uploads of a process.
        is_scarce: Whether others wait for a slot.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    folder: Path
    reservations: DiskReservations = attrs.field(factory=DiskReservations)
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
        length = req.content_length
        try:
            with arriving_file(self.folder, self.reservations, length) as file:
                self._copy(req, file, max_bytes)
                if length is not None and file.size_bytes < length:
                    raise _cut_off(file.size_bytes, length)
                file.finish()
                yield file.path, file.size_bytes
        except OSError as exc:
            # A broken connection is an OSError as well, and not the disk's fault.
            if is_disk_full(exc):
                raise disk_failure(exc) from exc
            raise

    def _copy(self, req: falcon.Request, file: ArrivingFile, max_bytes: int) -> None:
        pace = SenderPace(self.elapsed_s(), is_scarce=self.is_scarce)
        for block in blocks(req, req.content_length):
            if file.size_bytes + len(block) > max_bytes:
                raise InvalidFileSizeError(
                    f"The upload may have at most {max_bytes} bytes."
                )
            file.write(block)
            pace.check(file.size_bytes, self.elapsed_s())


class SenderPace:
    """
    Whether a sender makes enough of its slot.

    Args:
        started_s: When it began, on a clock that only goes forward.
        is_scarce: Whether others wait for a slot.
    """

    def __init__(self, started_s: float, *, is_scarce: Callable[[], bool]) -> None:
        self._started_s = started_s
        self._is_scarce = is_scarce
        self._window = deque([(started_s, 0)])

    def check(self, received: int, now_s: float) -> None:
        """
        Refuse a sender who keeps a slot for little.

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


def _cut_off(received: int | None, length: int | None) -> CutOffError:
    some = "fewer" if received is None else str(received)
    announced = "the whole body" if length is None else f"{length} bytes"
    return CutOffError(
        f"The upload ended after {some} bytes instead of {announced}; send it again."
    )
