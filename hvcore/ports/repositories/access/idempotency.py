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
        """Store the first request with an idempotency key; return False if the key has one already."""
        ...

    def find(self, scope: IdempotencyScope) -> FirstRequest | None:
        """
        Return the first request with an idempotency key, locked until the transaction ends.

        None if there is none.
        """
        ...

    def replace(self, request: FirstRequest) -> None:
        """Store a first request with an idempotency key in place of the key's former, expired one."""
        ...

    def answer(self, request: FirstRequest, answer: RecordedAnswer) -> bool:
        """
        Store the answer of a first request.

        Return False if another process has claimed the request.
        """
        ...

    def remove(self, request: FirstRequest) -> None:
        """Remove a first request and so free its key, unless another process has claimed it."""
        ...

    def forget(self, before: datetime, limit: int) -> int:
        """Remove at most ``limit`` first requests that expired before a moment; return their number."""
        ...
