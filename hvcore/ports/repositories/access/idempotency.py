"""The repository of first requests with idempotency keys; see services.access.idempotency."""

from datetime import datetime
from typing import Protocol

from hvcore.domain.access.idempotency import (
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)


class IdempotencyRepository(Protocol):
    """Store the first request with each idempotency key."""

    def add(self, request: FirstRequest) -> bool:
        """Store a first request; return False if its scope has one already."""
        ...

    def find(self, scope: IdempotencyScope) -> FirstRequest | None:
        """Return the first request of a scope, locked until the transaction ends."""
        ...

    def replace(self, request: FirstRequest) -> None:
        """Store a first request in place of its scope's former one."""
        ...

    def answer(self, request: FirstRequest, answer: RecordedAnswer) -> bool:
        """Store the answer of a first request; return False if its claim was lost."""
        ...

    def remove(self, request: FirstRequest) -> None:
        """Remove a first request, which frees its key, unless its claim was lost."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove the requests that expired before a moment; return their number."""
        ...
