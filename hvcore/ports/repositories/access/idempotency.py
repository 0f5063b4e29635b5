"""The records of first requests; see services.access.idempotency."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.access.idempotency import (
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)


class IdempotencyRepository(Protocol):
    """One first request for each idempotency key."""

    def add(self, request: FirstRequest) -> bool:
        """Store a request; False if the scope has one."""
        ...

    def find(self, scope: IdempotencyScope) -> FirstRequest | None:
        """Return the scope's request; no other transaction changes it meanwhile."""
        ...

    def replace(self, request: FirstRequest) -> None:
        """Store a request in the place of the scope's former one."""
        ...

    def answer(self, request: FirstRequest, answer: RecordedAnswer) -> bool:
        """Store an answer; False if another runs the request by now."""
        ...

    def remove(self, request: FirstRequest) -> None:
        """Free the key, unless another runs the request by now."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove requests that expired before a moment; return how many."""
        ...
