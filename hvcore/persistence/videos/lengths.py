"""Store the latest length (duration) of each video, and read lengths and names for reports."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.video_counts import VideoLength
from hvcore.domain.ids import VideoId
from hvcore.persistence.engine import reading
from hvcore.persistence.statements import begin_insert
from hvcore.persistence.tables import video_lengths, videos

_columns: Final = video_lengths.c
_SINCE: Final = sa.bindparam("since", type_=_columns.changed_at.type)
_AFTER: Final = sa.bindparam("after", type_=sa.Text())
_LIMIT: Final = sa.bindparam("most", type_=sa.Integer())
_LENGTHS: Final = sa.select(
    _columns.org_id,
    _columns.env_id,
    _columns.video_id,
    _columns.length_s,
    _columns.changed_at,
)
_ALL: Final = _LENGTHS.order_by(_columns.changed_at, _columns.video_id).limit(_LIMIT)
_CHANGED: Final = _ALL.where(
    sa.tuple_(_columns.changed_at, _columns.video_id) > sa.tuple_(_SINCE, _AFTER)
)
_EACH: Final = (
    _LENGTHS.where(
        _columns.org_id == sa.bindparam("org", type_=sa.Text()),
        _columns.video_id > _AFTER,
    )
    .order_by(_columns.video_id)
    .limit(_LIMIT)
)


class SqlVideoLengths:
    """Read lengths (durations) and names of videos; see ports.video_counts.VideoLengths."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def changed(
        self, since: datetime | None, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        if since is None:
            return self._lengths(_ALL, {"most": limit})
        return self._lengths(_CHANGED, {"since": since, "after": after, "most": limit})

    def each(
        self, scope: EnvironmentScope, after: VideoId, limit: int
    ) -> Sequence[VideoLength]:
        return self._lengths(
            _EACH, {"org": scope.org_id, "after": after, "most": limit}
        )

    def of(self, wanted: Collection[VideoId]) -> Mapping[VideoId, float]:
        found = self._of(video_lengths.c.video_id, video_lengths.c.length_s, wanted)
        return {VideoId(video_id): float(length_s) for video_id, length_s in found}

    def names(self, wanted: Collection[VideoId]) -> Mapping[VideoId, str]:
        """
        Return the name of each of some videos; names that were purged are missing.

        Raises:
            UnavailableError: The database does not answer.
        """
        found = self._of(videos.c.id, videos.c.name, wanted)
        return {VideoId(video_id): name for video_id, name in found if name}

    def _lengths(
        self, statement: "sa.Select[Any]", values: Mapping[str, object]
    ) -> Sequence[VideoLength]:
        with reading(self._engine) as connection:
            rows = connection.execute(statement, dict(values))
            return [VideoLength(**row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy's public name

    def _of(
        self,
        key: "sa.Column[Any]",
        value: "sa.Column[Any]",
        wanted: Collection[VideoId],
    ) -> Sequence[Any]:
        if not wanted:
            return ()
        with reading(self._engine) as connection:
            statement = _of_ids(key, value, connection.dialect.name)
            return connection.execute(
                statement, {"ids": json.dumps(sorted(wanted))}
            ).all()


@cache
def _of_ids(
    key: "sa.Column[Any]", value: "sa.Column[Any]", dialect: str
) -> "sa.Select[Any]":
    # One parameter: a list of its own makes another statement for each length.
    given = sa.bindparam("ids", type_=sa.Text())
    if dialect == "postgresql":
        function = sa.func.json_array_elements_text(sa.cast(given, sa.JSON))
    else:
        function = sa.func.json_each(given)
    ids = function.table_valued("value", name="given_ids")
    return sa.select(key, value).join(ids, key == ids.c.value)


def store_lengths(
    connection: Connection, changed: Mapping[VideoId, VideoLength]
) -> None:
    """Store the changed lengths (durations) of videos, in the transaction that changes the videos."""
    for video_id in sorted(changed):
        one = changed[video_id]
        connection.execute(
            _storing(connection.dialect.name),
            {
                "video_id": video_id,
                "org_id": one.org_id,
                "env_id": one.env_id,
                "length_s": one.length_s,
                "changed_at": one.changed_at,
            },
        )


@cache
def _storing(dialect: str) -> postgresql.Insert | sqlite.Insert:
    statement = begin_insert(dialect, video_lengths)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=list(video_lengths.primary_key),
        set_={"length_s": new.length_s, "changed_at": new.changed_at},
    )
