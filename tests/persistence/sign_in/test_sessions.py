"""
Sessions in the database.
"""

from datetime import timedelta
from typing import Any

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.sessions import (
    SignInSession,
    hash_secret_value,
    new_secret_value,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, ORG, at_once

pytestmark = pytest.mark.services

IDLE = timedelta(hours=12)
SOON = NOW + timedelta(seconds=30)
ADA = Identity(
    subject="ada",
    name="Ada",
    email="Ada@example.com",
    is_email_proven=True,
    roles={ORG: Role.EDITOR},
)


def session_of(identity: Identity = ADA, **changes: Any) -> SignInSession:  # noqa: ANN401 - fields
    made = SignInSession(
        sha256=hash_secret_value(new_secret_value()),
        identity=identity,
        backend="oidc",
        created_at=NOW,
        last_used_at=NOW,
        asked_at=NOW,
        ends_at=NOW + timedelta(days=7),
        refresh_state=b"\0sealed",
    )
    return attrs.evolve(made, **changes)


def added(uow: SqlUnitOfWork, session: SignInSession) -> SignInSession:
    with uow.write() as work:
        work.sign_in_sessions.add(session)
        work.commit()
    return session


def found(uow: SqlUnitOfWork, session: SignInSession) -> SignInSession | None:
    with uow.read() as work:
        return work.sign_in_sessions.find(session.sha256)


def claim(uow: SqlUnitOfWork, session: SignInSession) -> bool:
    with uow.write() as work:
        is_mine = work.sign_in_sessions.claim_asking(
            session.sha256, asked_at=session.asked_at, now=NOW, until=SOON
        )
        work.commit()
    return is_mine


def answer(uow: SqlUnitOfWork, session: SignInSession) -> bool:
    with uow.write() as work:
        is_stored = work.sign_in_sessions.end_asking(session, claimed_until=SOON)
        work.commit()
    return is_stored


def test_a_session_comes_back_as_it_went(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    assert found(uow, session) == session
    assert found(uow, session_of()) is None


def test_a_use_is_recorded_forwards_only(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    for moment in (SOON, NOW):
        with uow.write() as work:
            work.sign_in_sessions.touch(session.sha256, moment)
            work.commit()

    kept = found(uow, session)
    assert kept is not None
    assert kept.last_used_at == SOON


def test_one_of_many_asks(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    claimed = at_once(lambda _: claim(uow, session), threads=8)

    assert [claimed.count(is_mine) for is_mine in (True, False)] == [1, 7]


def test_a_claim_ends_with_the_answer(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())
    claim(uow, session)
    asked = attrs.evolve(
        session,
        identity=attrs.evolve(ADA, roles={ORG: Role.ADMIN}),
        asked_at=SOON,
        refresh_state=b"next",
    )

    assert answer(uow, asked)
    assert found(uow, session) == asked
    assert claim(uow, asked)


def test_a_state_is_replaced_by_who_knows_the_former_one(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    with uow.write() as work:
        replace = work.sign_in_sessions.replace_state
        replace(session.sha256, former=session.refresh_state, state=b"second")
        replace(session.sha256, former=session.refresh_state, state=b"third")
        work.commit()

    assert found(uow, session) == attrs.evolve(session, refresh_state=b"second")


def test_a_process_that_knows_an_older_session_does_not_ask(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    assert not claim(uow, attrs.evolve(session, asked_at=NOW - timedelta(hours=1)))


def test_a_claim_is_given_back_or_runs_out(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())
    claim(uow, session)

    with uow.write() as work:
        assert not work.sign_in_sessions.claim_asking(
            session.sha256, asked_at=NOW, now=SOON - timedelta(seconds=1), until=SOON
        )
        assert work.sign_in_sessions.claim_asking(
            session.sha256, asked_at=NOW, now=SOON, until=SOON + timedelta(seconds=30)
        )
        work.sign_in_sessions.release(session.sha256, claimed_until=SOON)
        assert not work.sign_in_sessions.claim_asking(
            session.sha256, asked_at=NOW, now=SOON, until=SOON
        )
        work.sign_in_sessions.release(
            session.sha256, claimed_until=SOON + timedelta(seconds=30)
        )
        assert work.sign_in_sessions.claim_asking(
            session.sha256, asked_at=NOW, now=SOON, until=SOON
        )


@pytest.mark.parametrize(
    ("subject", "email", "is_asked"),
    [
        ("ada", "", True),
        ("somebody", "aDA@example.com", True),
        ("somebody", "bob@example.com", False),
        ("somebody", "", False),
    ],
)
def test_a_changed_member_is_asked_for_again(
    uow: SqlUnitOfWork, subject: str, email: str, *, is_asked: bool
) -> None:
    session = added(uow, session_of())
    claim(uow, session)

    with uow.write() as work:
        work.sign_in_sessions.ask_again(subject=subject, email=email)
        work.commit()

    kept = found(uow, session)
    assert kept is not None
    assert (kept.asked_at < NOW) is is_asked
    # Whoever was asking may have heard what was true before.
    assert answer(uow, session) is not is_asked


def test_an_address_that_nobody_vouches_for_is_nobody(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of(attrs.evolve(ADA, is_email_proven=False)))

    with uow.write() as work:
        work.sign_in_sessions.ask_again(subject="somebody", email="ada@example.com")
        work.commit()

    assert found(uow, session) == session


def test_all_sessions_of_a_person_end_and_no_others(uow: SqlUnitOfWork) -> None:
    mine = [added(uow, session_of()) for _ in range(2)]
    others = [
        added(uow, session_of(attrs.evolve(ADA, subject="bob"))),
        added(uow, session_of(backend="link")),
    ]

    with uow.write() as work:
        ended = work.sign_in_sessions.remove_of_person("oidc", "ada")
        work.commit()

    assert ended == len(mine)
    assert [found(uow, one) for one in mine] == [None, None]
    assert [found(uow, one) for one in others] == others


def test_sessions_that_ended_by_themselves_are_removed(uow: SqlUnitOfWork) -> None:
    kept = added(uow, session_of())
    idle = added(uow, session_of(last_used_at=NOW - IDLE))
    over = added(uow, session_of(ends_at=NOW))

    with uow.write() as work:
        removed = work.sign_in_sessions.remove_ended(NOW, IDLE)
        work.commit()

    assert removed == len([idle, over])
    assert [found(uow, one) for one in (kept, idle, over)] == [kept, None, None]


def test_an_ended_session_is_gone(uow: SqlUnitOfWork) -> None:
    session = added(uow, session_of())

    with uow.write() as work:
        work.sign_in_sessions.remove(session.sha256)
        work.commit()

    assert found(uow, session) is None
    assert not answer(uow, session)


def test_all_sessions_are_listed_the_one_used_last_first(uow: SqlUnitOfWork) -> None:
    first = added(uow, session_of())
    second = added(uow, session_of(last_used_at=SOON))

    with uow.read() as work:
        assert list(work.sign_in_sessions.all()) == [second, first]
