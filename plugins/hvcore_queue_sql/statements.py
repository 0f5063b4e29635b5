"""The SQL statements of the queue, for SQLite and PostgreSQL alike."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.plugin_api import Lane
from hvcore_queue_sql.tables import consumers, messages, now_ms

MESSAGE_LIVES_S: Final = 600
"""The seconds after which a message is removed: forty times the interval at which a waiting task is put again."""
COUNTS_FOR_S: Final = 60
"""The seconds for which a consumer counts after its last registration, also if it was killed."""
FORGOTTEN_AFTER_S: Final = 3_600
"""The seconds after which the record of a killed consumer is removed: longer than an outage."""
FORGET_BATCH: Final = 1_000

_INSERT: Final = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}

LANES_WITH_MESSAGES: Final[sa.CompoundSelect[Any]] = sa.union_all(
    *(
        sa.select(sa.literal_column(f"'{lane.value}'")).where(
            sa.exists().where(messages.c.lane == sa.literal_column(f"'{lane.value}'"))
        )
        for lane in Lane
    )
)
"""The query for lanes with messages, which every idle consumer runs: five index look-ups and no lock."""
DEPTH: Final = sa.select(sa.func.count()).where(messages.c.lane == sa.bindparam("lane"))
CONSUMERS: Final = sa.select(sa.func.count()).where(
    consumers.c.lane == sa.bindparam("lane"),
    consumers.c.seen_ms > now_ms() - sa.literal_column(f"{COUNTS_FOR_S * 1000}"),
)

_FIRST: Final = (
    sa.select(messages.c.seq)
    .where(messages.c.lane == sa.bindparam("of_lane"))
    .order_by(messages.c.seq)
    .limit(1)
    # Past what others are taking; SQLite has one writer at a time anyway.
    .with_for_update(skip_locked=True)
)
TAKE: Final = (
    sa.delete(messages)
    # Compared and not IN: then it is asked once, and no further row is locked.
    .where(messages.c.seq == _FIRST.scalar_subquery())
    .returning(messages.c.task_id)
)


def put(connection: Connection, values: dict[str, object]) -> None:
    """Add a message with a task's id to a lane, unless one for the task waits there already."""
    statement = _insert(connection, messages).values(**values, put_ms=now_ms())
    connection.execute(statement.on_conflict_do_nothing())


def register(connection: Connection, consumer: str, lanes: list[str]) -> None:
    """Record that a consumer is active now, and in which lanes."""
    statement = _insert(connection, consumers).values(seen_ms=now_ms())
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[consumers.c.consumer, consumers.c.lane],
            set_={"seen_ms": statement.excluded.seen_ms},
        ),
        [{"consumer": consumer, "lane": lane} for lane in lanes],
    )


def unregister(connection: Connection, consumer: str) -> None:
    """Remove the record of a consumer."""
    connection.execute(sa.delete(consumers).where(consumers.c.consumer == consumer))


def forget_old(connection: Connection) -> None:
    """Remove messages that nobody takes, and records of killed consumers."""
    for table, key, moment, lives_s in (
        (messages, messages.c.seq, messages.c.put_ms, MESSAGE_LIVES_S),
        (consumers, consumers.c.consumer, consumers.c.seen_ms, FORGOTTEN_AFTER_S),
    ):
        old = (
            sa.select(key)
            .where(moment < now_ms() - lives_s * 1000)
            .limit(FORGET_BATCH)
            # Several do this at a time, and would else wait for each other in a circle.
            .with_for_update(skip_locked=True)
        )
        connection.execute(sa.delete(table).where(key.in_(old)))


def _insert(connection: Connection, table: sa.Table) -> Any:  # noqa: ANN401 - of two dialects
    return _INSERT[connection.dialect.name](table)
