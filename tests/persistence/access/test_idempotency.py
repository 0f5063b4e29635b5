"""
First requests in the database.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.domain.access.idempotency import (
    ANSWER_RETENTION,
    CLAIMED_FOR,
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)
from hvcore.errors import ConflictError, InvalidParametersError
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.access.idempotency import FORGET_BATCH, Idempotency
from tests.persistence.samples import at_once

SCOPE = IdempotencyScope(
    org_id="org_a", env_id="dev", route="POST /v1/videos/process", key="k"
)
ANSWER = RecordedAnswer(
    status=201, headers={"location": "/x"}, body='{"body": "é\\u0000"}'
)
THREADS = 50


@pytest.fixture
def idempotency(uow: SqlUnitOfWork) -> Idempotency:
    return Idempotency(uow=uow)


def begin(
    idempotency: Idempotency,
    fingerprint: str = "f",
    *,
    scope: IdempotencyScope = SCOPE,
    lifetime: timedelta = ANSWER_RETENTION,
) -> FirstRequest:
    return idempotency.begin(scope, fingerprint=fingerprint, lifetime=lifetime)


def age(uow: SqlUnitOfWork, by: timedelta) -> None:
    """
    Let time pass for the record; a server's clock cannot be moved.
    """
    with uow.write() as work:
        first = work.first_requests.find(SCOPE)
        assert first is not None
        work.first_requests.replace(
            attrs.evolve(
                first,
                claimed_until=first.claimed_until - by,
                expires_at=first.expires_at - by,
            )
        )
        work.commit()


def test_the_first_request_runs_and_a_repetition_gets_its_answer(
    idempotency: Idempotency,
) -> None:
    first = begin(idempotency)
    assert first.answer is None

    idempotency.end(first, ANSWER)

    assert begin(idempotency).answer == ANSWER


def test_of_many_at_once_one_runs(idempotency: Idempotency) -> None:
    outcomes = at_once(lambda _: begin(idempotency), threads=THREADS)

    assert sum(isinstance(outcome, FirstRequest) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, ConflictError) for outcome in outcomes) == (
        THREADS - 1
    )


def test_of_many_that_take_over_at_once_one_runs(
    idempotency: Idempotency, uow: SqlUnitOfWork
) -> None:
    begin(idempotency)
    age(uow, CLAIMED_FOR)

    outcomes = at_once(lambda _: begin(idempotency), threads=20)

    assert sum(isinstance(outcome, FirstRequest) for outcome in outcomes) == 1


def test_another_request_with_the_key_is_refused(idempotency: Idempotency) -> None:
    first = begin(idempotency)
    with pytest.raises(InvalidParametersError) as running:
        begin(idempotency, "other")
    idempotency.end(first, ANSWER)
    with pytest.raises(InvalidParametersError) as answered:
        begin(idempotency, "other")

    assert (running.value.http_status, answered.value.http_status) == (422, 422)


@pytest.mark.parametrize(
    "change",
    [
        {"org_id": "org_b"},
        {"env_id": ""},
        {"route": "POST /v1/videos/upload"},
        {"key": "K"},
    ],
)
def test_a_key_stands_for_itself_in_each_scope(
    idempotency: Idempotency, change: dict[str, str]
) -> None:
    begin(idempotency)

    other = begin(idempotency, "other", scope=attrs.evolve(SCOPE, **change))

    assert other.answer is None


def test_a_request_whose_process_died_is_taken_over(
    idempotency: Idempotency, uow: SqlUnitOfWork
) -> None:
    died = begin(idempotency)
    with pytest.raises(ConflictError, match="is still running"):
        begin(idempotency)

    age(uow, CLAIMED_FOR)
    second = begin(idempotency)

    assert second.answer is None
    # It was not dead, but slow: its answer comes too late.
    idempotency.end(died, ANSWER)
    with pytest.raises(ConflictError, match="is still running"):
        begin(idempotency)
    idempotency.end(second, attrs.evolve(ANSWER, status=200))
    repeated = begin(idempotency).answer
    assert repeated is not None
    assert repeated.status == 200


def test_a_slow_request_that_fails_does_not_free_anothers_claim(
    idempotency: Idempotency, uow: SqlUnitOfWork
) -> None:
    slow = begin(idempotency)
    age(uow, CLAIMED_FOR)
    begin(idempotency)

    idempotency.end(slow, attrs.evolve(ANSWER, status=500))

    with pytest.raises(ConflictError, match="is still running"):
        begin(idempotency)


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_some_answers_are_not_kept(idempotency: Idempotency, status: int) -> None:
    idempotency.end(begin(idempotency), attrs.evolve(ANSWER, status=status))

    assert begin(idempotency, "other").answer is None


@pytest.mark.parametrize("status", [200, 201, 400, 404, 409, 422])
def test_other_answers_are_kept(idempotency: Idempotency, status: int) -> None:
    answer = attrs.evolve(ANSWER, status=status)

    idempotency.end(begin(idempotency), answer)

    assert begin(idempotency).answer == answer


def test_a_key_is_free_again_after_its_time(
    idempotency: Idempotency, uow: SqlUnitOfWork
) -> None:
    idempotency.end(begin(idempotency), ANSWER)
    age(uow, ANSWER_RETENTION)

    assert begin(idempotency, "other").answer is None


def test_only_expired_first_requests_are_removed(
    idempotency: Idempotency, uow: SqlUnitOfWork
) -> None:
    with uow.write() as work:
        now = work.now()
        for number in range(FORGET_BATCH + 5):
            work.first_requests.add(
                FirstRequest(
                    scope=attrs.evolve(SCOPE, key=str(number)),
                    fingerprint="f",
                    claim="c",
                    claimed_until=now,
                    expires_at=now - timedelta(seconds=1),
                )
            )
        work.commit()
    stored = begin(idempotency)
    idempotency.end(stored, ANSWER)

    assert idempotency.forget_expired() == FORGET_BATCH + 5

    assert begin(idempotency).answer == ANSWER
    assert idempotency.forget_expired() == 0
