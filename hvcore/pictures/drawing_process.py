"""
Draw pictures in a child process with low priority and bounded memory.

A thread cannot be nice alone: while it waits for a processor with the interpreter's
lock, all threads of its process wait. Nor can its memory be bounded, and the memory that
strangers' pictures take stays with the process that has decoded them.
"""

import logging
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.pictures.cropping import too_large
from hvcore.pictures.drawing import (
    ANIMATE,
    ANSWER,
    CROP,
    CROP_TO_WEBP,
    REDRAW,
    REFUSED,
    REQUEST,
    SHEET,
    SIZE,
    TOO_COSTLY,
    TOO_LARGE,
    TYPES,
    UNREADABLE,
    Answer,
)
from hvcore.pictures.redraw import refused
from hvcore.pictures.sheets import Sheet
from hvcore.processes.child_process import environ_of_module, supervised_command

NICENESS: Final = 15
"""Whoever watches comes first, and then encodes, which have 10: with 5, the pictures of
one organization had three times what the encode of another one had. Beside an encode
it still gets a quarter of a core."""
IDLE_S: Final = 60.0
"""After that the child ends: it takes the memory of a Python and of its pictures."""
RETRY_AFTER_S: Final = 10
MOST_S: Final = 60.0
"""Then the process hangs. A picture of the most pixels takes 1 to 3 s of a core, of which a
nice process gets little on a busy machine."""
MOST_MEMORY_BYTES: Final = 512 * 1024**2
"""
Of addresses. The most that a picture needs is 450 MB: a progressive JPEG of 36 million
pixels in four colours, which the decoder keeps as coefficients.
"""


_NOT_MADE: Final = "The picture could not be made; try again soon."

_log = logging.getLogger(__name__)


class UnreadablePictureError(RuntimeError):
    """A picture cannot be read or drawn."""


class DrawingEndedError(UnavailableError):
    """
    The child process has ended while it was drawing a picture.

    The picture may be the reason: a caller that tries again must limit the attempts.
    """


class _TooCostlyError(Exception):
    """A picture takes more memory or time than it may."""


