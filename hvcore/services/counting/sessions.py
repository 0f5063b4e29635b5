"""
Name the sessions of viewers, so that a name does not reveal the viewer.

A session is the viewer's token (each signed address and each view of a share link has
its own), else the player's session id (CMCD ``sid``), else the viewer's address
together with the browser's name. Names are keyed hashes, made in two
steps: a mark, which also the script of an nginx in front can make, and from it the
name, which only the service makes. Marks of addresses change with the UTC day;
addresses are neither stored nor logged.
"""

import base64
import hashlib
import hmac
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Final

import attrs

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import UnavailableError
from hvcore.throttling.shares import SharedCapacity

NAME_BYTES: Final = 12
"""Among a billion viewers, two have the same name with a chance of 1 in 10**11."""
NOTED_EVERY_S: Final = 6.5
"""
New viewers are noted at once; viewers who leave disappear up to this much early,
within the ten seconds that a change may take. Longer than a segment plays, so a
steady viewer is noted with every second segment.
"""
MARK_DIGITS: Final = 20
"""Hexadecimal digits of a mark: 80 bits, enough to tell a billion viewers apart."""
ALL_SHARES: Final = 5
"""
A process follows at most as many sessions of all organizations as five of them may
have, about 25 MB with the share's default. The last of it goes only to newcomers.
"""
NEWCOMERS_SHARE: Final = 20
"""A client that holds no more than this part of a share is a newcomer."""

PERIOD_S: Final = 60.0
"""A session that is not recorded for two periods is forgotten."""
_DAY_S: Final = 86_400
_DAY_MS: Final = _DAY_S * 1000
_NOTED_EVERY_MS: Final = int(NOTED_EVERY_S * 1000)
_PERIOD_MS: Final = int(PERIOD_S * 1000)


def mark_key(secret: str) -> str:
    """
    Return the key that makes marks of sessions; the same on every machine.

    Args:
        secret: The secret of ``SessionNames``.
    """
    key = secret.encode()
    return hmac.new(key, b"hvcore viewer marks", hashlib.sha256).hexdigest()


class SessionNames:
    """
    Name the sessions of viewers; every process with the same secret gives the same names.

    Args:
        secret: A secret of at least 32 characters, shared by all machines.
    """

    def __init__(self, secret: str) -> None:
        purpose = b"hvcore viewer sessions\n"
        self._key = hashlib.sha256(purpose + secret.encode()).digest()
        self._mark_key = mark_key(secret).encode()

    def name(self, token: str | None, viewer: Viewer, at: datetime) -> str:
        """
        Return the name of a viewer's session.

        Args:
            token: The token that opened the video; None if no token did.
        """
        return self.name_of(self.mark(token, viewer, at))

    def name_of(self, mark: str) -> str:
        """Return the name of the session with the given mark."""
        digest = hashlib.blake2b(
            mark.encode(), key=self._key, digest_size=NAME_BYTES
        ).digest()
        return base64.urlsafe_b64encode(digest).decode()

    def mark(self, token: str | None, viewer: Viewer, at: datetime) -> str:
        """
        Return the mark of a viewer's session; an nginx in front makes the same one.

        Args:
            token: The token that opened the video; None if no token did.
        """
        if token is not None:
            text = f"token {token}".encode("utf-8", "replace")
        elif viewer.player_session is not None:
            text = f"player {viewer.player_session}".encode("utf-8", "replace")
        else:
            day = int(at.timestamp()) // _DAY_S
            # The bytes that came: servers read headers as Latin-1.
            text = f"viewer {day} {viewer.address} {viewer.user_agent}".encode(
                "latin-1", "replace"
            )
        return hmac.digest(self._mark_key, text, "sha1").hex()[:MARK_DIGITS]


@attrs.frozen
class DueSession:
    """
    A viewer's session that is to be recorded now.

    Attributes:
        name: The session's name; None if it is not followed, because the organization has
            more sessions than are followed.
    """

    name: str | None


UNFOLLOWED: Final = DueSession(None)


@attrs.define
class _Turn:
    """
    The sessions that were noted in a minute or so.

    Attributes:
        noted: When, and the name, by a hash that means nothing outside of this
            process.
        sessions: How many of them each organization has.
    """

    noted: dict[int, tuple[int, str | None]] = attrs.field(factory=dict)
    sessions: Counter[str] = attrs.field(factory=Counter)


