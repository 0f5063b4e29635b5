"""Store events of videos with the change that they describe, numbered in commit order."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import groupby

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.sql.dml import ReturningInsert

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EnvId, EventId, OrgId, VideoId
from hvcore.domain.source_figures import SourceFigures
from hvcore.domain.webhooks.events import (
    EventKind,
    EventPage,
    EventQuery,
    StoredEvent,
    VideoEvent,
)
from hvcore.persistence.rows import labels_from_text, labels_to_text
from hvcore.persistence.statements import begin_insert, insert_all_new, is_storable
from hvcore.persistence.tables import (
    environments,
    event_counters,
    events,
    webhook_deliveries,
)
from hvcore.persistence.tasks.tasks import SqlTaskRepository
from hvcore.persistence.webhooks.endpoints import SqlWebhookRepository
from hvcore.persistence.webhooks.subscriptions import (
    FindSubscribers,
    no_subscribers,
    tasks_of,
)

_WITH_ENVIRONMENT = sa.select(events, environments.c.name.label("env_name")).join(
    environments,
    sa.and_(
        environments.c.org_id == events.c.org_id, environments.c.id == events.c.env_id
    ),
)


class SqlEventRepository:
    """Store events of videos; see ports.repositories.events.EventRepository."""

    def __init__(
        self,
        connection: Connection,
        now: Callable[[], datetime],
        webhooks: SqlWebhookRepository,
        tasks: SqlTaskRepository,
        find_subscribers: FindSubscribers = no_subscribers,
    ) -> None:
        self._connection = connection
        self._now = now
        self._webhooks = webhooks
        self._tasks = tasks
        self._find_subscribers = find_subscribers
        self._pending: list[VideoEvent] = []
        self._ordered: list[VideoEvent] = []

    def record(self, happened: Iterable[VideoEvent]) -> None:
        """Collect events of this transaction; ``flush`` writes them before the commit."""
        self._pending += happened

    def order_deliveries(self) -> None:
        """Store orders to deliver the recorded events to webhooks and plugins' subscribers; call this before ``flush``."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        pending.sort(key=_environment_of)
        for (org_id, env_id), happened in groupby(pending, key=_environment_of):
            recorded = list(happened)
            # Endpoints first, as whoever changes endpoints and deliveries does.
            endpoints = self._webhooks.of_environment(OrgId(org_id), EnvId(env_id))
            self._webhooks.order(
                [
                    (event, endpoint)
                    for event in recorded
                    for endpoint in endpoints
                    if endpoint.wants(event.kind)
                ]
            )
            self._ordered += recorded
        ordered = list(tasks_of(pending, self._find_subscribers()))
        if ordered:
            self._tasks.add(ordered)

    def flush(self) -> None:
        """
        Write the recorded events.

        Call this last before the commit: an environment's counter stays locked from here on, so
        that event numbers follow the order of commits, and a reader that continues after a
        number misses no event.
        """
        self.order_deliveries()
        ordered, self._ordered = self._ordered, []
        if not ordered:
            return
        now = self._now()
        # Sorted: transactions that lock several counters do so in one order.
        ordered.sort(key=_environment_of)
        for (org_id, env_id), happened in groupby(ordered, key=_environment_of):
            self._write(org_id, env_id, list(happened), now)

    def page(self, env: Environment, query: EventQuery) -> EventPage:
        statement = _WITH_ENVIRONMENT.where(
            events.c.org_id == env.org_id,
            events.c.env_id == env.id,
            events.c.number > query.after,
        )
        if query.kinds:
            kinds = sorted(kind.value for kind in query.kinds)
            statement = statement.where(events.c.kind.in_(kinds))
        else:
            statement = statement.where(events.c.kind != EventKind.TEST.value)
        # One more than is wanted tells whether there is more.
        statement = statement.order_by(events.c.number).limit(query.limit + 1)
        rows = self._connection.execute(statement).mappings().all()
        found = tuple(_from_row(row) for row in rows[: query.limit])
        return EventPage(
            events=found,
            last=found[-1].number if found else query.after,
            has_more=len(rows) > query.limit,
        )

    def of_video(self, video_id: VideoId, limit: int) -> Sequence[StoredEvent]:
        statement = (
            _WITH_ENVIRONMENT.where(events.c.video_id == video_id)
            .order_by(events.c.sequence.desc())
            .limit(limit)
        )
        rows = self._connection.execute(statement).mappings()
        return [_from_row(row) for row in rows]

    def find(self, event_id: str) -> StoredEvent | None:
        if not is_storable(event_id):
            return None
        statement = _WITH_ENVIRONMENT.where(events.c.id == event_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _from_row(row)

    def of_ids(self, event_ids: Collection[EventId]) -> Mapping[EventId, StoredEvent]:
        if not event_ids:
            return {}
        statement = _WITH_ENVIRONMENT.where(events.c.id.in_(sorted(set(event_ids))))
        found = [
            _from_row(row) for row in self._connection.execute(statement).mappings()
        ]
        return {stored.event.id: stored for stored in found}

    def forget(self, before: datetime, limit: int) -> int:
        old = (
            sa.select(events.c.id)
            .where(events.c.created_at < before)
            .order_by(events.c.created_at)
            .limit(limit)
        )
        chosen = self._connection.execute(old).scalars().all()
        if not chosen:
            return 0
        delivered = webhook_deliveries.c.event_id.in_(chosen)
        self._connection.execute(sa.delete(webhook_deliveries).where(delivered))
        removed = self._connection.execute(
            sa.delete(events).where(events.c.id.in_(chosen))
        )
        return removed.rowcount

    def _write(
        self, org_id: str, env_id: str, happened: Sequence[VideoEvent], now: datetime
    ) -> None:
        last = self._count_on(org_id, env_id, len(happened))
        first = last - len(happened) + 1
        rows = [_to_row(event, n, now) for n, event in enumerate(happened, first)]
        insert_all_new(self._connection, events, rows)

    def _count_on(self, org_id: str, env_id: str, count: int) -> int:
        statement = _counting_on(self._connection.dialect.name)
        row = {"org_id": org_id, "env_id": env_id, "last": count}
        last: int = self._connection.execute(statement, row).scalar_one()
        return last


@cache
def _counting_on(dialect: str) -> ReturningInsert[int]:
    statement = begin_insert(dialect, event_counters)
    return statement.on_conflict_do_update(
        index_elements=[event_counters.c.org_id, event_counters.c.env_id],
        set_={"last": event_counters.c.last + statement.excluded.last},
    ).returning(event_counters.c.last)


def _environment_of(event: VideoEvent) -> tuple[str, str]:
    return event.org_id, event.env_id


def _to_row(event: VideoEvent, number: int, now: datetime) -> dict[str, object]:
    return {
        "org_id": event.org_id,
        "env_id": event.env_id,
        "number": number,
        "id": event.id,
        "kind": event.kind.value,
        "video_id": event.video_id,
        "sequence": event.sequence,
        "status": event.status,
        "error": event.error,
        "labels": labels_to_text(event.labels),
        "created_at": now,
        "is_public": event.is_public,
        "width_px": event.source.width_px if event.source else None,
        "height_px": event.source.height_px if event.source else None,
        "frame_rate": event.source.frame_rate if event.source else None,
        "source_bytes": event.source.size_bytes if event.source else None,
        "duration_s": event.duration_s,
    }


def _source(row: RowMapping) -> SourceFigures | None:
    if row["width_px"] is None:
        return None
    return SourceFigures(
        width_px=row["width_px"],
        height_px=row["height_px"],
        frame_rate=row["frame_rate"],
        size_bytes=row["source_bytes"],
    )


def _from_row(row: RowMapping) -> StoredEvent:
    event = VideoEvent(
        id=EventId(row["id"]),
        kind=EventKind(row["kind"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        video_id=VideoId(row["video_id"]),
        sequence=row["sequence"],
        status=row["status"],
        error=row["error"],
        is_public=row["is_public"],
        labels=labels_from_text(row["labels"]),
        source=_source(row),
        duration_s=row["duration_s"],
    )
    return StoredEvent(
        event=event,
        number=row["number"],
        env_name=row["env_name"],
        created_at=row["created_at"],
    )
