"""
Compose the letters (Unicode NFC) of names and tags that older versions have stored.

In batches, each a transaction of its own: requests wait for none of them for long.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.folded_texts import folded
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, reading, writing
from hvcore.persistence.rows import indexed_terms, labels_from_text, labels_to_text
from hvcore.persistence.statements import insert_unless_there
from hvcore.persistence.tables import leaders, videos
from hvcore.persistence.videos.label_index import LabelIndex, labelled_as

_BATCH: Final = 500
_DONE: Final = {
    "name": "composed_names",
    "holder": "migration",
    "until": datetime.fromtimestamp(0, UTC),
}
"""Says that all have been composed once: a turn of a leader that is long over, which no
version looks for. A table of its own would be an expand for each such step."""


def compose_names(engine: Engine) -> None:
    """
    Compose the names and tags of all videos for the search; safe to repeat and to break off.

    Processes of any version may go on meanwhile; an older one may store further tags.

    Raises:
        UnavailableError: The database does not answer.
    """
    last: str | None = ""
    while last is not None:
        with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
            if connection.dialect.name == "postgresql":
                # Many may be passed over until a batch is full.
                connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            last = _compose_batch(connection, last)
            if last is None:
                insert_unless_there(connection, leaders, _DONE)
            connection.commit()


def have_been_composed(engine: Engine) -> bool:
    """
    Return whether ``compose_names`` has finished once for all videos; takes a millisecond.

    Raises:
        UnavailableError: The database does not answer.
    """
    asked = sa.select(leaders.c.name).where(leaders.c.name == _DONE["name"])
    with reading(engine) as connection:
        return connection.execute(asked).first() is not None


def _compose_batch(connection: Connection, after: str) -> str | None:
    columns = videos.c
    is_sqlite = connection.dialect.name == "sqlite"
    found = connection.execute(
        sa.select(
            *(columns.id, columns.version, columns.name, columns.name_folded),
            *(columns.org_id, columns.env_id, columns.created_at, columns.state),
            columns.labels,
        )
        .where(
            columns.id > after,
            sa.or_(
                *(
                    _has_others_than_ascii(column, is_sqlite=is_sqlite)
                    for column in (columns.name_folded, columns.labels)
                )
            ),
        )
        .order_by(columns.id)
        .limit(_BATCH)
    ).all()
    index = LabelIndex(connection)
    _compose(connection, index, found)
    index.flush()
    return found[-1].id if found else None


def _compose(connection: Connection, index: LabelIndex, rows: Sequence[Any]) -> None:
    for row in rows:
        name = folded(row.name)
        labels = labels_to_text(labels_from_text(row.labels))
        if (name, labels) == (row.name_folded, row.labels):
            continue
        saved = connection.execute(
            sa.update(videos)
            .where(videos.c.id == row.id, videos.c.version == row.version)
            # Whoever has read the old one does not save it.
            .values(name_folded=name, labels=labels, version=row.version + 1)
        )
        # Another process has saved it meanwhile; what an older one left is found again.
        if saved.rowcount:
            place = (row.org_id, row.env_id, row.id, row.created_at, row.state)
            was, now = map(indexed_terms, (row.labels, labels))
            index.move(labelled_as(*place, was), labelled_as(*place, now))


def _has_others_than_ascii(
    column: "sa.Column[str]", *, is_sqlite: bool
) -> sa.ColumnElement[bool]:
    # PostgreSQL would read escapes in a text that it casts.
    blob = sa.func.length(sa.cast(column, sa.LargeBinary))
    size = blob if is_sqlite else sa.func.octet_length(column)
    return size != sa.func.length(column)
