"""
Name the sessions of viewers, so that nobody can tell from a name who it was.

A session is what a viewer's token names (each signed address and each view of
a share link has a token of its own), else what the player calls it (CMCD
``sid``), else the viewer's address together with the browser's name. Names are
keyed hashes, made in two steps: a mark, which whoever serves a viewer can make
(the script of an nginx in front, too), and of it the name, which only the
service makes. Marks of addresses change with the UTC day; addresses are neither
kept nor logged.
"""

import base64
import hashlib
import hmac
import logging
from datetime import UTC, datetime
from typing import Final

import attrs

from hvcore.domain.playback.viewer import Viewer

NAME_BYTES: Final = 12
"""Two of a billion viewers have one name with a chance of 1 in 10**11."""
NOTED_EVERY_S: Final = 6.5
"""
Who comes is noted at once; who goes is missed too early by as much, of the ten seconds
within which it shows. Longer than a segment plays, so who watches steadily is noted with every second.
"""
MARK_DIGITS: Final = 20
"""Hexadecimal ones: 80 bits, which tell a billion viewers apart likewise."""
MAX_FOLLOWED: Final = 100_000
"""Sessions of a process at a time, about 25 MB; further ones are not noted."""

TURN_S: Final = 60.0
"""After two of them without a note a session is forgotten."""
_DAY_S: Final = 86_400
_DAY_MS: Final = _DAY_S * 1000
_NOTED_EVERY_MS: Final = int(NOTED_EVERY_S * 1000)
_TURN_MS: Final = int(TURN_S * 1000)
_WARN_EVERY_MS: Final = 600_000

_log = logging.getLogger(__name__)


def mark_key(secret: str) -> str:
    """
    Return the key of marks; the same on every machine.

    Args:
        secret: As of ``SessionNames``.
    """
    key = secret.encode()
    return hmac.new(key, b"hvcore viewer marks", hashlib.sha256).hexdigest()


class SessionNames:
    """
    Names sessions; every process with the same secret gives the same names.

    Args:
        secret: Of at least 32 characters, shared by all machines.
    """

    def __init__(self, secret: str) -> None:
        purpose = b"hvcore viewer sessions\n"
        self._key = hashlib.sha256(purpose + secret.encode()).digest()
        self._mark_key = mark_key(secret).encode()

    def name(self, token: str | None, viewer: Viewer, at: datetime) -> str:
        """
        Return the name of a viewer's session.

        Args:
            token: What opened the video, if a token did.
        """
        return self.name_of(self.mark(token, viewer, at))

    def name_of(self, mark: str) -> str:
        """
        Return the name of the session that a mark stands for.
        """
        digest = hashlib.blake2b(
            mark.encode(), key=self._key, digest_size=NAME_BYTES
        ).digest()
        return base64.urlsafe_b64encode(digest).decode()

    def mark(self, token: str | None, viewer: Viewer, at: datetime) -> str:
        """
        Return what stands for a session, as an nginx in front makes it, too.

        Args:
            token: As of name.
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
    A session that is to be noted.

    Attributes:
        mark: Stands for it in this process.
        since_ms: When it became due, in milliseconds since 1970.
    """

    name: str
    mark: int
    since_ms: int


class SessionNotes:
    """
    Tells which sessions are to be noted now; thread-safe.

    A session that was noted a moment ago is not due again. Who was not noted for
    two turns is forgotten: whoever watches is noted far more often.
    """

    def __init__(self, names: SessionNames, max_followed: int = MAX_FOLLOWED) -> None:
        self._names = names
        self._max_followed = max_followed
        # When a session was noted, and its name; by a hash that means nothing
        # outside of this process. In this turn, and in the one before.
        self._recent: dict[int, tuple[int, str]] = {}
        self._earlier: dict[int, tuple[int, str]] = {}
        self._turned_ms = self._warned_ms = 0

    def due(
        self, video_id: str, token: str | None, viewer: Viewer, at_ms: int
    ) -> DueSession | None:
        """
        Return the session if it is to be noted, else None.

        It is due until it was noted.

        Args:
            at_ms: Milliseconds since 1970.
        """
        mark = hash(
            (video_id, token)
            if token is not None
            else (
                video_id,
                viewer.player_session,
                # The player's own name is enough.
                viewer.player_session is None and (viewer.address, viewer.user_agent),
            )
        )
        noted = self._recent.get(mark)
        # Nearly always. Both ways here and below, or a clock that was set back
        # would stop it.
        if noted is not None and -_NOTED_EVERY_MS < at_ms - noted[0] < _NOTED_EVERY_MS:
            return None
        return self._due(mark, token, viewer, at_ms)

    def noted(self, session: DueSession) -> None:
        """
        Remember that a session was noted.
        """
        self._recent[session.mark] = (session.since_ms, session.name)
        self._earlier.pop(session.mark, None)

    def _due(
        self, mark: int, token: str | None, viewer: Viewer, at_ms: int
    ) -> DueSession | None:
        if abs(at_ms - self._turned_ms) >= _TURN_MS:
            self._turn(at_ms)
        noted = self._recent.get(mark) or self._earlier.get(mark)
        if noted is None:
            if len(self._recent) + len(self._earlier) >= self._max_followed:
                self._warn(at_ms)
                return None
            name = self._name(token, viewer, at_ms)
        else:
            noted_ms, name = noted
            if abs(at_ms - noted_ms) < _NOTED_EVERY_MS:
                return None
            if at_ms // _DAY_MS != noted_ms // _DAY_MS:
                name = self._name(token, viewer, at_ms)
        return DueSession(name, mark, at_ms)

    def _name(self, token: str | None, viewer: Viewer, at_ms: int) -> str:
        at = datetime.fromtimestamp(at_ms / 1000, UTC)
        return self._names.name(token, viewer, at)

    def _turn(self, at_ms: int) -> None:
        is_next = abs(at_ms - self._turned_ms) < 2 * _TURN_MS
        # First of all: another thread shall not do it once more.
        self._turned_ms = at_ms
        self._earlier = self._recent if is_next else {}
        self._recent = {}

    def _warn(self, at_ms: int) -> None:
        if abs(at_ms - self._warned_ms) >= _WARN_EVERY_MS:
            self._warned_ms = at_ms
            _log.warning(
                "more viewers than a process follows; the rest is not counted",
                extra={"hv_followed": self._max_followed},
            )
