"""Fetch the public certificates and keys by which senders' signatures are verified."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hvcore.errors import UnavailableError
from hvcore.safe_http import OutboundError, OutboundHttp, TargetRefusedError

MAX_BYTES: Final = 64 * 1024
"""The largest document that is fetched; real ones are smaller."""
WITHIN_S: Final = 5.0
WAITS_S: Final = 3.0
"""The most seconds that a thread of delivery waits for its turn to fetch a document."""
_OK: Final = 200
_OUTAGES: Final = frozenset({408, 429, *range(500, 600)})
"""The HTTP statuses after which the same request may succeed soon."""
_LATER: Final = "What proves the sender cannot be fetched now; send it again soon."


class PublicDocuments:
    """
    Fetches public certificates and keys, one at a time; thread-safe.

    Anybody can cause such fetches by a request, so there is never more than one.
    """

    def __init__(self, outbound: OutboundHttp) -> None:
        self._outbound = outbound
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, *, waits_s: float = WAITS_S) -> Iterator[None]:
        """
        Within the ``with`` block, hold a lock, so that no other thread fetches a document.

        Args:
            waits_s: The seconds to wait for the lock.

        Raises:
            UnavailableError: Other threads hold the lock for longer.
        """
        if not self._lock.acquire(timeout=waits_s):
            raise UnavailableError("Others are being checked; send it again soon.")
        try:
            yield
        finally:
            self._lock.release()

    def get(self, address: str) -> bytes | None:
        """
        Return the document at an address; None if there is none, or if it has moved.

        Redirects are not followed: only the address itself is trusted.

        Raises:
            UnavailableError: The server does not answer, answers with a failure, or sends more
                bytes than such a document has.
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
