"""
Clients that play segments, and keep exact accounts of what arrived.

Each asks for one thing at a time on a connection of its own. Of which a player has
all that it asked for, and that is more than half, must have been counted; of which
it can have no more than half, must not. Between the two lies one case that no client
can tell: the connection broke, not by its own doing. The server may have died right
after it had counted, or with more than half on its way. That can befall each
connection once for each death of a server, so there are at most that many.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import attrs

from tests.support.network.plain_http import Connection, Head
from tests.torture.segment_asks import OWN_BUFFER_BYTES, Ask, Film, Place, Way, choose

PAUSE_S: Final = 0.02
"""Before the next request to a service that is away."""
AWAY: Final = frozenset({502, 503, 504})
MOST_FAULTS: Final = 20


@attrs.define
class Accounts:
    """
    What all clients together saw; each entry is made under the lock.

    Attributes:
        whole: Complete answers that count.
        unsure: Those that broke off, not by the client's doing, and may count.
        faults: What must never be seen.
    """

    wanted: int
    answered: int = 0
    whole: Counter[Place] = attrs.field(factory=Counter)
    unsure: Counter[Place] = attrs.field(factory=Counter)
    ways: Counter[Way] = attrs.field(factory=Counter)
    away: int = 0
    faults: list[str] = attrs.field(factory=list)
    lock: threading.Lock = attrs.field(factory=threading.Lock)

    @property
    def is_over(self) -> bool:
        """
        Tell whether enough was asked for.
        """
        return self.answered >= self.wanted or len(self.faults) > MOST_FAULTS


class Viewer:
    """
    A client that plays until enough was answered.
    """

    def __init__(
        self, port: int, films: Sequence[Film], accounts: Accounts, seed: int
    ) -> None:
        self._port = port
        self._films = films
        self._accounts = accounts
        self._random = random.Random(seed)  # noqa: S311 - to be repeated
        self._connection: Connection | None = None
        self._thread = threading.Thread(
            target=self._run, name=f"viewer-{seed}", daemon=True
        )

    def start(self) -> None:
        """
        Begin.
        """
        self._thread.start()

    @property
    def is_busy(self) -> bool:
        """
        Tell whether it still plays.
        """
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            while not self._accounts.is_over:
                ask = choose(self._films, self._random)
                if ask.way is Way.LEFT:
                    self._leave(ask)
                else:
                    self._play(ask)
        except Exception as exc:  # noqa: BLE001 - the test must hear of it
            self._fault(f"a viewer ended: {exc!r}")
        finally:
            self._hang_up()

    def _play(self, ask: Ask) -> None:
        head = None
        try:
            if self._connection is None:
                self._connection = Connection(self._port)
            self._connection.send(ask.method, ask.path, ask.headers)
            head = self._connection.head(ask.method)
            body = self._connection.read(head.length_bytes)
        except OSError:
            self._broke_off(ask, head)
            return
        if head.is_last:
            self._hang_up()
        if head.status in AWAY:
            with self._accounts.lock:
                self._accounts.away += 1
            time.sleep(PAUSE_S)
            return
        self._check(ask, head, body)
        with self._accounts.lock:
            self._accounts.answered += 1
            self._accounts.ways[ask.way] += 1
            self._accounts.whole[ask.place] += ask.counts

    def _leave(self, ask: Ask) -> None:
        """
        Read a little of a long segment, and go away.
        """
        with suppress(OSError):
            connection = Connection(self._port, buffer_bytes=OWN_BUFFER_BYTES)
            try:
                connection.send(ask.method, ask.path, ask.headers)
                if ask.reads_bytes:
                    head = connection.head(ask.method)
                    read = connection.read(min(ask.reads_bytes, head.length_bytes))
                    if head.status not in AWAY:
                        self._check(ask, head, read)
            finally:
                connection.close()
        with self._accounts.lock:
            self._accounts.answered += 1
            self._accounts.ways[ask.way] += 1

    def _check(self, ask: Ask, head: Head, body: bytearray) -> None:
        """
        Hold an answer, or its beginning, against what it must be.
        """
        length = head.headers.get("content-length")
        if head.status != ask.status:
            self._fault(f"{ask} was answered {head.status}: {bytes(body[:200])!r}")
        elif ask.body is not None and head.status != 304:
            if length != str(ask.size_bytes):
                self._fault(f"{ask} has a Content-Length of {length}")
            if body != ask.body[: len(body)]:
                self._fault(f"{ask} has other bytes than the segment")

    def _broke_off(self, ask: Ask, head: Head | None) -> None:
        self._hang_up()
        # A refusal that broke off is no segment either way.
        may_count = ask.counts and (head is None or head.status == ask.status)
        with self._accounts.lock:
            self._accounts.unsure[ask.place] += may_count
        time.sleep(PAUSE_S)

    def _fault(self, text: str) -> None:
        with self._accounts.lock:
            self._accounts.faults.append(text)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
