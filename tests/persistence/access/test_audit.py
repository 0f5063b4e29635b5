"""
The audit log is searched the same way on every database.
"""

from datetime import date, timedelta

import pytest

from hvcore.domain.access.audit import AuditEntry, AuditQuery
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, ORG, OTHER_ORG

pytestmark = pytest.mark.services


@pytest.fixture
def logged(uow: SqlUnitOfWork) -> SqlUnitOfWork:
    entries = [
        ("cli:Alice", "", "key.create", "key_100%"),
        ("link:m_1", "Ada Lovelace", "key.revoke", "key_1"),
        ("link:m_1", "Ada Lovelace", "keyring.turn", "ring_1"),
    ]
    with uow.write() as work:
        for day, (actor, name, action, subject) in enumerate(entries):
            work.audit.add(
                AuditEntry(
                    at=NOW + timedelta(days=day),
                    org_id=ORG,
                    actor=actor,
                    actor_name=name,
                    action=action,
                    subject=subject,
                )
            )
        work.audit.add(
            AuditEntry(
                at=NOW, org_id=OTHER_ORG, actor="x", action="key.create", subject="k"
            )
        )
        work.commit()
    return uow


def subjects(uow: SqlUnitOfWork, limit: int = 10, **asked: object) -> list[str]:
    query = AuditQuery(**{"org_id": ORG, **asked})  # type: ignore[arg-type]  # each of its own type
    with uow.read() as work:
        return [entry.subject for entry in work.audit.search(query, limit)]


def test_the_latest_come_first(logged: SqlUnitOfWork) -> None:
    assert subjects(logged) == ["ring_1", "key_1", "key_100%"]
    assert subjects(logged, limit=1) == ["ring_1"]
    assert subjects(logged, org_id=None)[0] == "k"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"area": "key"}, ["key_1", "key_100%"]),
        ({"area": "k_y"}, []),
        ({"search": "LOVELACE"}, ["ring_1", "key_1"]),
        ({"search": "cli:alice"}, ["key_100%"]),
        ({"search": "0%"}, ["key_100%"]),
        ({"search": "%"}, ["key_100%"]),
        ({"search": "revoke"}, ["key_1"]),
        ({"search": "a\0"}, []),
        ({"first": NOW.date() + timedelta(days=2)}, ["ring_1"]),
        ({"last": NOW.date()}, ["key_100%"]),
        ({"first": NOW.date(), "last": date.max, "area": "key"}, ["key_1", "key_100%"]),
    ],
    ids=str,
)
def test_entries_are_those_that_are_asked_for(
    logged: SqlUnitOfWork, asked: dict[str, object], found: list[str]
) -> None:
    assert subjects(logged, **asked) == found


def test_a_page_goes_on_where_the_last_one_ended(logged: SqlUnitOfWork) -> None:
    with logged.read() as work:
        first = work.audit.search(AuditQuery(org_id=ORG), 2)

    assert [entry.subject for entry in first] == ["ring_1", "key_1"]
    assert subjects(logged, before=first[-1].seq) == ["key_100%"]


@pytest.mark.parametrize(
    ("subject", "hours", "actor", "is_found"),
    [
        ("key_1", 23, "link:m_2", True),
        ("key_1", 24, "link:m_2", False),
        ("key_1", 23, "link:m_1", False),
        ("key_2", 23, "link:m_2", False),
        # Not by a person.
        ("key_100%", -1, "link:m_2", False),
    ],
)
def test_changes_by_other_people_since_a_moment_are_found(
    logged: SqlUnitOfWork, subject: str, hours: int, actor: str, *, is_found: bool
) -> None:
    since = NOW + timedelta(hours=hours)

    with logged.read() as work:
        found = work.audit.is_by_others(subject, since=since, actor=actor)

    assert found is is_found
