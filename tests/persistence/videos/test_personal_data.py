"""
Personal data of deleted videos: erased wherever the schema says that it is.
"""

import json
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.domain.access.audit import AuditEntry
from hvcore.domain.ids import new_event_id, new_share_link_id, new_task_id
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence import tables
from hvcore.persistence.engine import writing
from hvcore.persistence.tables.columns import UtcDateTime
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.personal_data import (
    EMPTIED,
    REMOVED,
    personal_columns,
)
from tests.persistence.samples import ENV, NOW, ORG, grant, video

MARK = "Zq7-marker"


def deleted_video() -> Video:
    found = video(state=VideoState.DELETED, deleted_at=NOW)
    return attrs.evolve(found, source_path=f"uploads/org_a/dev/up_of_{found.id}/x")


def lay(engine: Engine, uow: SqlUnitOfWork, clip: Video) -> None:
    """
    Store a video with a mark in every personal column that can name it.
    """
    path = clip.source_path.removesuffix("/x")
    of_it = grant(path=path, video_id=clip.id, state=GrantState.ENDED)
    with uow.write() as work:
        work.videos.add(clip)
        work.grants.add(of_it)
        work.commit()
    rows: list[tuple[sa.Table, dict[str, Any]]] = [
        (tables.events, {"video_id": clip.id, "number": hash(clip.id) % 10**9}),
        (tables.share_links, {"id": new_share_link_id(), "video_id": clip.id}),
        (tables.published_media, {"video_id": clip.id}),
        (tables.transcode_jobs, {"video_id": clip.id, "id": f"job_{clip.id}"}),
        (tables.video_captions, {"video_id": clip.id}),
        (tables.spoken_texts, {"video_id": clip.id}),
        (tables.playback_session_sums, {"video_id": clip.id}),
        (tables.caption_jobs, {"video_id": clip.id, "id": f"cap_{clip.id}"}),
        (tables.caption_windows, {"video_id": clip.id, "job_id": f"cap_{clip.id}"}),
        (tables.audit_log, {"subject": clip.id, "details": json.dumps(DETAILS)}),
        *(
            (tables.tasks, {"id": new_task_id(), "subject": subject, "state": "done"})
            for subject in (
                clip.id,
                of_it.id,
                of_it.path,
                f"{of_it.path}/arrival",
            )
        ),
        *(
            (tables.idempotency, {"key": f"{clip.id}{n}", "video_id": whose})
            for n, whose in enumerate((clip.id, clip.public_id))
        ),
    ]
    with writing(engine) as connection:
        for table, values in rows:
            connection.execute(sa.insert(table).values(filled(table) | values))
        for table, row in ((tables.videos, clip.id), (tables.grants, of_it.id)):
            marked = {column.key: MARK for column in personal_columns(table)}
            marked |= {"external_id": MARK + clip.id} if table is tables.videos else {}
            connection.execute(sa.update(table).where(table.c.id == row).values(marked))
        connection.commit()


DETAILS = {"name": MARK, "reason": "user_request", "public": True}
BODY = {"body": {"videoID": "vid", "viewerEmail": MARK, "of": [{"title": MARK}]}}


def filled(table: sa.Table) -> dict[str, Any]:
    """
    Return a row: the mark where it is personal, and otherwise anything.
    """
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.info == {"holds": "personal"}:
            row[column.key] = json.dumps(BODY) if column.key == "body" else MARK
        elif column.key == "org_id":
            row[column.key] = ORG
        elif column.key == "env_id":
            row[column.key] = ENV
        elif (
            column.nullable
            or column.server_default is not None
            or column.autoincrement is True
        ):
            continue
        elif isinstance(column.type, UtcDateTime):
            row[column.key] = NOW
        elif isinstance(column.type, sa.Text):
            row[column.key] = new_event_id() if column.key == "id" else "{}"
        else:
            row[column.key] = 0
    return row


def marked(engine: Engine, *, of: str | None = None) -> list[str]:
    """
    Name the tables with a row that has the mark.
    """
    with engine.connect() as connection:
        return sorted(
            table.name
            for table in tables.metadata.tables.values()
            for row in connection.execute(sa.select(table))
            if MARK in repr(row) and (of is None or of in repr(row))
        )


def erase(uow: SqlUnitOfWork, clip: Video, *, spares: bool = False) -> dict[str, int]:
    with uow.write() as work:
        erased = work.personal_data.erase(clip, spares_untold=spares)
        work.commit()
    return dict(erased)


