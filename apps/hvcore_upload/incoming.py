"""Receive the body of an upload request into a file, whole or not at all."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import falcon

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import InvalidFileSizeError
from hvcore.incoming.disk_space import DiskReservation, disk_failure, is_disk_full
from hvcore.incoming.whole_files import ArrivingFile, arriving_file
from hvcore_upload.bodies import blocks, cut_off
from hvcore_upload.pace import SenderPace


@attrs.frozen(kw_only=True)
class IncomingFiles:
    """
    Receives the bodies of uploads into temporary files of a folder.

    Attributes:
        folder: The folder in which a file is until it is stored.
        is_scarce: Returns whether other uploads wait for a slot or for disk space.
        elapsed_s: A clock that only goes forward, in seconds.
    """

    folder: Path
    elapsed_s: Callable[[], float] = time.monotonic
    is_scarce: Callable[[], bool] = lambda: False

    @contextmanager
    def collect(
        self,
        req: falcon.Request,
        reserved: DiskReservation,
        *,
        max_bytes: int = MAX_UPLOAD_BYTES,
    ) -> Iterator[tuple[Path, int]]:
        """
        Within the ``with`` block, give the path and the size in bytes of the received file.

        The file is removed at the end of the block.

        Args:
            reserved: The disk space that is reserved for the file.
            max_bytes: The size above which the body is refused.

        Raises:
            InvalidFileSizeError: The body ended too early, came too slowly
                or is too long.
            UnavailableError: The disk is nearly full, or fails.
        """
        length = req.content_length
        try:
            with arriving_file(self.folder, reserved) as file:
                self._copy(req, file, max_bytes)
                if length is not None and file.size_bytes < length:
                    raise cut_off(file.size_bytes, length)
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