@attrs.define(eq=False)
class DrawingProcess:
    """
    Draws pictures in a child process, started when it is needed; for one thread at a time.

    The thread that calls first must outlive the child.

    Attributes:
        niceness: The niceness of the child while it draws; see nice(2).
        idle_s: The seconds without a request after which the child ends.
    """

    niceness: int = NICENESS
    idle_s: float = IDLE_S
    _process: "subprocess.Popen[bytes] | None" = attrs.field(default=None, init=False)
    _end: Callable[[], object] | None = attrs.field(default=None, init=False)

    def crop_to_fill(self, picture: bytes, width_px: int, height_px: int) -> bytes:
        """
        Return a picture as a JPEG of exactly the given size, cropped around its middle.

        Raises:
            NotFoundError: The picture has too many pixels, or takes too much time or memory.
            UnreadablePictureError: The picture cannot be read.
            UnavailableError: The child ended meanwhile, or cannot be started.
        """
        try:
            return self._draw(CROP, width_px, height_px, [picture])[-1]
        except _TooCostlyError as exc:
            raise too_large() from exc

    def crop_to_webp(self, picture: bytes, width_px: int, height_px: int) -> bytes:
        """
        Return a picture as a WebP of exactly the given size, cropped around its middle.

        Raises:
            NotFoundError: The picture has too many pixels, or takes too much time or memory.
            UnreadablePictureError: The picture cannot be read.
            UnavailableError: The child ended meanwhile, or cannot be started.
        """
        try:
            return self._draw(CROP_TO_WEBP, width_px, height_px, [picture])[-1]
        except _TooCostlyError as exc:
            raise too_large() from exc

    def draw_animation(self, frames: Sequence[bytes], *, frame_ms: int) -> bytes:
        """
        Return an animated WebP that repeats JPEG frames of one size, each shown for ``frame_ms`` milliseconds.

        Raises:
            UnreadablePictureError: One of the frames cannot be used.
            UnavailableError: The child ended meanwhile, or cannot be started.
        """
        try:
            return self._draw(ANIMATE, frame_ms, 0, frames)[-1]
        except _TooCostlyError as exc:
            raise UnreadablePictureError("The frames take too much.") from exc

    def redraw(self, picture: bytes, content_type: str) -> bytes:
        """
        Return an untrusted picture as a plain JPEG; see redraw.redraw.

        Raises:
            InvalidParametersError: The picture cannot be read, has too many or too few pixels, or
                takes too much time or memory.
            UnavailableError: The child ended meanwhile, or cannot be started.
        """
        try:
            return self._draw(REDRAW, TYPES.index(content_type), 0, [picture])[-1]
        except _TooCostlyError as exc:
            raise refused("The picture takes too much memory or time to read.") from exc
        except UnreadablePictureError as exc:
            raise refused(f"The body cannot be read as {content_type}.") from exc

    def draw_sheet(self, stills: Sequence[bytes], *, columns: int) -> Sheet:
        """
        Return a JPEG sheet of small pictures in rows of ``columns``, as storyboards need it; see sheets.draw_sheet.

        Raises:
            UnreadablePictureError: One of the small pictures cannot be used.
            UnavailableError: The child ended meanwhile, or cannot be started.
        """
        try:
            drawn = self._draw(SHEET, columns, 0, stills)
        except _TooCostlyError as exc:
            raise UnreadablePictureError("The stills take too much.") from exc
        _, width_px, height_px, picture = drawn
        return Sheet(picture=picture, width_px=width_px, height_px=height_px)

    def close(self) -> None:
        """End the child process; another one starts when it is needed."""
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _draw(self, do: int, one: int, two: int, pictures: Sequence[bytes]) -> Answer:
        is_new = self._process is None or self._process.poll() is not None
        head = REQUEST.pack(do, one, two, len(pictures))
        answer = self._ask(head, pictures)
        if answer is None and not is_new:
            # One that was idle for long may end at this moment.
            answer = self._ask(head, pictures)
        if answer is None:
            raise UnavailableError(_NOT_MADE, retry_after_s=RETRY_AFTER_S)
        status, *_, body = answer
        if status == TOO_LARGE:
            raise too_large()
        if status == REFUSED:
            raise refused(body.decode(errors="replace"))
        if status == UNREADABLE:
            raise UnreadablePictureError(body.decode(errors="replace"))
        if status == TOO_COSTLY:
            # Memory that it has asked for in vain may be in pieces.
            self.close()
            raise _TooCostlyError
        return answer

    def _ask(self, head: bytes, pictures: Sequence[bytes]) -> Answer | None:
        """
        Return the answer; None if the process has ended before it had the pictures.

        Raises:
            DrawingEndedError: It ended later, or was ended because it hangs.
            UnavailableError: Nobody can watch whether it hangs.
        """
        process = self._running()
        if process is None:
            return None
        hanging = threading.Timer(MOST_S, process.kill)
        hanging.daemon = True
        try:
            hanging.start()
        except RuntimeError as exc:
            # The machine has no thread to give; the child has been asked nothing.
            raise UnavailableError(_NOT_MADE, retry_after_s=RETRY_AFTER_S) from exc
        try:
            return self._exchanged(process, head, pictures)
        finally:
            hanging.cancel()

    def _exchanged(
        self,
        process: "subprocess.Popen[bytes]",
        head: bytes,
        pictures: Sequence[bytes],
    ) -> Answer | None:
        assert process.stdin is not None  # noqa: S101 - it was asked for
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            process.stdin.write(head)
            for picture in pictures:
                process.stdin.write(SIZE.pack(len(picture)))
                # Not joined before: it would be there twice.
                process.stdin.write(picture)
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            is_costly = process.returncode == -signal.SIGXCPU
            return (TOO_COSTLY, 0, 0, b"") if is_costly else None
        head = process.stdout.read(ANSWER.size)
        if len(head) == ANSWER.size:
            status, one, two, size_bytes = ANSWER.unpack(head)
            body = process.stdout.read(size_bytes)
            if len(body) == size_bytes:
                return status, one, two, body
        self.close()
        if process.returncode == -signal.SIGXCPU:
            return TOO_COSTLY, 0, 0, b""
        if process.returncode == 0 and not head:
            # Its time to be idle was over; the request lay in the pipe, unread.
            return None
        _log.warning(
            "a child that draws pictures has ended",
            extra={
                "hv_status": process.returncode,
                "hv_bytes": sum(map(len, pictures)),
            },
        )
        raise DrawingEndedError(_NOT_MADE, retry_after_s=RETRY_AFTER_S)

    def _running(self) -> "subprocess.Popen[bytes] | None":
        """Return the child, begun if none runs; None if none can be begun."""
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            with suppress(OSError):
                self._start()
        return self._process

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", "hvcore.pictures.drawing"]
        command += [str(self.niceness), str(self.idle_s)]
        limits = {"address_space_bytes": MOST_MEMORY_BYTES, "core_bytes": 0}
        process = subprocess.Popen(  # noqa: S603 - our own program
            supervised_command(command, limits),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for who serves; and a session is nice as a whole.
            start_new_session=True,
            env=environ_of_module(),
        )
        self._process, self._end = process, weakref.finalize(self, _end, process)
        return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    # Also closes the pipes; what was not written is lost with who would read it.
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue
    process.wait()
