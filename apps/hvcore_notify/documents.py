"""Small public documents of others: certificates and keys with which they sign."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hvcore.errors import UnavailableError
from hvcore.safe_http import OutboundError, OutboundHttp, TargetRefusedError

MAX_BYTES: Final = 64 * 1024
"""More than any of them has."""
WITHIN_S: Final = 5.0
WAITS_S: Final = 3.0
"""A thread of delivery waits for that long for its turn, and no longer."""
_OK: Final = 200
_OUTAGES: Final = frozenset({408, 429, *range(500, 600)})
"""Of HTTP; the same question may be answered soon."""
_LATER: Final = "What proves the sender cannot be fetched now; send it again soon."


class PublicDocuments:
    """
    Fetch public documents that prove senders, one at a time; thread-safe.

    Strangers can bring it about that something is fetched: never more than one thing.
    """

    def __init__(self, outbound: OutboundHttp) -> None:
        self._outbound = outbound
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, *, waits_s: float = WAITS_S) -> Iterator[None]:
        """
        Let this thread alone fetch something within the block.

        Raises:
            UnavailableError: Others take too long.
        """
        if not self._lock.acquire(timeout=waits_s):
            raise UnavailableError("Others are being checked; send it again soon.")
        try:
            yield
        finally:
            self._lock.release()

    def get(self, address: str) -> bytes | None:
        """
        Return an address's document; None if there is none, or it is elsewhere.

        Redirects are not followed: only the address itself is trusted.

        Raises:
            UnavailableError: Nobody answers there, somebody who cannot now, or with
                more than such a document has.
        """
        data = b""
        try:
            with self._outbound.get(
                address, deadline_s=WITHIN_S, max_redirects=0
            ) as answer:
                if answer.status in _OUTAGES:
                    raise UnavailableError(_LATER)
                if answer.status != _OK:
                    return None
                for block in answer.blocks():
                    data += block
                    if len(data) > MAX_BYTES:
                        # Such as a page of a proxy, with 200.
                        raise UnavailableError(_LATER)
        except TargetRefusedError:
            return None
        except OutboundError as exc:
            raise UnavailableError(_LATER) from exc
        return data
