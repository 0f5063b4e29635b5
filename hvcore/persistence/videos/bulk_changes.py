"""Store bulk changes of videos; see ports.repositories.bulk_changes."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access.principals import Person
from hvcore.domain.ids import BulkChangeId, EnvId, OrgId, VideoId
from hvcore.domain.videos.bulk_changes import (
    FAILED_OUTCOMES,
    MAX_RUNNING_BULK_CHANGES,
    BulkChange,
    BulkEnd,
    BulkFailure,
    BulkKind,
    BulkOutcome,
    BulkProgress,
    BulkState,
)
from hvcore.persistence.json_columns import dump_plain
from hvcore.persistence.statements import insert_all_new, insert_new, is_storable
from hvcore.persistence.tables import bulk_change_videos, bulk_changes

_BULK: Final = bulk_changes.c
_VIDEO: Final = bulk_change_videos.c
_RUNNING: Final = BulkState.RUNNING.value
_FAILED: Final = sorted(outcome.value for outcome in FAILED_OUTCOMES)


class SqlBulkChangeRepository:
    """Store bulk changes, and the outcome for each of their videos; see ports.repositories.bulk_changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, bulk: BulkChange, video_ids: Sequence[VideoId]) -> None:
        insert_new(
            self._connection,
            bulk_changes,
            {
                "id": bulk.id,
                "org_id": bulk.org_id,
                "env_id": bulk.env_id,
                "kind": bulk.kind.value,
                "state": bulk.state.value,
                "end_reason": bulk.end.value,
                "total": bulk.total,
                "keep_hours": bulk.keep_hours,
                "created_at": bulk.created_at,
                "changed_at": bulk.changed_at,
                "waits_until": bulk.waits_until,
                "obstacle": bulk.obstacle,
                **_asked(bulk.person, bulk.tags),
            },
        )
        rows = [
            {
                "bulk_id": bulk.id,
                "video_id": video_id,
                "position": position,
                "outcome": BulkOutcome.WAITING.value,
            }
            for position, video_id in enumerate(video_ids)
        ]
        insert_all_new(self._connection, bulk_change_videos, rows)

    def find(self, bulk_id: str) -> BulkChange | None:
        if not is_storable(bulk_id):
            return None
        statement = sa.select(bulk_changes).where(_BULK.id == bulk_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _bulk(row)

    def latest(self, org_id: OrgId, limit: int) -> Sequence[BulkChange]:
        return self._latest(org_id, limit, _BULK.state != BulkState.ASKED.value)

    def running(self, org_id: OrgId) -> Sequence[BulkChange]:
        return self._latest(org_id, MAX_RUNNING_BULK_CHANGES, _BULK.state == _RUNNING)

    def count_running(self, org_id: OrgId) -> int:
        statement = (
            sa.select(sa.func.count())
            .select_from(bulk_changes)
            .where(_BULK.org_id == org_id, _BULK.state == _RUNNING)
        )
        return self._connection.execute(statement).scalar_one()

    def start(
        self, bulk: BulkChange, person: Person, tags: tuple[str, ...], now: datetime
    ) -> bool:
        return self._move(
            bulk,
            bulk.state,
            state=_RUNNING,
            end_reason=BulkEnd.NONE.value,
            changed_at=now,
            waits_until=None,
            **_asked(person, tags),
        )

    def end(self, bulk: BulkChange, reason: BulkEnd, now: datetime) -> bool:
        state = BulkState.DONE if reason is BulkEnd.NONE else BulkState.STOPPED
        return self._move(
            bulk,
            BulkState.RUNNING,
            state=state.value,
            end_reason=reason.value,
            changed_at=now,
            waits_until=None,
        )

    def wait(self, bulk_id: BulkChangeId, until: datetime, obstacle: str) -> None:
        self._connection.execute(
            sa.update(bulk_changes)
            .where(_BULK.id == bulk_id, _BULK.state == _RUNNING)
            .values(waits_until=until, obstacle=obstacle)
        )

    def waiting(self, bulk_id: BulkChangeId, limit: int) -> Sequence[VideoId]:
        is_waiting = _VIDEO.outcome == BulkOutcome.WAITING.value
        return self._ids(limit, _VIDEO.bulk_id == bulk_id, is_waiting)

    def settle(
        self, bulk_id: BulkChangeId, video_id: VideoId, outcome: BulkOutcome
    ) -> bool:
        runs = sa.exists().where(_BULK.id == bulk_id, _BULK.state == _RUNNING)
        statement = (
            sa.update(bulk_change_videos)
            .where(
                _VIDEO.bulk_id == bulk_id,
                _VIDEO.video_id == video_id,
                _VIDEO.outcome == BulkOutcome.WAITING.value,
                runs,
            )
            .values(outcome=outcome.value)
        )
        return self._connection.execute(statement).rowcount == 1

    def first_videos(self, bulk_id: BulkChangeId, limit: int) -> Sequence[VideoId]:
        return self._ids(limit, _VIDEO.bulk_id == bulk_id)

    def progress(self, bulk_id: BulkChangeId) -> BulkProgress:
        statement = (
            sa.select(_VIDEO.outcome, sa.func.count())
            .where(_VIDEO.bulk_id == bulk_id)
            .group_by(_VIDEO.outcome)
        )
        rows = self._connection.execute(statement)
        return BulkProgress(
            counts={BulkOutcome(outcome): number for outcome, number in rows}
        )

    def failures(self, bulk_id: BulkChangeId, limit: int) -> Sequence[BulkFailure]:
        statement = (
            sa.select(_VIDEO.video_id, _VIDEO.outcome)
            .where(_VIDEO.bulk_id == bulk_id, _VIDEO.outcome.in_(_FAILED))
            .order_by(_VIDEO.position)
            .limit(limit)
        )
        return [
            BulkFailure(video_id=VideoId(video_id), outcome=BulkOutcome(outcome))
            for video_id, outcome in self._connection.execute(statement)
        ]

    def remove_questions(self, person: Person, org_id: OrgId) -> None:
        self._remove(
            _BULK.org_id == org_id,
            _BULK.state == BulkState.ASKED.value,
            _BULK.backend == person.backend,
            _BULK.subject == person.subject,
        )

    def remove_old(self, *, asked_before: datetime, ended_before: datetime) -> None:
        ended = [BulkState.DONE.value, BulkState.STOPPED.value]
        for states, before in (
            ([BulkState.ASKED.value], asked_before),
            (ended, ended_before),
        ):
            self._remove(_BULK.state.in_(states), _BULK.changed_at <= before)

    def _latest(
        self, org_id: OrgId, limit: int, condition: sa.ColumnElement[bool]
    ) -> Sequence[BulkChange]:
        statement = (
            sa.select(bulk_changes)
            .where(_BULK.org_id == org_id, condition)
            .order_by(_BULK.created_at.desc(), _BULK.id)
            .limit(limit)
        )
        return [_bulk(row) for row in self._connection.execute(statement).mappings()]

    def _move(self, bulk: BulkChange, former: BulkState, **values: object) -> bool:
        statement = (
            sa.update(bulk_changes)
            .where(_BULK.id == bulk.id, _BULK.state == former.value)
            .values(**values)
        )
        return self._connection.execute(statement).rowcount == 1

    def _ids(
        self, limit: int, *conditions: sa.ColumnElement[bool]
    ) -> Sequence[VideoId]:
        statement = (
            sa.select(_VIDEO.video_id)
            .where(*conditions)
            .order_by(_VIDEO.position)
            .limit(limit)
        )
        return [VideoId(one) for one in self._connection.execute(statement).scalars()]

    def _remove(self, *conditions: sa.ColumnElement[bool]) -> None:
        # Locked: a question that is answered at this moment keeps its videos.
        chosen = sa.select(_BULK.id).where(*conditions).with_for_update()
        for bulk_id in self._connection.execute(chosen).scalars().all():
            for table, id_ in (
                (bulk_change_videos, _VIDEO.bulk_id),
                (bulk_changes, _BULK.id),
            ):
                self._connection.execute(sa.delete(table).where(id_ == bulk_id))


def _asked(person: Person, tags: tuple[str, ...]) -> dict[str, str]:
    return {
        "backend": person.backend,
        "subject": person.subject,
        "person_name": person.name,
        "tags": dump_plain(tags),
    }


def _bulk(row: RowMapping) -> BulkChange:
    return BulkChange(
        id=BulkChangeId(row["id"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        kind=BulkKind(row["kind"]),
        tags=tuple(json.loads(row["tags"])),
        state=BulkState(row["state"]),
        end=BulkEnd(row["end_reason"]),
        person=Person(
            subject=row["subject"], name=row["person_name"], backend=row["backend"]
        ),
        total=row["total"],
        keep_hours=row["keep_hours"],
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        waits_until=row["waits_until"],
        obstacle=row["obstacle"],
    )
