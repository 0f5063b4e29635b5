"""Store playback sessions and their sums in the service's database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.analytics.playback_sessions import (
    BEGUN,
    PlaybackSession,
    SessionFigures,
    SessionsBy,
    SessionSums,
)
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.ids import VideoId
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import playback_session_sums, playback_sessions
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore

FORGOTTEN_AT_ONCE: Final = 1_000
WAITS_MS: Final = 500
"""Time that a report waits for locks: the thread that waits plays no video meanwhile."""
_session = playback_sessions.c
_sums = playback_session_sums.c


class SqlPlaybackSessions(PlaybackSessionStore):
    """Playback sessions and their sums, in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, session: PlaybackSession) -> None:
        """Count a session that begins."""
        # A power cut may take it: nobody was promised that it is counted.
        with writing(self._engine, timeout_ms=WAITS_MS, is_durable=False) as connection:
            _add(connection, session, BEGUN)
            connection.commit()

    def report(
        self, session: PlaybackSession, number: int, figures: SessionFigures
    ) -> bool:
        """
        Replace the figures of a session; False if a later or the same report is there.

        Args:
            number: The number of the report within the session, from 1 on.
        """
        with writing(self._engine, timeout_ms=WAITS_MS, is_durable=False) as connection:
            earlier = _lock(connection, session)
            if number <= earlier.number:
                return False
            connection.execute(
                sa.update(playback_sessions)
                .where(_session.id == session.id)
                .values(number=number, **attrs.asdict(figures))
            )
            added = figures.measures()
            if earlier.number:
                # The last report, which this one replaces.
                added.subtract(_figures(earlier).measures())
            _add(connection, session, added)
            connection.commit()
        return True

    def sums(
        self, video_id: VideoId, days: DateRange, by: SessionsBy
    ) -> Sequence[SessionSums]:
        """Return the sums of a video's sessions by day and value, oldest day first."""
        value: sa.ColumnElement[str] = sa.literal("")
        if by is not SessionsBy.DAY:
            value = _sums[by.value]
        conditions = [_sums.video_id == video_id]
        if days.first is not None:
            conditions.append(_sums.day >= days.first.toordinal())
        if days.last is not None:
            conditions.append(_sums.day <= days.last.toordinal())
        groups = [_sums.day] if by is SessionsBy.DAY else [_sums.day, value]
        total = sa.cast(sa.func.sum(_sums.value), sa.BigInteger)
        statement = (
            sa.select(_sums.day, value, _sums.measure, total)
            .where(*conditions)
            .group_by(*groups, _sums.measure)
            .order_by(*groups)
        )
        found: dict[tuple[int, str], Counter[str]] = {}
        with reading(self._engine) as connection:
            for day, of, measure, number in connection.execute(statement):
                found.setdefault((day, of), Counter())[measure] = number
        return [
            SessionSums(day=date.fromordinal(day), value=of, measures=measures)
            for (day, of), measures in found.items()
        ]

    def forget(self, before: datetime) -> bool:
        """Delete some of the sessions that began before a moment; their sums stay."""
        some = (
            sa.select(_session.id)
            .where(_session.began_at < before)
            .limit(FORGOTTEN_AT_ONCE)
        )
        with writing(self._engine) as connection:
            gone = connection.execute(
                sa.delete(playback_sessions).where(_session.id.in_(some))
            ).rowcount
            connection.commit()
        return gone == FORGOTTEN_AT_ONCE


def _lock(connection: Connection, session: PlaybackSession) -> "sa.Row[tuple[int]]":
    """Return the session's row, locked until the commit; number 0 if it is new."""
    new = insert_into(connection, playback_sessions).values(
        id=session.id,
        began_at=session.began_at,
        number=0,
        **attrs.asdict(SessionFigures()),
    )
    connection.execute(new.on_conflict_do_nothing())
    statement = sa.select(playback_sessions).where(_session.id == session.id)
    return connection.execute(statement.with_for_update()).one()


def _figures(row: "sa.Row[tuple[int]]") -> SessionFigures:
    return SessionFigures(
        startup_ms=row.startup_ms,
        played_ms=row.played_ms,
        rebuffering_ms=row.rebuffering_ms,
        rebufferings=row.rebufferings,
        errors=row.errors,
    )


def _add(
    connection: Connection, session: PlaybackSession, measures: Mapping[str, int]
) -> None:
    # In one order, so that two transactions never deadlock.
    rows = [
        {
            "video_id": session.video_id,
            "day": session.day.toordinal(),
            "device": session.device.value,
            "country": session.country,
            "measure": measure,
            "value": measures[measure],
        }
        for measure in sorted(measures)
        if measures[measure]
    ]
    if not rows:
        return
    statement = insert_into(connection, playback_session_sums).values(rows)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=list(playback_session_sums.primary_key),
            set_={"value": _sums.value + statement.excluded.value},
        )
    )
