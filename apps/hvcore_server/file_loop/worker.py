"""The gunicorn worker of delivery: a loop sends files, threads do everything else."""

import sys
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from hvcore.spool import InDoubt
from hvcore_server.deadlines import TransferWorker
from hvcore_server.file_loop.loop import FileLoop

SWITCH_INTERVAL_S: Final = 0.0005
"""
The seconds after which Python switches from a busy thread to another. With the default of
5 ms, a page or an upload could stop the loop for so long at each system call.
"""


class DeliveryWorker(TransferWorker):
    """
    A gunicorn worker that serves published files in the file loop, and all else in threads.

    A connection belongs to the loop until a request comes that the loop does not answer. Then
    a thread has the connection for one request, and after that the loop has it again.

    Attributes:
        in_doubt: The segments that this process has counted and not sent yet.
        left_behind: The segments that ended processes had counted and not sent.
    """

    in_doubt: InDoubt
    left_behind: Sequence[InDoubt]
    _loop: FileLoop | None = None
    _stops_at: float | None = None

    def run(self) -> None:
        """Serve requests in this process until SIGTERM."""
        files = getattr(self.wsgi, "files", None)
        if files is not None:
            sys.setswitchinterval(SWITCH_INTERVAL_S)
            for one in self.left_behind:
                files.take_back(one.take())
            self._loop = FileLoop(
                files,
                self,
                others=self.poller.fileno(),
                head_within_s=self.headers_within_s,
                idle_s=self.cfg.keepalive,
                pace=partial(self._pace, self.grace_s),
                in_doubt=self.in_doubt,
            )
        try:
            super().run()
        finally:
            if files is not None and self._loop is not None:
                # What is cut off at the end is noted as well.
                self._loop.close()
                # Of a round that an exception ended: SIGINT and SIGQUIT raise one.
                files.take_back(self.in_doubt.take())

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """
        Run the file loop until there is something to do for connections that threads serve.

        Args:
            timeout: The most seconds to run.
        """
        if self._loop is not None:
            self._loop.run(min(timeout, self._retries.wait_s()))
            timeout = 0.0
        super().wait_for_and_dispatch_events(timeout)

    def murder_pending(self) -> None:
        """Close late connections; while the process ends, close all that do not end in time."""
        super().murder_pending()
        if self._loop is None:
            return
        self._loop.look_after(is_stopping=not self.alive)
        if self.alive:
            return
        now = time.monotonic()
        self._stops_at = self._stops_at or now + self.cfg.graceful_timeout / 2
        if now >= self._stops_at:
            # Not later: the arbiter began to count before, and kills in the end.
            self._loop.close()
            self._sender.close()

    def hand_over(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Serve a request in a thread, because the file loop does not answer it."""
        super()._serve_when_complete(conn)

    def linger(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """End a connection whose last answer was sent, once the client has received the answer."""
        self._lingering.take(conn)

    def _waiting(self) -> Iterable[Any]:
        idle = self._loop.waiting() if self._loop is not None else ()
        return [*super()._waiting(), *idle]

    def _give_up(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        if self._loop is None or not self._loop.give_up(conn):
            super()._give_up(conn)

    def _serve_when_complete(self, conn: Any) -> None:  # noqa: ANN401 - gunicorn's own
        if self._loop is None:
            super()._serve_when_complete(conn)
        else:
            self._loop.take(conn)
