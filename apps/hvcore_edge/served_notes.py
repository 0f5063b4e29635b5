"""Read viewers' sessions, and their countries and pages, from an edge's tally files."""

import time
from collections.abc import Iterable
from datetime import date, datetime
from typing import Final

import attrs

from hvcore.domain.analytics.breakdown import (
    BreakdownBy,
    OriginCount,
    is_country,
    is_referrer,
)
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.services.counting.sessions import MARK_DIGITS, SessionNames
from hvcore_edge.tallies import SESSION, UNFOLLOWED, ServedNote, place_of

MAX_SESSIONS: Final = 100_000
"""The most viewer sessions in memory, which take about 80 MB."""
TTL_S: Final = 60.0
"""
The seconds for which a viewer session is remembered after its last segment, in which a
watching viewer is noted a dozen times. Memory is for current viewers only.
"""
_SESSION_BYTES: Final = len(SESSION) + MARK_DIGITS
_UNFOLLOWED: Final = SESSION + UNFOLLOWED.encode()
_COUNTRY: Final = b"c"


@attrs.frozen(kw_only=True)
class ServedNotes:
    """
    The viewers' sessions and origins (country or page) of the segments that an edge served.

    Attributes:
        seen: The latest time of each session of a video.
        unfollowed: The latest time of sessions that are not followed, for each organization.
        origins: The number of segments by video, UTC day, and country or page.
    """

    seen: tuple[SessionSeen, ...]
    unfollowed: tuple[UnfollowedSessions, ...]
    origins: tuple[OriginCount, ...]


@attrs.frozen(eq=False)
class NamedSession:
    """A viewer's session of a video, under the name that the service uses; compared by identity."""

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    name: str


class NamedSessions:
    """
    A cache of viewers' sessions, so that each name is computed once and not for every note.

    Args:
        names: Gives sessions the names that the service gives the same viewers.
        max_sessions: The number of sessions above which all are forgotten, to free memory.
        ttl_s: The seconds after which all are forgotten.
    """

    def __init__(
        self,
        names: SessionNames,
        max_sessions: int = MAX_SESSIONS,
        ttl_s: float = TTL_S,
    ) -> None:
        self._names = names
        self._max_sessions = max_sessions
        self._ttl_s = ttl_s
        self._forgot_s = time.monotonic()
        # By place and mark as they stand in a record; and of all heights the same.
        self._named: dict[tuple[bytes, bytes], NamedSession] = {}
        self._sessions: dict[tuple[VideoId, str], NamedSession] = {}

    def __len__(self) -> int:
        """Return the number of sessions in memory, counted separately for each video height."""
        return len(self._named)

    def make_room(self) -> None:
        """Forget all sessions if there are ``max_sessions``, or if the last time is ``ttl_s`` ago."""
        now_s = time.monotonic()
        is_old = now_s - self._forgot_s >= self._ttl_s
        if is_old or len(self._named) >= self._max_sessions:
            self._named.clear()
            self._sessions.clear()
            self._forgot_s = now_s

    def find(self, text: bytes, session: bytes) -> NamedSession:
        """
        Return the named session of a viewer, from the texts in a record of a tally file.

        Args:
            text: The organization, environment, video and height of the segments.
            session: The field with the mark of the viewer's session, such as `` s=0123456789abcdef``.
        """
        found = self._named.get((text, session))
        if found is not None:
            return found
        place = place_of(text)
        name = self._names.name_of(session.removeprefix(SESSION).decode())
        new = NamedSession(place.org_id, place.env_id, place.video_id, name)
        found = self._sessions.setdefault((place.video_id, name), new)
        self._named[text, session] = found
        return found


def read_notes(notes: Iterable[ServedNote], sessions: NamedSessions) -> ServedNotes:
    """
    Sum up the notes about viewers in tally files by session, organization and origin.

    Equal notes are parsed only once: where viewers' countries are known, every record has a note.
    """
    sessions.make_room()
    latest: dict[NamedSession, datetime] = {}
    unfollowed: dict[bytes, datetime] = {}
    went: dict[tuple[bytes, bytes, date], int] = {}
    for at, place, note, segments in notes:
        session, origin = _divide(note)
        if session == _UNFOLLOWED:
            org = place.partition(b" ")[0]
            unfollowed[org] = max(at, unfollowed.get(org, at))
        elif session:
            named = sessions.find(place, session)
            latest[named] = max(at, latest.get(named, at))
        if origin:
            key = (place, origin, at.date())
            went[key] = went.get(key, 0) + segments
    return ServedNotes(
        seen=tuple(_seen(named, at) for named, at in latest.items()),
        unfollowed=tuple(
            UnfollowedSessions(org_id=OrgId(org.decode()), at=at)
            for org, at in unfollowed.items()
        ),
        origins=_origins(went),
    )


def _divide(note: bytes) -> tuple[bytes, bytes]:
    """Return the session of a note, and the origin; each may be empty."""
    if not note.startswith(SESSION):
        return b"", note
    size = len(_UNFOLLOWED) if note.startswith(_UNFOLLOWED) else _SESSION_BYTES
    return note[:size], note[size:]


def _seen(named: NamedSession, at: datetime) -> SessionSeen:
    return SessionSeen(
        org_id=named.org_id,
        env_id=named.env_id,
        video_id=named.video_id,
        session=named.name,
        at=at,
    )


def _origins(went: dict[tuple[bytes, bytes, date], int]) -> tuple[OriginCount, ...]:
    places = {text: place_of(text) for text in {text for text, _, _ in went}}
    found: dict[OriginCount, int] = {}
    for (text, origin, day), segments in went.items():
        place = places[text]
        for part in origin.split():
            name, _, value_text = part.partition(b"=")
            value = value_text.decode()
            by = BreakdownBy.COUNTRY if name == _COUNTRY else BreakdownBy.REFERRER
            is_known = is_country if by is BreakdownBy.COUNTRY else is_referrer
            if is_known(value):
                one = OriginCount(
                    org_id=place.org_id,
                    env_id=place.env_id,
                    video_id=place.video_id,
                    day=day,
                    by=by,
                    value=value,
                    segments=0,
                )
                # Another height of the video, perhaps.
                found[one] = found.get(one, 0) + segments
    return tuple(
        attrs.evolve(one, segments=segments) for one, segments in found.items()
    )
