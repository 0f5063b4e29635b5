"""
Sign-ins that wait, one-time links and members in the database.
"""

from datetime import timedelta
from typing import Any

import attrs
import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.access.audit import AuditEntry, AuditQuery
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import new_member_id
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.pending import PendingSignIn
from hvcore.domain.sign_in.sessions import hash_secret_value
from hvcore.persistence.sign_in.sign_in_book import SqlSignInBook
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.ports.repositories.errors import AlreadyExistsError
from tests.conftest import SettableClock
from tests.persistence.samples import NOW, ORG, OTHER_ORG, at_once

pytestmark = pytest.mark.services

LATER = NOW + timedelta(minutes=10)
CODE = "c" * 43


def member_of(**changes: Any) -> OrganizationMember:  # noqa: ANN401 - fields
    made = OrganizationMember(
        id=new_member_id(),
        org_id=ORG,
        email="Ann@example.com",
        name="Ann",
        role=Role.VIEWER,
        created_at=NOW,
    )
    return attrs.evolve(made, **changes)


def added(uow: SqlUnitOfWork, member: OrganizationMember) -> OrganizationMember:
    with uow.write() as work:
        work.members.add(member)
        work.commit()
    return member


def link_to(uow: SqlUnitOfWork, member: OrganizationMember | None) -> SignInLink:
    link = SignInLink(
        sha256=hash_secret_value(CODE),
        org_id=member.org_id if member else None,
        member_id=member.id if member else None,
        name="Ann",
        email="",
        expires_at=LATER,
    )
    with uow.write() as work:
        work.sign_in_links.add(link)
        work.commit()
    return link


@pytest.fixture
def book(engine: Engine, clock: SettableClock) -> SqlSignInBook:
    return SqlSignInBook(engine=engine, clock=clock)


def test_a_sign_in_is_taken_once(uow: SqlUnitOfWork) -> None:
    pending = PendingSignIn(
        state_sha256="a" * 64,
        backend="oidc",
        private=b"\0sealed",
        return_to="/dashboard/",
        expires_at=LATER,
    )
    with uow.write() as work:
        work.pending_sign_ins.add(pending)
        work.commit()

    def take(_: int) -> PendingSignIn | None:
        with uow.write() as work:
            taken = work.pending_sign_ins.take(pending.state_sha256, NOW)
            work.commit()
        return taken

    taken = at_once(take, threads=8)
    assert [one for one in taken if one is not None] == [pending]


def test_an_expired_sign_in_is_not_taken_but_removed(uow: SqlUnitOfWork) -> None:
    pending = PendingSignIn(
        state_sha256="a" * 64,
        backend="oidc",
        private=b"",
        return_to="/dashboard/",
        expires_at=NOW,
    )
    with uow.write() as work:
        work.pending_sign_ins.add(pending)
        work.commit()

    with uow.write() as work:
        assert work.pending_sign_ins.take(pending.state_sha256, NOW) is None
        assert work.pending_sign_ins.remove_expired(NOW) == 1


def test_a_link_is_good_for_one(uow: SqlUnitOfWork, book: SqlSignInBook) -> None:
    link = link_to(uow, None)

    taken = at_once(lambda _: book.redeem(CODE), threads=8)

    assert [one for one in taken if one is not None] == [link]


def test_a_link_ends(
    uow: SqlUnitOfWork, book: SqlSignInBook, clock: SettableClock
) -> None:
    link_to(uow, None)
    clock.moment = LATER

    assert book.redeem(CODE) is None
    for text in ("", "\0", "\ud800", "c" * 42):
        assert book.redeem(text) is None
    with uow.write() as work:
        assert work.sign_in_links.remove_expired(LATER) == 1


def test_members_come_back_as_they_went(
    uow: SqlUnitOfWork, book: SqlSignInBook
) -> None:
    first = added(uow, member_of())
    second = added(
        uow, member_of(email="", name="Bob", created_at=NOW + timedelta(seconds=1))
    )
    third = added(
        uow, member_of(email="", name="Bob", created_at=NOW + timedelta(seconds=2))
    )

    with uow.read() as work:
        assert list(work.members.of_organization(ORG)) == [first, second, third]
        assert list(work.members.of_organization(OTHER_ORG)) == []
        assert list(work.members.page(ORG, offset=1, limit=1)) == [second]
        assert list(work.members.page(ORG, offset=3, limit=9)) == []
        assert (work.members.count(ORG), work.members.count(OTHER_ORG)) == (3, 0)
        assert work.members.find_by_email(ORG, "ANN@example.com") == first
        assert work.members.find_by_email(OTHER_ORG, "ann@example.com") is None
        assert work.members.find_by_email(ORG, "") is None
        assert work.members.find(OTHER_ORG, first.id) is None
    assert book.member(ORG, second.id) == second


def test_texts_that_no_database_holds_find_nobody(uow: SqlUnitOfWork) -> None:
    with uow.read() as work:
        assert work.members.find("\0", "mem") is None
        assert work.members.find_by_email(ORG, "\0") is None
        assert list(work.members.of_organization("\0")) == []
        assert (
            list(work.members.of_email("\0")) == list(work.members.of_email("")) == []
        )


def test_an_address_is_a_member_once_in_each_organization(uow: SqlUnitOfWork) -> None:
    first = added(uow, member_of())
    other = added(uow, member_of(org_id=OTHER_ORG))

    with pytest.raises(AlreadyExistsError, match="organization_members"):
        added(uow, member_of(email="ann@EXAMPLE.com"))

    with uow.read() as work:
        found = work.members.of_email("ann@example.com")
    assert {one.id for one in found} == {first.id, other.id}


def test_a_member_gets_another_role(uow: SqlUnitOfWork) -> None:
    member = added(uow, member_of())

    with uow.write() as work:
        locked = work.members.find(ORG, member.id, for_update=True)
        assert locked == member
        work.members.change_role(member, Role.ADMIN)
        work.commit()

    with uow.read() as work:
        changed = work.members.find(ORG, member.id)
    assert changed == attrs.evolve(member, role=Role.ADMIN)


def test_a_removed_member_takes_the_links_along(
    uow: SqlUnitOfWork, book: SqlSignInBook
) -> None:
    member = added(uow, member_of())
    link_to(uow, member)

    with uow.write() as work:
        work.members.remove(member)
        work.commit()

    assert book.member(ORG, member.id) is None
    assert book.redeem(CODE) is None


def test_the_audit_log_keeps_the_names_of_people(uow: SqlUnitOfWork) -> None:
    entry = AuditEntry(
        at=NOW,
        org_id=ORG,
        actor="oidc:ada",
        actor_name="Ada Lovelace",
        action="key.create",
        subject="key_x",
    )

    with uow.write() as work:
        work.audit.add(entry)
        work.commit()

    with uow.read() as work:
        assert list(work.audit.search(AuditQuery(org_id=ORG), 10)) == [entry]
