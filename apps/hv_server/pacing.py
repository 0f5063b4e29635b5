"""
What is asked of a client that one waits for.

A time limit of one system call stops nobody who sends a byte now and then;
one of a whole request would cut off large files. So time is lent: waiting
costs it, and every byte that moves earns some of it back.
"""

import fcntl
import select
import socket
import struct
import termios
from typing import Final

MIN_BYTES_PER_S: Final = 8 * 1024
"""As for uploads; the lowest rung of a video needs several times as much."""


class TooSlowError(TimeoutError):
    """
    The other side stood still, or moved less than is asked of it.
    """


class TooShortError(OSError):
    """
    A file ends before the end of what was announced: it became shorter.
    """


class Pace:
    """
    How long one may still wait for the other side.

    Args:
        grace_s: Lent at the beginning, and the most that can be saved up.
        min_bytes_per_s: Who is as fast as that never runs out.
    """

    def __init__(
        self, grace_s: float, *, min_bytes_per_s: float = MIN_BYTES_PER_S
    ) -> None:
        self._grace_s = self._left_s = grace_s
        self._min_bytes_per_s = min_bytes_per_s

    @property
    def left_s(self) -> float:
        """
        The wait after which the other side is too slow.
        """
        return self._left_s

    def waited(self, seconds: float) -> None:
        """
        Count time in which nothing could be done but wait.
        """
        self._left_s -= seconds

    def moved(self, size_bytes: int) -> None:
        """
        Count bytes that came from the other side, or arrived there.
        """
        earned_s = size_bytes / self._min_bytes_per_s
        self._left_s = min(self._grace_s, self._left_s + earned_s)


def queued_bytes(sock: socket.socket) -> int:
    """
    Return how much of what was sent the other side has not acknowledged.
    """
    answer = fcntl.ioctl(sock, termios.TIOCOUTQ, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def sends_no_more(sock: socket.socket) -> bool:
    """
    Tell whether what can be looked at will never become more.

    That is so once the other side has ended or has sent urgent data, behind
    which no look reaches. The kernel calls such a socket readable over and over:
    half a request and an end kept a whole processor busy for ten seconds.
    """
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP | select.POLLPRI)
    return bool(poll.poll(0))