class SessionNotes:
    """
    Choose the viewers' sessions to record now; thread-safe.

    A session that was just recorded is not due again. A session that was not recorded for
    two periods is forgotten; sessions that go on watching are recorded far more often.

    Args:
        most_of_one: The most sessions of one organization that are followed at a time.
    """

    def __init__(self, names: SessionNames, *, most_of_one: int) -> None:
        self._names = names
        self._lock = threading.Lock()
        self._followed = SharedCapacity(
            name="live_sessions_of_one",
            capacity=ALL_SHARES * most_of_one,
            most_of_one=most_of_one,
            reserved_for_newcomers=most_of_one,
            newcomers_hold=most_of_one // NEWCOMERS_SHARE,
            things="viewers",
        )
        self._recent, self._earlier = _Turn(), _Turn()
        self._turned_ms = 0

    def due(
        self, place: SegmentPlace, token: str | None, viewer: Viewer, at_ms: int
    ) -> DueSession | None:
        """
        Return a viewer's session if it is to be recorded now, else None; the caller records it.

        Args:
            place: The video and rung of a segment that was served in the session.
            at_ms: Milliseconds since 1970.
        """
        mark = hash(
            (place.video_id, token)
            if token is not None
            else (
                place.video_id,
                viewer.player_session,
                # The player's own name is enough.
                viewer.player_session is None and (viewer.address, viewer.user_agent),
            )
        )
        # Nearly always.
        if self._is_recent(mark, at_ms):
            return None
        with self._lock:
            return self._due(mark, place.org_id, token, viewer, at_ms)

    def _is_recent(self, mark: int, at_ms: int) -> bool:
        noted = self._recent.noted.get(mark) or self._earlier.noted.get(mark)
        # Both ways, or a clock that was set back would stop it.
        return noted is not None and abs(at_ms - noted[0]) < _NOTED_EVERY_MS

    def _due(
        self, mark: int, org_id: str, token: str | None, viewer: Viewer, at_ms: int
    ) -> DueSession | None:
        if abs(at_ms - self._turned_ms) >= _PERIOD_MS:
            self._turn(at_ms)
        if self._is_recent(mark, at_ms):
            # Another thread was quicker.
            return None
        noted = self._recent.noted.get(mark) or self._earlier.noted.get(mark)
        if noted is None and not self._follow(org_id):
            return self._unfollowed(org_id, at_ms)
        name = noted[1] if noted and _is_same_day(at_ms, noted[0]) else None
        if name is None:
            at = datetime.fromtimestamp(at_ms / 1000, UTC)
            name = self._names.name(token, viewer, at)
        self._note(mark, at_ms, name, org_id)
        return DueSession(name)

    def _follow(self, org_id: str) -> bool:
        try:
            self._followed.acquire(org_id)
        except UnavailableError:
            return False
        return True

    def _unfollowed(self, org_id: str, at_ms: int) -> DueSession | None:
        mark = hash(("unfollowed", org_id))
        if self._is_recent(mark, at_ms):
            return None
        self._recent.noted[mark] = (at_ms, None)
        return UNFOLLOWED

    def _note(self, mark: int, at_ms: int, name: str, org_id: str) -> None:
        if mark not in self._recent.noted:
            self._recent.sessions[org_id] += 1
        if self._earlier.noted.pop(mark, None) is not None:
            self._earlier.sessions[org_id] -= 1
        self._recent.noted[mark] = (at_ms, name)

    def _turn(self, at_ms: int) -> None:
        is_next = abs(at_ms - self._turned_ms) < 2 * _PERIOD_MS
        self._turned_ms = at_ms
        self._forget(self._earlier)
        if not is_next:
            self._forget(self._recent)
        self._earlier = self._recent if is_next else _Turn()
        self._recent = _Turn()

    def _forget(self, turn: _Turn) -> None:
        for org_id, sessions in turn.sessions.items():
            self._followed.release(org_id, sessions)


def _is_same_day(one_ms: int, other_ms: int) -> bool:
    return one_ms // _DAY_MS == other_ms // _DAY_MS
