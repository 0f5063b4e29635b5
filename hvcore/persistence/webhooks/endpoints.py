"""Store webhook endpoints, and the deliveries of events to them."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import (
    DeliveryId,
    EnvId,
    EventId,
    OrgId,
    WebhookId,
    new_delivery_id,
)
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.webhooks.deliveries import WebhookDelivery, WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import (
    EndpointState,
    WebhookEndpoint,
    WebhookSecret,
)
from hvcore.domain.webhooks.events import EventKind, VideoEvent
from hvcore.persistence.json_columns import dump_plain
from hvcore.persistence.statements import insert_all_new, insert_new, is_storable
from hvcore.persistence.tables import (
    environments,
    webhook_deliveries,
    webhook_endpoints,
)
from hvcore.persistence.tasks.tasks import SqlTaskRepository

_PENDING: Final = WebhookDeliveryState.PENDING.value
_IS_THERE: Final = webhook_endpoints.c.state != EndpointState.REMOVED.value
_OLDEST_FIRST: Final = (webhook_endpoints.c.created_at, webhook_endpoints.c.id)


class SqlWebhookRepository:
    """Store webhook endpoints and their deliveries; see ports.repositories.webhooks.WebhookRepository."""

    def __init__(
        self,
        connection: Connection,
        now: Callable[[], datetime],
        tasks: SqlTaskRepository,
    ) -> None:
        self._connection = connection
        self._now = now
        self._tasks = tasks

    def find(
        self, webhook_id: str, *, for_update: bool = False
    ) -> WebhookEndpoint | None:
        if not is_storable(webhook_id):
            return None
        statement = sa.select(webhook_endpoints).where(
            webhook_endpoints.c.id == webhook_id, _IS_THERE
        )
        if for_update:
            # NO KEY UPDATE: who orders deliveries meanwhile does not wait.
            statement = statement.with_for_update(key_share=True)
        found = self._endpoints(statement)
        return found[0] if found else None

    def of_organization(self, org_id: OrgId | None) -> Sequence[WebhookEndpoint]:
        statement = (
            sa.select(webhook_endpoints).where(_IS_THERE).order_by(*_OLDEST_FIRST)
        )
        if org_id is not None:
            if not is_storable(org_id):
                return []
            statement = statement.where(webhook_endpoints.c.org_id == org_id)
        return self._endpoints(statement)

    def of_environment(self, org_id: OrgId, env_id: EnvId) -> Sequence[WebhookEndpoint]:
        statement = (
            sa.select(webhook_endpoints)
            .where(
                webhook_endpoints.c.org_id == org_id,
                webhook_endpoints.c.env_id == env_id,
                _IS_THERE,
            )
            .order_by(*_OLDEST_FIRST)
            # KEY SHARE: what a foreign key would take a moment later.
            .with_for_update(read=True, key_share=True)
        )
        return self._endpoints(statement)

    def count(self, org_id: OrgId, env_id: EnvId) -> int:
        # Two who add the last one at a time must not both succeed. NO KEY UPDATE: what
        # else refers to the environment is stored meanwhile.
        self._connection.execute(
            sa.select(environments.c.id)
            .where(environments.c.org_id == org_id, environments.c.id == env_id)
            .with_for_update(key_share=True)
        )
        statement = sa.select(sa.func.count()).where(
            webhook_endpoints.c.org_id == org_id,
            webhook_endpoints.c.env_id == env_id,
            _IS_THERE,
        )
        return int(self._connection.execute(statement).scalar_one())

    def add(self, endpoint: WebhookEndpoint) -> None:
        insert_new(self._connection, webhook_endpoints, _endpoint_to_row(endpoint))

    def save(self, endpoint: WebhookEndpoint) -> None:
        self._connection.execute(
            sa.update(webhook_endpoints)
            .where(webhook_endpoints.c.id == endpoint.id)
            .values(
                kinds=_kinds_to_text(endpoint),
                secrets=_secrets_to_text(endpoint),
                state=endpoint.state.value,
            )
        )

    def remove(self, webhook_id: WebhookId) -> None:
        """
        Mark a webhook endpoint as removed; from then on no query finds it.

        No key column changes, so that this does not wait for transactions that order deliveries.
        """
        self._connection.execute(
            sa.update(webhook_endpoints)
            .where(webhook_endpoints.c.id == webhook_id)
            .values(state=EndpointState.REMOVED.value)
        )

    def order(
        self, wanted: Sequence[tuple[VideoEvent, WebhookEndpoint]]
    ) -> Sequence[WebhookDelivery]:
        if not wanted:
            return []
        now = self._now()
        ordered = [
            WebhookDelivery(
                id=new_delivery_id(),
                endpoint_id=endpoint.id,
                event_id=event.id,
                created_at=now,
                next_attempt_at=now,
            )
            for event, endpoint in wanted
        ]
        rows = [_delivery_to_row(delivery) for delivery in ordered]
        insert_all_new(self._connection, webhook_deliveries, rows)
        self._tasks.add(
            NewTask(
                kind=WEBHOOK_DELIVER,
                lane=Lane.OUTBOUND,
                org_id=endpoint.org_id,
                subject=delivery.id,
            )
            for delivery, (_, endpoint) in zip(ordered, wanted, strict=True)
        )
        return ordered

    def find_delivery(self, delivery_id: str) -> WebhookDelivery | None:
        if not is_storable(delivery_id):
            return None
        statement = sa.select(webhook_deliveries).where(
            webhook_deliveries.c.id == delivery_id
        )
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _delivery_from_row(row)

    def save_delivery(self, delivery: WebhookDelivery) -> None:
        self._connection.execute(
            sa.update(webhook_deliveries)
            .where(webhook_deliveries.c.id == delivery.id)
            .values(_delivery_to_row(delivery))
        )

    def deliveries(
        self,
        webhook_id: WebhookId,
        limit: int,
        *,
        before: WebhookDelivery | None = None,
    ) -> Sequence[WebhookDelivery]:
        columns = webhook_deliveries.c
        statement = (
            sa.select(webhook_deliveries)
            .where(columns.endpoint_id == webhook_id)
            .order_by(columns.created_at.desc(), columns.id.desc())
            .limit(limit)
        )
        if before is not None:
            # Written so that the index finds where to begin.
            statement = statement.where(
                columns.created_at <= before.created_at,
                sa.or_(columns.created_at < before.created_at, columns.id < before.id),
            )
        rows = self._connection.execute(statement).mappings()
        return [_delivery_from_row(row) for row in rows]

    def deliveries_of(
        self, event_ids: Sequence[EventId], limit: int
    ) -> Sequence[WebhookDelivery]:
        columns = webhook_deliveries.c
        statement = (
            sa.select(webhook_deliveries)
            .join(webhook_endpoints, webhook_endpoints.c.id == columns.endpoint_id)
            .where(columns.event_id.in_(event_ids), _IS_THERE)
            .order_by(columns.created_at.desc(), columns.id.desc())
            .limit(limit)
        )
        rows = self._connection.execute(statement).mappings()
        return [_delivery_from_row(row) for row in rows]

    def cancel_event(
        self, webhook_id: WebhookId, event_id: EventId, *, why: str
    ) -> int:
        statement = (
            sa.update(webhook_deliveries)
            .where(
                webhook_deliveries.c.endpoint_id == webhook_id,
                webhook_deliveries.c.event_id == event_id,
                webhook_deliveries.c.state == _PENDING,
            )
            .values(**ended_values(why))
            .returning(webhook_deliveries.c.id)
        )
        ended = self._connection.execute(statement).scalars().all()
        return self._tasks.cancel_all(ended, kinds=[WEBHOOK_DELIVER])

    def _endpoints(
        self, statement: sa.Select[tuple[object, ...]]
    ) -> Sequence[WebhookEndpoint]:
        rows = self._connection.execute(statement).mappings()
        return [_endpoint_from_row(row) for row in rows]


def ended_values(why: str) -> dict[str, object]:
    """Return the column values of a webhook delivery that is cancelled for the given reason."""
    return {
        "state": WebhookDeliveryState.CANCELLED.value,
        "next_attempt_at": None,
        "last_error": why,
    }


def _endpoint_from_row(row: RowMapping) -> WebhookEndpoint:
    return WebhookEndpoint(
        id=WebhookId(row["id"]),
        org_id=OrgId(row["org_id"]),
        env_id=EnvId(row["env_id"]),
        url=row["url"],
        kinds=frozenset(EventKind(kind) for kind in row["kinds"].split()),
        secrets=_secrets_from_text(row["secrets"]),
        state=EndpointState(row["state"]),
        created_at=row["created_at"],
    )


def _endpoint_to_row(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "org_id": endpoint.org_id,
        "env_id": endpoint.env_id,
        "url": endpoint.url,
        "kinds": _kinds_to_text(endpoint),
        "secrets": _secrets_to_text(endpoint),
        "state": endpoint.state.value,
        "created_at": endpoint.created_at,
    }


def _kinds_to_text(endpoint: WebhookEndpoint) -> str:
    return " ".join(sorted(kind.value for kind in endpoint.kinds))


def _secrets_to_text(endpoint: WebhookEndpoint) -> str:
    return dump_plain(
        [
            [secret.value, secret.ends_at.isoformat() if secret.ends_at else None]
            for secret in endpoint.secrets
        ]
    )


def _secrets_from_text(text: str) -> tuple[WebhookSecret, ...]:
    return tuple(
        WebhookSecret(value=value, ends_at=datetime.fromisoformat(end) if end else None)
        for value, end in json.loads(text)
    )


def _delivery_from_row(row: RowMapping) -> WebhookDelivery:
    return WebhookDelivery(
        id=DeliveryId(row["id"]),
        endpoint_id=WebhookId(row["endpoint_id"]),
        event_id=EventId(row["event_id"]),
        state=WebhookDeliveryState(row["state"]),
        attempts=row["attempts"],
        created_at=row["created_at"],
        next_attempt_at=row["next_attempt_at"],
        last_attempt_at=row["last_attempt_at"],
        last_status=row["last_status"],
        last_error=row["last_error"],
        last_duration_ms=row["last_duration_ms"],
    )


def _delivery_to_row(delivery: WebhookDelivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "endpoint_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "state": delivery.state.value,
        "attempts": delivery.attempts,
        "created_at": delivery.created_at,
        "next_attempt_at": delivery.next_attempt_at,
        "last_attempt_at": delivery.last_attempt_at,
        "last_status": delivery.last_status,
        "last_error": delivery.last_error,
        "last_duration_ms": delivery.last_duration_ms,
    }
