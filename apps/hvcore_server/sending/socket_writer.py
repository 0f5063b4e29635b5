"""Write bytes and files to a connection without waiting for the client."""

import os
import socket
import struct
import sys
from functools import cache
from pathlib import Path
from typing import Final

from hvcore_server.sending.pacing import TooShortError, queued_bytes

# Past the methods of our sockets, which wait.
_send = socket.socket.send
_UNSENT: Final = (socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT)

_MEMORY: Final = 55
"""Linux's socket option SO_MEMINFO; sock_diag(7) describes its fields."""
_ALLOWED_AND_QUEUED: Final = struct.Struct("=12xI4xI")
_OVERHEAD: Final = 32
_OVERHEAD_BYTES: Final = 32 * 1024
"""
The memory that the kernel needs besides the unsent bytes. Measured were 2.2 % of 4 MB, and
7.5 KB besides 300 kB (docs/decisions/0030).
"""
_UNSENT_LIMIT: Final = Path("/proc/sys/net/ipv4/tcp_notsent_lowat")
_NO_LIMIT: Final = 2**31
"""The number from which a limit of the kernel means none: it reports 2**32 - 1, or -1."""


class SocketWriter:
    """
    Writes bytes and files to a connection, in as few packets as possible, without waiting.

    Headers and the content of a file come from two calls, and should share
    packets: the first call says that there is more.
    """

    __slots__ = (
        *("_fd", "_has_packets", "_sock", "_tells_memory", "_unsent_limit"),
        "sent_bytes",
    )

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._fd = sock.fileno()
        self._has_packets = sock.family is not socket.AF_UNIX
        self._tells_memory = self._has_packets and tells_room(_UNSENT_LIMIT)
        self._unsent_limit = 0
        self.sent_bytes = 0

    def send(self, data: bytes | memoryview, *, is_all: bool) -> int:
        """
        Send as many of the bytes as the kernel takes, and return their number.

        Args:
            is_all: Whether no file follows, for which the kernel should hold the bytes back.

        Raises:
            BlockingIOError: The kernel takes no bytes now.
            OSError: The client has closed the connection.
        """
        sent = _send(self._sock, data, 0 if is_all else socket.MSG_MORE)
        self.sent_bytes += sent
        return sent

    def send_file(self, file: int, offset: int, size_bytes: int) -> int:
        """
        Send as much of a file as the kernel takes; return the number of bytes sent.

        Args:
            file: The file's descriptor.
            offset: The position of the first byte to send.
            size_bytes: The most bytes to send.

        Raises:
            TooShortError: The file ends before ``offset``.
            BlockingIOError: The kernel takes no bytes now.
            OSError: The client has closed the connection.
        """
        sent = os.sendfile(self._fd, file, offset, size_bytes)
        if not sent:
            raise TooShortError
        self.sent_bytes += sent
        return sent

    def takes(self, size_bytes: int) -> bool:
        """
        Return whether the kernel will take ``size_bytes`` bytes in one call.

        False if the kernel does not say. True is wrong only if the memory of all connections runs
        short just then, or the client is gone.
        """
        if not self._tells_memory:
            return False
        allowed, queued = self._memory()
        # The kernel takes more as long as less is queued than is allowed.
        return queued + size_bytes + size_bytes // _OVERHEAD + _OVERHEAD_BYTES < allowed

    def limit_unsent(self, size_bytes: int) -> None:
        """
        Limit the number of bytes that the kernel keeps before it sends them.

        Args:
            size_bytes: The limit; 0 for the kernel's usual limit, which ``takes`` relies on.
        """
        if size_bytes != self._unsent_limit and self._has_packets:
            self._sock.setsockopt(*_UNSENT, size_bytes)
            self._unsent_limit = size_bytes

    def _memory(self) -> tuple[int, int]:
        try:
            memory = self._sock.getsockopt(
                socket.SOL_SOCKET, _MEMORY, _ALLOWED_AND_QUEUED.size
            )
            allowed, queued = _ALLOWED_AND_QUEUED.unpack(memory)
        except (OSError, struct.error):
            # Linux before 4.12, and what stands in for it (gVisor), do not say.
            self._tells_memory = False
            return 0, 0
        return allowed, queued

    def arrived_bytes(self) -> int:
        """
        Return the number of bytes sent with this object that have arrived at the client.

        The number is below zero while bytes that were sent earlier are still on their way.
        """
        return self.sent_bytes - queued_bytes(self._sock)


@cache
def tells_room(unsent_limit: Path) -> bool:
    """
    Return whether the kernel accepts as many bytes as it has memory for; the answer is cached.

    An operator may have told it to take fewer for connections whose network is
    slow (tcp(7), ``net.ipv4.tcp_notsent_lowat``); then only poll knows.

    Args:
        unsent_limit: The file that says how many bytes may wait to be sent.
    """
    if sys.platform != "linux":
        return False
    try:
        limit = int(unsent_limit.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return False
    return not 0 <= limit < _NO_LIMIT