def test_nothing_personal_of_a_video_is_left_and_all_of_others(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    clip, other = deleted_video(), deleted_video()
    lay(engine, uow, other)
    before = marked(engine)
    lay(engine, uow, clip)
    assert len(marked(engine)) == 2 * len(before)

    with uow.read() as work:
        told = work.personal_data.left(clip)
    erased = erase(uow, clip)

    assert marked(engine) == before
    assert erased == told
    assert list(told) == sorted(told)
    assert {name.partition(".")[0] for name in erased} == {
        *(table.name for table in (*EMPTIED, *REMOVED)),
        *("audit_log", "idempotency"),
    }
    assert erased["tasks.error"] == 4
    assert erased["idempotency.body"] == 2
    with uow.read() as work:
        assert work.personal_data.left(clip) == {}
    assert erase(uow, clip) == {}


def test_ids_kinds_and_counts_stay(engine: Engine, uow: SqlUnitOfWork) -> None:
    clip = deleted_video()
    lay(engine, uow, clip)

    erase(uow, clip)

    with engine.connect() as connection:
        count = connection.execute(
            sa.select(sa.func.count()).select_from(tables.events)
        ).scalar_one()
        details = connection.execute(sa.select(tables.audit_log.c.details)).scalar_one()
        bodies = connection.execute(sa.select(tables.idempotency.c.body)).scalars()
        answers = [json.loads(body) for body in bodies]
    assert count == 1
    assert json.loads(details) == {"reason": "user_request", "public": True}
    assert answers == [{"body": {"videoID": "vid", "of": [{}]}}] * 2
    with uow.read() as work:
        found = work.videos.find(clip.id)
    assert found is not None
    assert (found.name, found.version) == ("", clip.version + 1)
    assert found.source_path == clip.source_path


def test_a_video_that_is_not_deleted_keeps_its_name(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    clip = video(state=VideoState.FAILED)
    with uow.write() as work:
        work.videos.add(clip)
        work.commit()

    assert "videos.name" not in erase(uow, clip)
    with uow.read() as work:
        found = work.videos.find(clip.id)
    assert found is not None
    assert found.name == clip.name


@pytest.mark.parametrize("who", ["endpoint", "subscriber"])
def test_an_event_keeps_its_labels_until_it_is_told(
    engine: Engine, uow: SqlUnitOfWork, who: str
) -> None:
    clip = deleted_video()
    lay(engine, uow, clip)
    with writing(engine) as connection:
        event_id = connection.execute(sa.select(tables.events.c.id)).scalar_one()
        if who == "endpoint":
            owed, states = tables.webhook_deliveries, ("pending", "delivered")
            endpoint = filled(tables.webhook_endpoints)
            connection.execute(sa.insert(tables.webhook_endpoints).values(endpoint))
            values = {"event_id": event_id, "endpoint_id": endpoint["id"]}
        else:
            owed, states = tables.tasks, ("due", "done")
            values = {"subject": clip.id, "kind": SUBSCRIBER_TELL}
        values |= {"id": new_task_id(), "state": states[0]}
        connection.execute(sa.insert(owed).values(filled(owed) | values))
        connection.commit()

    assert "events.labels" not in erase(uow, clip, spares=True)
    with uow.read() as work:
        assert work.personal_data.has_untold(clip.id)
    with writing(engine) as connection:
        told = sa.update(owed).where(owed.c.id == values["id"])
        connection.execute(told.values(state=states[1]))
        connection.commit()
    with uow.read() as work:
        assert not work.personal_data.has_untold(clip.id)
    assert erase(uow, clip, spares=True)["events.labels"] == 1


def test_videos_of_older_versions_are_found_by_their_names(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    clip = deleted_video()
    lay(engine, uow, clip)
    later = NOW + timedelta(seconds=1)

    with uow.read() as work:
        assert work.personal_data.named_deleted(NOW, NOW, 10) == []
        assert work.personal_data.named_deleted(later, NOW, 10) == [clip.id]
    erase(uow, clip)
    with uow.read() as work:
        assert work.personal_data.named_deleted(later, NOW, 10) == []


def test_erasing_reads_no_table_from_end_to_end(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    clip = deleted_video()
    lay(engine, uow, clip)

    with statements(engine) as sent:
        erase(uow, clip, spares=True)
        with uow.read() as work:
            work.personal_data.named_deleted(NOW, NOW, 10)
            work.personal_data.overstayed(NOW, 10)
            work.personal_data.has_untold(clip.id)

    assert len(sent) > len(EMPTIED)
    assert [line for line in plans(engine, sent) if SCANS.search(line)] == []


def test_few_of_many_audit_entries_are_in_memory_at_a_time(
    engine: Engine, uow: SqlUnitOfWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.persistence.videos.personal_data._BATCH", 2)
    clip = deleted_video()
    long_name = "x" * 1_000_000
    with uow.write() as work:
        work.videos.add(clip)
        for _ in range(20):
            work.audit.add(
                AuditEntry(
                    at=NOW,
                    org_id=ORG,
                    actor="key:key_1",
                    action="video.change",
                    subject=clip.id,
                    details={"name": long_name},
                )
            )
        work.commit()

    tracemalloc.start()
    erased = erase(uow, clip)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert erased["audit_log.details"] == 20
    assert marked(engine, of=clip.id) == []
    assert most_bytes < 10 * len(long_name)


SCANS = re.compile(r"Seq Scan|^SCAN (?!CONSTANT ROW)")


def plans(engine: Engine, sent: list[tuple[str, Any]]) -> Iterator[str]:
    """
    Give the steps that a database makes of statements.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    explains = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
    with engine.connect() as connection:
        if not is_sqlite:
            # Tables as small as these it would read whole, whatever indexes there are.
            connection.exec_driver_sql("SET enable_seqscan = off")
        for statement, parameters in sent:
            text = f"{explains} {statement}"
            for row in connection.exec_driver_sql(text, parameters):
                yield row.detail if is_sqlite else row[0]


@contextmanager
def statements(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    sent: list[tuple[str, Any]] = []

    def note(*args: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
        if args[2].startswith(("SELECT", "UPDATE", "DELETE")):
            sent.append((args[2], args[3]))

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)
