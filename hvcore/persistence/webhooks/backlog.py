"""Cancel and postpone the deliveries that wait for a webhook endpoint, and tell why they wait."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import DeliveryId, WebhookId
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.webhooks.endpoints import EndpointState
from hvcore.persistence.tables import tasks as task_table
from hvcore.persistence.tables import webhook_deliveries, webhook_endpoints
from hvcore.persistence.tasks.tasks import SqlTaskRepository
from hvcore.persistence.webhooks.endpoints import ended_values

_WAITING: Final = (TaskState.DUE.value, TaskState.QUEUED.value)
# Spelled out: an index of pending rows serves no bound value.
_IS_PENDING: Final = webhook_deliveries.c.state == sa.literal_column("'pending'")
_OF_ENDPOINT: Final = webhook_deliveries.c.endpoint_id == webhook_endpoints.c.id


class SqlWebhookBacklogRepository:
    """Cancel and postpone waiting webhook deliveries, and tell why they wait; see ports.repositories.webhook_backlog.WebhookBacklogRepository."""

    def __init__(
        self,
        connection: Connection,
        now: Callable[[], datetime],
        tasks: SqlTaskRepository,
    ) -> None:
        self._connection = connection
        self._now = now
        self._tasks = tasks

    def end(self, webhook_id: WebhookId, limit: int) -> int:
        statement = sa.select(webhook_endpoints.c.state).where(
            webhook_endpoints.c.id == webhook_id
        )
        # Held: nobody enables it while its deliveries are ended. NO KEY
        # UPDATE: who orders deliveries meanwhile does not wait.
        locked = statement.with_for_update(key_share=True)
        state = self._connection.execute(locked).scalar_one_or_none()
        if state == EndpointState.DISABLED.value:
            return self._cancel(webhook_id, limit)
        if state == EndpointState.REMOVED.value:
            return self._delete(webhook_id, limit)
        return 0

    def unended(self) -> Sequence[WebhookId]:
        pending = sa.select(sa.literal(1)).where(_OF_ENDPOINT, _IS_PENDING).exists()
        state = webhook_endpoints.c.state
        statement = sa.select(webhook_endpoints.c.id).where(
            sa.or_(
                state == EndpointState.REMOVED.value,
                sa.and_(state == EndpointState.DISABLED.value, pending),
            )
        )
        return [WebhookId(id_) for id_ in self._connection.execute(statement).scalars()]

    def put_off(
        self, webhook_id: WebhookId, *, until: datetime, why: str, limit: int
    ) -> int:
        statement = (
            sa.select(task_table.c.seq)
            .join(webhook_deliveries, webhook_deliveries.c.id == task_table.c.subject)
            .where(
                webhook_deliveries.c.endpoint_id == webhook_id,
                _IS_PENDING,
                task_table.c.kind == WEBHOOK_DELIVER,
                task_table.c.state.in_(_WAITING),
                task_table.c.not_before <= self._now(),
            )
            # The queue takes them in this order, too.
            .order_by(task_table.c.not_before, task_table.c.seq)
            .limit(limit)
            # Whoever holds one is taking or ending it.
            .with_for_update(of=task_table, skip_locked=True)
        )
        chosen = self._connection.execute(statement).scalars().all()
        if not chosen:
            return 0
        return self._tasks.put_off(chosen, not_before=until, error=why)

    def reasons(self, delivery_ids: Sequence[DeliveryId]) -> Mapping[DeliveryId, str]:
        statement = sa.select(task_table.c.subject, task_table.c.error).where(
            task_table.c.subject.in_(delivery_ids),
            task_table.c.kind == WEBHOOK_DELIVER,
            task_table.c.state.in_(_WAITING),
            task_table.c.error != "",
        )
        rows = self._connection.execute(statement)
        return {DeliveryId(subject): error for subject, error in rows}

    def _cancel(self, webhook_id: WebhookId, limit: int) -> int:
        chosen = self._choose(webhook_id, _IS_PENDING, limit)
        if chosen:
            self._connection.execute(
                sa.update(webhook_deliveries)
                .where(webhook_deliveries.c.id.in_(chosen))
                .values(**ended_values("The endpoint is disabled."))
            )
            self._tasks.cancel_all(chosen, kinds=[WEBHOOK_DELIVER])
        return len(chosen)

    def _delete(self, webhook_id: WebhookId, limit: int) -> int:
        chosen = self._choose(webhook_id, sa.true(), limit)
        if chosen:
            self._tasks.cancel_all(chosen, kinds=[WEBHOOK_DELIVER])
            self._connection.execute(
                sa.delete(webhook_deliveries).where(webhook_deliveries.c.id.in_(chosen))
            )
            return len(chosen)
        # A transaction that has seen it before may still order deliveries.
        unused = (
            sa.select(webhook_endpoints.c.id)
            .where(
                webhook_endpoints.c.id == webhook_id,
                ~sa.select(sa.literal(1)).where(_OF_ENDPOINT).exists(),
            )
            .with_for_update(skip_locked=True)
        )
        if self._connection.execute(unused).first() is not None:
            self._connection.execute(
                sa.delete(webhook_endpoints).where(webhook_endpoints.c.id == webhook_id)
            )
        return 0

    def _choose(
        self, webhook_id: WebhookId, condition: sa.ColumnElement[bool], limit: int
    ) -> Sequence[str]:
        statement = (
            sa.select(webhook_deliveries.c.id)
            .where(webhook_deliveries.c.endpoint_id == webhook_id, condition)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return self._connection.execute(statement).scalars().all()
