"""
The audit log is searched the same way on every database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Final

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.audit import ActorKind, AuditEntry, AuditQuery
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, ORG, OTHER_ORG

pytestmark = pytest.mark.services

VIDEO: Final = "vid_" + "0" * 22


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


def add_by_program(
    uow: SqlUnitOfWork, action: str, subject: str, *, hours: int = 0
) -> None:
    with uow.write() as work:
        work.audit.add(
            AuditEntry(
                at=NOW + timedelta(hours=hours),
                org_id=ORG,
                actor="key:key_1",
                actor_name="Import",
                action=action,
                subject=subject,
                is_by_program=True,
            )
        )
        work.commit()


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
        ("key_100%", -1, "link:m_2", True),
        ("vid_changed", 0, "link:m_2", True),
        # Programs make share links all day.
        ("vid_shared", 0, "link:m_2", False),
        # It is as it was before.
        ("vid_repaired", 0, "link:m_2", False),
    ],
)
def test_changes_by_others_since_a_moment_are_found(
    logged: SqlUnitOfWork, subject: str, hours: int, actor: str, *, is_found: bool
) -> None:
    since = NOW + timedelta(hours=hours)
    for action, changed in (
        ("video.change", "changed"),
        ("share.create", "shared"),
        ("video.repair", "repaired"),
    ):
        add_by_program(logged, action, f"vid_{changed}", hours=1)

    with logged.read() as work:
        found = work.audit.is_by_others(subject, since=since, actor=actor)

    assert found is is_found


def test_entries_of_programs_and_of_all_others_are_told_apart(
    logged: SqlUnitOfWork,
) -> None:
    add_by_program(logged, "video.change", VIDEO)

    assert subjects(logged)[0] == VIDEO
    assert subjects(logged, by=ActorKind.PROGRAM) == [VIDEO]
    assert subjects(logged, by=ActorKind.PERSON) == ["ring_1", "key_1", "key_100%"]


def test_a_video_is_found_by_its_whole_id(logged: SqlUnitOfWork) -> None:
    add_by_program(logged, "video.change", VIDEO)

    assert subjects(logged, search=VIDEO) == [VIDEO]
    assert subjects(logged, search=VIDEO[:-1]) == [VIDEO]
    assert subjects(logged, search=f"{VIDEO[:-1]}1") == []


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({"by": ActorKind.PERSON}, "ix_audit_log_people"),
        ({"search": VIDEO}, "ix_audit_log_subject"),
    ],
    ids=["people", "video"],
)
def test_entries_of_a_script_are_not_read_for_those_of_people_or_of_a_video(
    logged: SqlUnitOfWork, engine: Engine, asked: dict[str, object], index: str
) -> None:
    with logged.write() as work:
        for number in range(3000):
            work.audit.add(
                AuditEntry(
                    at=NOW,
                    org_id=ORG,
                    actor="key:key_1",
                    action="video.change",
                    subject=f"vid_{number:022}",
                    is_by_program=True,
                )
            )
        work.commit()

    with plans(engine) as found:
        subjects(logged, limit=51, **asked)

    assert [index in plan for plan in found] == [True], found


@contextmanager
def plans(engine: Engine) -> Iterator[list[str]]:
    """
    Note the plans by which the database finds entries of the audit log.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    explains = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
    found: list[str] = []

    def explain(connection: sa.Connection, *told: object) -> None:
        if "FROM audit_log" in str(told[1]):
            driver = connection.connection.driver_connection
            assert driver is not None
            rows = driver.execute(f"{explains} {told[1]}", told[2]).fetchall()
            found.append("\n".join(row[-1] for row in rows))

    with engine.begin() as connection:
        if not is_sqlite:
            connection.exec_driver_sql("ANALYZE audit_log")
    sa.event.listen(engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        sa.event.remove(engine, "before_cursor_execute", explain)
