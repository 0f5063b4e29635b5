"""Store the first request and answer of each idempotency key; see ports.repositories.access.idempotency."""

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access.idempotency import (
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)
from hvcore.persistence.json_columns import dump_plain
from hvcore.persistence.statements import insert_unless_there
from hvcore.persistence.tables import idempotency


class SqlIdempotencyRepository:
    """Store one row for each scope of an idempotency key; see ports.repositories.access.idempotency.IdempotencyRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, request: FirstRequest) -> bool:
        # Waits for the other transaction if two add the same at once.
        return insert_unless_there(self._connection, idempotency, _to_row(request))

    def find(self, scope: IdempotencyScope) -> FirstRequest | None:
        statement = sa.select(idempotency).where(*_is(scope)).with_for_update()
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _from_row(row)

    def replace(self, request: FirstRequest) -> None:
        statement = sa.update(idempotency).where(*_is(request.scope))
        self._connection.execute(statement.values(_to_row(request)))

    def answer(self, request: FirstRequest, answer: RecordedAnswer) -> bool:
        statement = (
            sa.update(idempotency)
            .where(*_is_claimed(request))
            .values(_answer_to_row(answer))
        )
        return self._connection.execute(statement).rowcount == 1

    def remove(self, request: FirstRequest) -> None:
        self._connection.execute(sa.delete(idempotency).where(*_is_claimed(request)))

    def forget(self, before: datetime, limit: int) -> int:
        columns = idempotency.primary_key.columns
        expired = (
            sa.select(*columns)
            .where(idempotency.c.expires_at <= before)
            .order_by(idempotency.c.expires_at)
            .limit(limit)
        )
        statement = sa.delete(idempotency).where(
            sa.tuple_(*columns).in_(expired),
            # A key that was used again meanwhile stays.
            idempotency.c.expires_at <= before,
        )
        return self._connection.execute(statement).rowcount


def _is(scope: IdempotencyScope) -> list[sa.ColumnElement[bool]]:
    return [
        idempotency.c.org_id == scope.org_id,
        idempotency.c.env_id == scope.env_id,
        idempotency.c.route == scope.route,
        idempotency.c.key == scope.key,
    ]


def _is_claimed(request: FirstRequest) -> list[sa.ColumnElement[bool]]:
    return [*_is(request.scope), idempotency.c.claim == request.claim]


def _to_row(request: FirstRequest) -> dict[str, Any]:
    scope = request.scope
    return {
        "org_id": scope.org_id,
        "env_id": scope.env_id,
        "route": scope.route,
        "key": scope.key,
        "fingerprint": request.fingerprint,
        "claim": request.claim,
        "claimed_until": request.claimed_until,
        "expires_at": request.expires_at,
        **_answer_to_row(request.answer),
    }


def _answer_to_row(answer: RecordedAnswer | None) -> dict[str, Any]:
    if answer is None:
        return {"status": None, "headers": None, "body": None, "video_id": None}
    return {
        "status": answer.status,
        "headers": dump_plain(dict(answer.headers)),
        "body": answer.body,
        "video_id": answer.video_id,
    }


def _from_row(row: RowMapping) -> FirstRequest:
    answer = None
    if row["status"] is not None:
        answer = RecordedAnswer(
            status=row["status"],
            headers=json.loads(row["headers"]),
            body=row["body"],
            video_id=row["video_id"],
        )
    return FirstRequest(
        scope=IdempotencyScope(
            org_id=row["org_id"],
            env_id=row["env_id"],
            route=row["route"],
            key=row["key"],
        ),
        fingerprint=row["fingerprint"],
        claim=row["claim"],
        claimed_until=row["claimed_until"],
        expires_at=row["expires_at"],
        answer=answer,
    )
