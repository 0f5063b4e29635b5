"""
Set a deadline for all that is sent and received over sockets, such as a whole SMTP session.

A socket's own timeout begins anew at each read: a server that sends one byte in time again
and again never exceeds it.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Final, Self

from hvcore.errors import UnavailableError
from hvcore.safe_http.errors import OutboundError
from hvcore.safe_http.resolving import look_up, system_addresses

_LEAST_S: Final = 0.001


class SocketDeadline:
    """
    Deadline that closes the connections made under it when the time is over.

    Their reads and writes then fail as if the other side had gone: a caller that takes the end
    of a connection for the end of an answer must look at ``has_passed``. Meant for libraries
    that make their own sockets, such as smtplib; requests to untrusted hosts go through
    ``client``.

    Args:
        limit_s: The time limit for everything within the block, name lookups included.

    Raises:
        UnavailableError: At the beginning of the block: the machine has no thread that
            could watch the time.
    """

    def __init__(self, limit_s: float) -> None:
        self._ends_at_s = time.monotonic() + limit_s
        self._timer = self._new_timer(limit_s)
        self._lock = threading.Lock()
        self._watched: list[socket.socket] = []
        self._has_passed = False

    @property
    def has_passed(self) -> bool:
        """Return whether the deadline has passed."""
        return self._has_passed or time.monotonic() >= self._ends_at_s

    def __enter__(self) -> Self:
        self._start(self._timer)
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for watched in self._watched:
                watched.close()
            self._watched.clear()

    def extend(self, limit_s: float) -> None:
        """
        Move a deadline that has not passed to ``limit_s`` seconds from now.

        Raises:
            UnavailableError: The machine has no thread that could watch the time.
        """
        if self.has_passed:
            return
        later = self._new_timer(limit_s)
        self._start(later)
        earlier, self._timer = self._timer, later
        self._ends_at_s = time.monotonic() + limit_s
        earlier.cancel()

    def connect(self, host: str, port: int, *, step_s: float) -> socket.socket:
        """
        Connect to a host, and close the connection when the deadline passes; return the socket.

        Each IP address of the host gets a share of the time, so that a silent address leaves time
        for the next one.

        Args:
            step_s: The most time for connecting to each IP address, and later for each read and
                write.

        Raises:
            OSError: No address answers, or the name is not resolved in time.
        """
        try:
            addresses = look_up(
                system_addresses, host, port, limit_s=self._left_s, check=lambda: None
            )
        except OutboundError as exc:
            if self.has_passed:
                raise TimeoutError("the look-up of a name took too long") from exc
            raise socket.gaierror(socket.EAI_NONAME, str(exc)) from exc
        failure: OSError | None = None
        for tried, address in enumerate(addresses):
            try:
                limit_s = min(step_s, self._left_s / (len(addresses) - tried))
                made = socket.create_connection((address, port), timeout=limit_s)
            except OSError as exc:
                failure = exc
                continue
            made.settimeout(step_s)
            self._watch(made)
            return made
        raise failure or TimeoutError("connecting took too long")

    def _new_timer(self, limit_s: float) -> threading.Timer:
        timer = threading.Timer(limit_s, self._end)
        timer.daemon = True
        return timer

    def _start(self, timer: threading.Timer) -> None:
        try:
            timer.start()
        except RuntimeError as exc:
            raise UnavailableError(
                "The machine has no thread for another connection; try again soon."
            ) from exc

    @property
    def _left_s(self) -> float:
        return max(self._ends_at_s - time.monotonic(), _LEAST_S)

    def _watch(self, made: socket.socket) -> None:
        # Another handle of the connection: TLS makes a socket of its own of it.
        handle = socket.socket(fileno=os.dup(made.fileno()))
        with self._lock:
            self._watched.append(handle)
        if self.has_passed:
            self._end()

    def _end(self) -> None:
        self._has_passed = True
        with self._lock:
            for watched in self._watched:
                with suppress(OSError):
                    watched.shutdown(socket.SHUT_RDWR)
