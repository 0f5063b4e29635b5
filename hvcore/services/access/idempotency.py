"""
Run a request with an Idempotency-Key once, and give its answer to every repetition.

The record is claimed before the request runs and answered after it. If the process of the
request dies in between, the claim runs out, and the next repetition runs the request
again: then everything that the first run had committed exists twice.
"""

import logging
import secrets
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.access.idempotency import (
    CLAIMED_FOR,
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidParametersError,
    UnavailableError,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work

LOCATION: Final = "header.Idempotency-Key"
NOT_REPEATED: Final = frozenset({401, 403, 429})
"""Statuses of answers that are not stored: they say nothing about the request itself."""
TRIES: Final = 3
FORGET_BATCH: Final = 1_000
"""Rows in a transaction: a writer on SQLite delays everyone else."""
FORGET_BATCHES: Final = 30
"""The rest follows half a minute later; the sweep must not do only this."""

_FIRST_SERVER_ERROR = 500
_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Idempotency:
    """Claim idempotency keys, and store the answers of requests under them."""

    uow: UnitOfWork

    def begin(
        self, scope: IdempotencyScope, *, fingerprint: str, lifetime: timedelta
    ) -> FirstRequest:
        """
        Claim an idempotency key, or return the record with the answer stored under it.

        Args:
            fingerprint: A hash of everything in which two requests may differ.
            lifetime: The time for which the answer is given again.

        Returns:
            The record of the first request. If it has an answer, the caller gives that
            answer again. If it has none, the caller runs the request and then calls
            ``end``.

        Raises:
            InvalidParametersError: 422; the key stands for another request.
            ConflictError: The first request still runs.
        """
        for _ in range(TRIES):
            with self.uow.write() as work:
                now = work.now()
                wanted = FirstRequest(
                    scope=scope,
                    fingerprint=fingerprint,
                    claim=secrets.token_hex(16),
                    claimed_until=now + CLAIMED_FOR,
                    expires_at=now + lifetime,
                )
                found = _claim(work, wanted)
                work.commit()
            if found is not None:
                return found
        raise _still_running()

    def end(self, first: FirstRequest, answer: RecordedAnswer) -> None:
        """
        Store the answer of a request that was run, if repetitions may get this answer.

        Otherwise the claim is removed. The request has taken effect: if the database fails now,
        that is only logged.
        """
        try:
            with self.uow.write() as work:
                if _is_repeatable(answer):
                    work.first_requests.answer(first, answer)
                else:
                    work.first_requests.remove(first)
                work.commit()
        except UnavailableError as error:
            _log.warning(
                "an answer was not stored for repeated requests",
                extra={"hv_route": first.scope.route, "hv_why": error.detail},
            )

    def forget_expired(self) -> int:
        """Remove expired records of idempotency keys; return their number."""
        total = 0
        for _ in range(FORGET_BATCHES):
            with self.uow.write() as work:
                count = work.first_requests.forget(work.now(), FORGET_BATCH)
                work.commit()
            total += count
            if count < FORGET_BATCH:
                break
        return total


def _claim(work: Work, wanted: FirstRequest) -> FirstRequest | None:
    """Return the request to run or to answer again; None: try once more."""
    requests = work.first_requests
    if requests.add(wanted):
        return wanted
    found = requests.find(wanted.scope)
    if found is None:
        # It was freed a moment ago.
        return None
    now = work.now()
    if found.expires_at > now:
        if found.fingerprint != wanted.fingerprint:
            raise _another_request(wanted.scope.key)
        if found.answer is not None:
            return found
        if found.claimed_until > now:
            raise _still_running()
    requests.replace(wanted)
    return wanted


def _is_repeatable(answer: RecordedAnswer) -> bool:
    return answer.status not in NOT_REPEATED and answer.status < _FIRST_SERVER_ERROR


def _still_running() -> ConflictError:
    return ConflictError(
        "The first request with this Idempotency-Key is still running; try again."
    )


def _another_request(key: str) -> InvalidParametersError:
    message = (
        "This Idempotency-Key was used for another request; send a new key with "
        "a new request."
    )
    return InvalidParametersError(
        message,
        status=422,
        errors=[FieldError(message=message, location=LOCATION, value=key)],
    )
