"""
Have pictures cropped by a process that is nice to all others.

A thread cannot be nice alone: while it waits for a processor with the interpreter's
lock, all threads of its process wait.
"""

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hvcore.child_process import supervised_command
from hvcore.errors import UnavailableError
from hvcore.pictures.cropping import ANSWER, FAILED, REQUEST, TOO_LARGE, too_large

NICENESS: Final = 5
"""Whoever watches comes first. On a busy core it still gets about a quarter."""
RETRY_AFTER_S: Final = 10
MOST_S: Final = 20.0
"""A picture of the most pixels takes 3 s on a busy core; then the process hangs."""


class CroppingError(RuntimeError):
    """
    A picture cannot be read or drawn.
    """


class CroppingProcess:
    """
    Starts it when it is needed; for one thread, which must outlive it.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] | None = None

    def crop_to_fill(self, picture: bytes, width_px: int, height_px: int) -> bytes:
        """
        Return a JPEG of exactly this size, its middle cut out of the picture.

        Raises:
            NotFoundError: The picture has too many pixels.
            CroppingError: It cannot be read.
            UnavailableError: The process ended meanwhile, twice, or cannot be started.
        """
        request = REQUEST.pack(len(picture), width_px, height_px) + picture
        # One that was idle for long may end at this moment.
        answer = self._ask(request) or self._ask(request)
        if answer is None:
            raise UnavailableError(
                "The picture could not be made; try again soon.",
                retry_after_s=RETRY_AFTER_S,
            )
        status, body = answer
        if status == TOO_LARGE:
            raise too_large()
        if status == FAILED:
            raise CroppingError(body.decode(errors="replace"))
        return body

    def close(self) -> None:
        """
        End the process; another one starts when it is needed.
        """
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _ask(self, request: bytes) -> tuple[int, bytes] | None:
        """
        Return status and body of the answer; None if the process has ended.
        """
        try:
            process = self._process or self._start()
        except OSError:
            return None
        hanging = threading.Timer(MOST_S, process.kill)
        hanging.daemon = True
        hanging.start()
        try:
            return self._exchanged(process, request)
        finally:
            hanging.cancel()

    def _exchanged(
        self, process: "subprocess.Popen[bytes]", request: bytes
    ) -> tuple[int, bytes] | None:
        assert process.stdin is not None  # noqa: S101 - it was asked for
        assert process.stdout is not None  # noqa: S101 - it was asked for
        try:
            process.stdin.write(request)
            process.stdin.flush()
            head = process.stdout.read(ANSWER.size)
            if len(head) == ANSWER.size:
                status, size = ANSWER.unpack(head)
                body = process.stdout.read(size)
                if len(body) == size:
                    return status, body
        except BrokenPipeError:
            pass
        self.close()
        return None

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-P", "-m", "hvcore.pictures.cropping"]
        process = subprocess.Popen(  # noqa: S603 - our own program
            supervised_command(command, niceness=NICENESS),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for who serves; and a session is nice as a whole.
            start_new_session=True,
            env=_environ(),
        )
        self._process, self._end = process, weakref.finalize(self, _end, process)
        return process


def _environ() -> dict[str, str]:
    # Settings have passwords, and it needs none.
    environ = {name: v for name, v in os.environ.items() if not name.startswith("HV_")}
    # Whoever embeds this may have found it in a folder of its own; nothing stands for
    # the current one.
    path = [place or str(Path.cwd()) for place in sys.path]
    return {**environ, "PYTHONPATH": os.pathsep.join(path)}


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
