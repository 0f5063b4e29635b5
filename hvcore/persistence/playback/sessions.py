"""Store playback sessions and their sums in the service's database."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.analytics.playback_sessions import (
    BEGUN,
    BUCKET,
    MOST_COUNTRIES,
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    SessionsBy,
    SessionSums,
)
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.ids import VideoId
from hvcore.persistence.engine import reading, writing
from hvcore.persistence.statements import begin_insert, insert_unless_there
from hvcore.persistence.tables import playback_session_sums, playback_sessions
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore

FORGOTTEN_AT_ONCE: Final = 1_000
WAITS_MS: Final = 500
"""Time that a report waits for locks: the thread that waits plays no video meanwhile."""
_session = playback_sessions.c
_sums = playback_session_sums.c
_DEVICES: Final = [device.value for device in DeviceClass]
_ANY: Final = ""
"""The device class in rows that count the startup times of a country, on all devices."""


class SqlPlaybackSessions(PlaybackSessionStore):
    """Playback sessions and their sums, in SQLite or PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, session: PlaybackSession) -> PlaybackSession:
        """Count a session that begins, once, and return it as it counts."""
        # A power cut may take it: nobody was promised that it is counted.
        with writing(self._engine, timeout_ms=WAITS_MS, is_durable=False) as connection:
            is_new = _insert(connection, session)
            if not is_new:
                began_at = connection.execute(
                    sa.select(_session.began_at).where(_session.id == session.id)
                ).scalar_one()
                session = attrs.evolve(session, began_at=began_at)
            if session.country and not _is_counted_country(connection, session):
                session = attrs.evolve(session, country="")
            if is_new:
                _add(connection, session, BEGUN)
                connection.commit()
        return session

    def report(
        self, session: PlaybackSession, number: int, figures: SessionFigures
    ) -> bool:
        """
        Replace the figures of a session; False if a later or the same report is there.

        Args:
            number: The number of the report within the session, from 1 on.
        """
        with writing(self._engine, timeout_ms=WAITS_MS, is_durable=False) as connection:
            # A backup that was restored has no row of a session that began after it.
            is_new = _insert(connection, session)
            earlier = connection.execute(
                sa.select(playback_sessions)
                .where(_session.id == session.id)
                .with_for_update()
            ).one()
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
            if is_new:
                added.update(BEGUN)
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
        if by is SessionsBy.COUNTRY:
            is_bucket = _sums.measure.startswith(BUCKET, autoescape=True)
            conditions.append(sa.or_(_sums.device == _ANY, ~is_bucket))
        else:
            conditions.append(_sums.device != _ANY)
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


def _insert(connection: Connection, session: PlaybackSession) -> bool:
    """Insert the row of a session without a report; False if it is there."""
    return insert_unless_there(
        connection,
        playback_sessions,
        {
            "id": session.id,
            "began_at": session.began_at,
            "number": 0,
            **attrs.asdict(SessionFigures()),
        },
    )


def _is_counted_country(connection: Connection, session: PlaybackSession) -> bool:
    """Tell whether a session's country is one of those that are told apart on its day."""
    begun = (
        _sums.video_id == session.video_id,
        _sums.day == session.day.toordinal(),
        # All of them, so that the index finds the countries of each.
        _sums.device.in_(_DEVICES),
        _sums.measure == "begun",
    )
    known = sa.select(sa.exists().where(*begun, _sums.country == session.country))
    if connection.execute(known).scalar_one():
        return True
    number = sa.select(sa.func.count(sa.distinct(_sums.country))).where(
        *begun, _sums.country != ""
    )
    return int(connection.execute(number).scalar_one()) < MOST_COUNTRIES


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
    rows = sorted(
        (device, country, measure, value)
        for measure, value in measures.items()
        if value
        for device, country in _places(session, measure)
    )
    if not rows:
        return
    fixed = {"video_id": session.video_id, "day": session.day.toordinal()}
    names = ("device", "country", "measure", "value")
    connection.execute(
        _upsert(connection.dialect.name),
        # In one order, so that two transactions never deadlock.
        [{**fixed, **dict(zip(names, row, strict=True))} for row in rows],
    )


def _places(session: PlaybackSession, measure: str) -> Iterator[tuple[str, str]]:
    """Yield the device and country of each row in which a session adds to a measure."""
    if not measure.startswith(BUCKET):
        yield session.device.value, session.country
        return
    # There are 123 of them: for each device and country together, they would fill the table.
    yield session.device.value, ""
    yield _ANY, session.country


@cache
def _upsert(dialect: str) -> sa.Insert:
    statement = begin_insert(dialect, playback_session_sums)
    return statement.on_conflict_do_update(
        index_elements=list(playback_session_sums.primary_key),
        set_={"value": _sums.value + statement.excluded.value},
    )
