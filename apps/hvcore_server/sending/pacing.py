"""
A socket that waits only for a client that keeps pace.

A time limit for each system call does not stop a client that sends a byte now and
then; a limit for the whole request would cut off large files. So time is lent:
waiting costs it, and every byte that moves earns some of it back.
"""

import errno
import fcntl
import math
import os
import select
import socket
import struct
import termios
import time
from typing import Any, Final, Self

from hvcore_server.sending.retry_pacing import ONE_EVERY_S
from hvcore_server.sending.unsent_answer import UnsentAnswer

MIN_BYTES_PER_S: Final = 8 * 1024
"""As for uploads; the lowest rung of a video needs several times as much."""
LOOK_EVERY_S: Final = 1.0
"""The kernel says only that there is much room, not that some data went."""
SENDFILE_BYTES: Final = 1024 * 1024


class TooSlowError(TimeoutError):
    """The other side stood still, or was below the minimum pace."""


class TooShortError(OSError):
    """A file ends before the end of what was announced: it became shorter."""


class Pace:
    """
    The time that a connection may still wait for its client.

    Args:
        grace_s: Lent at the beginning, and the most that can be saved up.
        min_bytes_per_s: A client at this pace never runs out of time.
    """

    def __init__(
        self, grace_s: float, *, min_bytes_per_s: float = MIN_BYTES_PER_S
    ) -> None:
        self._grace_s = self._left_s = grace_s
        self._min_bytes_per_s = min_bytes_per_s

    @property
    def left_s(self) -> float:
        """The wait after which the other side is too slow."""
        return self._left_s

    def waited(self, seconds: float) -> None:
        """Count time in which nothing could be done but wait."""
        self._left_s -= seconds

    def moved(self, size_bytes: int) -> None:
        """Count bytes that came from the other side, or arrived there."""
        earned_s = size_bytes / self._min_bytes_per_s
        self._left_s = min(self._grace_s, self._left_s + earned_s)


