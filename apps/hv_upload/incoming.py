"""
Take a request's body into a file, whole or not at all.
"""

import errno
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import attrs
import falcon

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import InvalidFileSizeError, UnavailableError

BLOCK_BYTES: Final = 64 * 1024
"""Servers read until they have it all; the pace is judged only in between."""
FREE_RESERVE_BYTES: Final = 256 * 1024 * 1024
"""Left on the disk for everything else: databases do not survive a full one."""
GRACE_S: Final = 60.0
MIN_BYTES_PER_S: Final = 8 * 1024
"""A sender that stays below it after GRACE_S keeps others out."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


@attrs.frozen(kw_only=True)
class IncomingFiles:
    """
    Collect bodies in a folder.

    Attributes:
        folder: Where a file lies until it is kept.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    folder: Path
    elapsed_s: Callable[[], float] = time.monotonic

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
            UnavailableError: The disk is nearly full.
        """
        length = req.content_length
        self._check_space(length or 0)
        path = self.folder / secrets.token_hex(16)
        try:
            with path.open("xb") as file:
                size_bytes = self._copy(req, file, length, max_bytes)
                file.flush()
                # What was acknowledged must be there after a power cut.
                os.fsync(file.fileno())
            yield path, size_bytes
        except OSError as exc:
            if exc.errno in _FULL:
                raise UnavailableError("The disk is full; try again later.") from exc
            raise
        finally:
            path.unlink(missing_ok=True)

    def _copy(
        self, req: falcon.Request, file: BinaryIO, length: int | None, max_bytes: int
    ) -> int:
        started_s = self.elapsed_s()
        received = 0
        for block in _blocks(req, length):
            received += len(block)
            if received > max_bytes:
                raise InvalidFileSizeError(
                    f"The upload may have at most {max_bytes} bytes."
                )
            file.write(block)
            self._check_pace(received, self.elapsed_s() - started_s)
        if length is not None and received < length:
            raise _cut_off(received, length)
        return received

    def _check_pace(self, received: int, elapsed_s: float) -> None:
        if elapsed_s > GRACE_S and received < elapsed_s * MIN_BYTES_PER_S:
            raise InvalidFileSizeError(
                "The upload was too slow and was given up; send it again."
            )

    def _check_space(self, announced_bytes: int) -> None:
        free_bytes = shutil.disk_usage(self.folder).free
        if free_bytes < announced_bytes + FREE_RESERVE_BYTES:
            raise UnavailableError(
                "There is no room for this upload now; try again later.",
                retry_after_s=60,
            )


def _blocks(req: falcon.Request, length: int | None) -> Iterator[bytes]:
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


def _cut_off(received: int | None, length: int | None) -> InvalidFileSizeError:
    some = "fewer" if received is None else str(received)
    announced = "the whole body" if length is None else f"{length} bytes"
    return InvalidFileSizeError(
        f"The upload ended after {some} bytes instead of {announced}; send it again."
    )
