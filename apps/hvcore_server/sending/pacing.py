"""
A socket that waits for a client only as long as the client keeps a minimum pace.

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
"""The slowest pace of a receiving client, as for uploads; the lowest rung of a video needs
several times as much."""
LOOK_EVERY_S: Final = 1.0
"""The seconds between two looks at a client's pace: the kernel tells only that there is much
room, not that some data was received."""
SENDFILE_BYTES: Final = 1024 * 1024


class TooSlowError(TimeoutError):
    """The client sent or took nothing for too long, or was below the minimum pace."""


class TooShortError(OSError):
    """A file ends before the announced end of the answer, because it became shorter."""


class Pace:
    """
    The seconds that a connection may still wait for its client, who earns more with each byte.

    Args:
        grace_s: The seconds at the beginning, and the most that can be saved up.
        min_bytes_per_s: The minimum pace; a client at this pace never runs out of
            time.
    """

    def __init__(
        self, grace_s: float, *, min_bytes_per_s: float = MIN_BYTES_PER_S
    ) -> None:
        self._grace_s = self._left_s = grace_s
        self._min_bytes_per_s = min_bytes_per_s

    @property
    def left_s(self) -> float:
        """The seconds of waiting that are left before the client is too slow."""
        return self._left_s

    def waited(self, seconds: float) -> None:
        """Subtract seconds that were spent waiting for the client."""
        self._left_s -= seconds

    def moved(self, size_bytes: int) -> None:
        """
        Add the seconds that a client earns with bytes that it sent or received.

        Args:
            size_bytes: The number of bytes.
        """
        earned_s = size_bytes / self._min_bytes_per_s
        self._left_s = min(self._grace_s, self._left_s + earned_s)


class PacedSocket(socket.socket):
    """
    A connection to a client that enforces a minimum pace; for one thread at a time.

    The kernel's socket never blocks; this class waits instead.

    Attributes:
        unsent: Keeps the bytes that the kernel does not take, so that the thread need not
            wait for the client; None has the thread wait.
        paced_every_s: The seconds between similar requests of this client, because a limit
            has refused this request or it has cost much; 0 for no delay.
        was_all_below: Whether all requests with the same beginning of the path are
            similar.
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
        """Return a ``PacedSocket`` for a connection; its old socket object cannot be used afterwards."""
        paced = cls(fileno=connection.detach())
        paced.settimeout(0.0)
        return paced

    def begin(self, *, reading: Pace | None, sending: Pace) -> None:
        """
        Begin a new request, with new minimum paces for reading and sending.

        Args:
            reading: The pace of the request's body; None if all bytes that are waited for
                have come: reading beyond them then gives the end.
            sending: The pace of the answer.
        """
        self._reading, self._sending = reading, sending
        self.paced_every_s, self.was_all_below = 0.0, False
        # Below zero if what others have sent here is still on its way.
        self._arrived_bytes = self._sent_bytes - queued_bytes(self)

    def read_within(self, seconds: float) -> None:
        """Set the seconds within which the rest of the request must come, whatever its pace."""
        if self._reading is not None:
            self._reading = Pace(seconds, min_bytes_per_s=math.inf)

    def note_rate_limit(self, *, of_all_below: bool = False) -> None:
        """
        Remember that a rate limit refused the request, so that the client's next requests of this path are delayed.

        Args:
            of_all_below: Whether requests of other paths that begin alike are delayed, too.
        """
        self.pace_others(ONE_EVERY_S, of_all_below=of_all_below)

    def pace_others(self, every_s: float, *, of_all_below: bool = False) -> None:
        """
        Remember that similar requests of this client are to run one after the other for a second.

        Args:
            every_s: The seconds between two of these requests.
            of_all_below: Whether all requests with the same beginning of the path are
                similar.
        """
        # What was said of more requests stays.
        if not self.was_all_below:
            self.paced_every_s, self.was_all_below = every_s, of_all_below

    def setblocking(self, _flag: bool, /) -> None:  # noqa: FBT001 - of socket
        """Keep the socket non-blocking, although gunicorn asks for a blocking one before each request."""
        self.settimeout(0.0)

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        """
        Return bytes from the client; wait for them unless ``flags`` are given.

        Raises:
            TooSlowError: No byte came in the time that was left.
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
        Wait for bytes from the client, and write them to the beginning of a block.

        Args:
            within_s: The seconds to wait.

        Returns:
            The number of bytes; 0 at the end of what the client sends; None if no byte came
            in time.

        Raises:
            TooSlowError: No byte came in the time that was left for the whole request.
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
        Send all bytes, or leave the rest in ``unsent`` to be sent later.

        Raises:
            TooSlowError: The client took the bytes too slowly.
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
        Send ``count`` bytes of a file from ``offset`` on; return the number of bytes sent or kept.

        Python's own method waits for ever when a socket's kernel timeout ends a call. If a media
        segment counts as served at some byte of the file (``hvcore_web.files``), the file is told
        before that byte is sent. If the file can be handed over, another sender sends it later, and
        counts the segment as well.

        Raises:
            TooSlowError: The client took the bytes too slowly.
            TooShortError: The file ends before these bytes end.
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
        Wait until the client takes more bytes.

        Raises:
            TooSlowError: The client takes no more in the time that was left.
            ConnectionResetError: The client has closed the connection.
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
    """Return the number of sent bytes that the client has not acknowledged."""
    answer = fcntl.ioctl(sock, termios.TIOCOUTQ, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def sends_no_more(sock: socket.socket) -> bool:
    """
    Return whether the client has closed its sending side, or has sent urgent data.

    No more bytes can then be peeked at, and the kernel calls such a socket readable over and
    over: half a request and an end kept a whole processor busy for ten seconds.
    """
    poll = select.poll()
    poll.register(sock, select.POLLRDHUP | select.POLLPRI)
    return bool(poll.poll(0))