class PacedSocket(socket.socket):
    """
    A connection to a client, for one thread at a time.

    In the kernel it never blocks; what waits is this class.

    Attributes:
        unsent: Takes what the kernel does not, so that the thread need not wait
            for the other side; None has it wait.
        paced_every_s: How far apart requests like this one go on, because a limit has
            refused it or it has cost much; 0 for as they come.
        was_all_below: All with the same beginning of the path are like it.
    """

    unsent: UnsentAnswer | None = None
    paced_every_s = 0.0
    was_all_below = False
    _reading: Pace | None = Pace(0)
    _sending = Pace(0)
    _sent_bytes = 0
    _arrived_bytes = 0

    @classmethod
    def take_over(cls, connection: socket.socket) -> Self:
        """Make a connection into one of these; the other object is used up."""
        paced = cls(fileno=connection.detach())
        paced.settimeout(0.0)
        return paced

    def begin(self, *, reading: Pace | None, sending: Pace) -> None:
        """
        Lend time again, as for a new request.

        Args:
            reading: None if all has come that is worth waiting for: what is read
                beyond that is the end.
        """
        self._reading, self._sending = reading, sending
        self.paced_every_s, self.was_all_below = 0.0, False
        # Below zero if what others have sent here is still on its way.
        self._arrived_bytes = self._sent_bytes - queued_bytes(self)

    def read_within(self, seconds: float) -> None:
        """Set a time within which all that is still read must come."""
        if self._reading is not None:
            self._reading = Pace(seconds, min_bytes_per_s=math.inf)

    def note_rate_limit(self, *, of_all_below: bool = False) -> None:
        """
        Remember that a limit refused the request.

        Args:
            of_all_below: It would refuse all with the same beginning of the path.
        """
        self.pace_others(ONE_EVERY_S, of_all_below=of_all_below)

    def pace_others(self, every_s: float, *, of_all_below: bool = False) -> None:
        """
        Have requests of this client that are like this one go on in turn, for a second.

        Args:
            every_s: How far apart.
            of_all_below: All with the same beginning of the path are like it.
        """
        # What was said of more requests stays.
        if not self.was_all_below:
            self.paced_every_s, self.was_all_below = every_s, of_all_below

    def setblocking(self, _flag: bool, /) -> None:  # noqa: FBT001 - of socket
        """Stay non-blocking; gunicorn asks for the other before each request."""
        self.settimeout(0.0)

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        """
        Wait for bytes and return them; with flags, do not wait.

        Raises:
            TooSlowError: None came in the time that was left.
        """
        if flags:
            return super().recv(bufsize, flags)
        while True:
            try:
                data = super().recv(bufsize)
            except BlockingIOError:
                if self._reading is None:
                    return b""
                self._wait_readable(self._reading)
            else:
                if self._reading is not None:
                    self._reading.moved(len(data))
                return data

    def receive_some(self, block: memoryview, within_s: float) -> int | None:
        """
        Wait for bytes, fill a block with them and return how many they are.

        Returns:
            0 at the end of what the other side sends; None if nothing came in time.

        Raises:
            TooSlowError: None came in the time that was left in all.
        """
        while True:
            try:
                size = super().recv_into(block)
            except BlockingIOError:
                if self._reading is None:
                    return 0
                wait_s = min(self._reading.left_s, within_s)
                if not self._poll(select.POLLIN, self._reading, wait_s):
                    if self._reading.left_s <= 0:
                        raise TooSlowError from None
                    return None
            else:
                if self._reading is not None:
                    self._reading.moved(size)
                return size

    def sendall(self, data: Any, flags: int = 0, /) -> None:  # noqa: ANN401 - any buffer
        """
        Send all of it, or leave it to be sent.

        Raises:
            TooSlowError: The other side took too little of it.
        """
        left = memoryview(data).cast("B")
        if not left or self._leaves_behind_others(left):
            return
        while left:
            try:
                sent = super().send(left, flags)
            except BlockingIOError:
                if self.unsent is not None and self.unsent.keep(left):
                    return
                self.wait_writable()
            else:
                self._sent_bytes += sent
                left = left[sent:]

    def sendfile(
        self,
        file: Any,  # noqa: ANN401 - whatever has a descriptor
        offset: int = 0,
        count: int | None = None,
    ) -> int:
        """
        Send a part of a file, and return how many bytes that was.

        Python's own waits for ever when a socket's kernel timeout ends a call. A file
        that has a half way (hvcore_web.files) is told before it passes that. One that can
        be passed on is left to another sender, which counts it as well.

        Raises:
            TooSlowError: The other side took too little of it.
            TooShortError: There is no such part.
        """
        if count and self.unsent is not None and hasattr(file, "hand_over"):
            self.unsent.keep_file(file.hand_over(), offset, offset + count)
            return count
        self._send_left()
        first = getattr(file, "to_half_way", None)
        if not count or first is None:
            return self._sendfile(file, offset, count)
        sent = self._sendfile(file, offset, first)
        file.pass_half_way()
        return sent + self._sendfile(file, offset + sent, count - sent)

    def wait_writable(self) -> None:
        """
        Wait until the other side takes more.

        Raises:
            TooSlowError: It does not.
            ConnectionResetError: It is gone.
        """
        self._send_left()
        is_writable = False
        while not is_writable:
            wait_s = min(self._sending.left_s, LOOK_EVERY_S)
            is_writable = self._poll(select.POLLOUT, self._sending, wait_s)
            # What the other side has acknowledged, and not what the kernel
            # took: that is up to 4 MB at once.
            arrived = self._sent_bytes - queued_bytes(self)
            self._sending.moved(arrived - self._arrived_bytes)
            self._arrived_bytes = arrived
            if not is_writable and self._sending.left_s <= 0:
                raise TooSlowError

    def _leaves_behind_others(self, data: memoryview) -> bool:
        """Leave bytes behind others that were left; False if no others were."""
        if self.unsent is None or not self.unsent.is_any:
            return False
        if self.unsent.keep(data):
            return True
        self._send_left()
        return False

    def _send_left(self) -> None:
        """Send the bytes that were left, so that others may follow."""
        unsent = self.unsent
        if unsent is None or not unsent.is_any:
            return
        self.unsent = None
        try:
            self.sendall(unsent.take_bytes())
        finally:
            unsent.free()
            self.unsent = unsent

    def _sendfile(
        self,
        file: Any,  # noqa: ANN401 - whatever has a descriptor
        offset: int,
        count: int | None,
    ) -> int:
        total = 0
        while count is None or total < count:
            left = SENDFILE_BYTES if count is None else count - total
            try:
                sent = os.sendfile(
                    self.fileno(),
                    file.fileno(),
                    offset + total,
                    min(left, SENDFILE_BYTES),
                )
            except BlockingIOError:
                self.wait_writable()
                continue
            if not sent:
                if count is not None:
                    raise TooShortError
                break
            self._sent_bytes += sent
            total += sent
        return total

    def _wait_readable(self, reading: Pace) -> None:
        if not self._poll(select.POLLIN, reading, reading.left_s):
            raise TooSlowError

    def _poll(self, event: int, pace: Pace, wait_s: float) -> bool:
        poll = select.poll()
        poll.register(self, event)
        started = time.monotonic()
        found = poll.poll(max(0.0, wait_s) * 1000)
        pace.waited(time.monotonic() - started)
        if event == select.POLLOUT and found and found[0][1] != event:
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        return bool(found)


def queued_bytes(sock: socket.socket) -> int:
    """Return the number of sent bytes that the other side has not acknowledged."""
    answer = fcntl.ioctl(sock, termios.TIOCOUTQ, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def sends_no_more(sock: socket.socket) -> bool:
    """
    Return whether no more bytes can be peeked at.

    That is so once the other side has ended or has sent urgent data, behind
    which no look reaches. The kernel calls such a socket readable over and over:
    half a request and an end kept a whole processor busy for ten seconds.
    """
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP | select.POLLPRI)
    return bool(poll.poll(0))
