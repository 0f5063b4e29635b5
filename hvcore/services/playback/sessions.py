"""
Begin playback sessions, and take the reports of players about them.

A session's token is made here and names the video, the day, the device class and the
country, so a report can be about nothing else. It holds no address and no name.
"""

import hashlib
import hmac
import secrets
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics.breakdown import is_country
from hvcore.domain.analytics.playback_sessions import (
    MAX_SESSION_S,
    SLACK_MS,
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    device_of,
    most_reports,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    RateLimitExceededError,
    UnauthorizedError,
    UnavailableError,
)
from hvcore.playback_tokens import TokenUse
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.throttling.shares import client_of_address

MOST_BEGUN_BY_ONE: Final = 120
"""Sessions that one address begins in a minute in a process; an office has one address."""
RETENTION: Final = timedelta(seconds=2 * MAX_SESSION_S)
MOST_BATCHES: Final = 20
MOST_CLIENTS: Final = 20_000
"""Clients of which a process counts the sessions that they begin in a minute."""
MOST_AT_ONCE: Final = 4
"""Calls of a process to the store at a time: the other threads play videos meanwhile."""
_MINUTE_S: Final = 60
_PLAYBACK: Final = frozenset({TokenUse.PLAYBACK})
_BETWEEN: Final = "~"
_PARTS: Final = 8
_MILLISECOND: Final = timedelta(milliseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class SessionTokens:
    """
    Write and read the tokens of playback sessions.

    Args:
        secret: A secret of at least 32 characters, shared by all machines.
    """

    def __init__(self, secret: str) -> None:
        purpose = b"hvcore playback sessions\n"
        self._key = hashlib.sha256(purpose + secret.encode()).digest()

    def write(self, session: PlaybackSession) -> str:
        """Return the token of a session."""
        parts = (
            session.id,
            session.org_id,
            session.env_id,
            session.video_id,
            str((session.began_at - _EPOCH) // _MILLISECOND),
            session.device.value,
            session.country,
        )
        text = _BETWEEN.join(parts)
        return f"{text}{_BETWEEN}{self._signature(text)}"

    def read(self, token: str, now: datetime) -> PlaybackSession:
        """
        Return the session that a token names.

        Raises:
            UnauthorizedError: The token was not made here, or its day is over.
        """
        text, _, signature = token.rpartition(_BETWEEN)
        is_ours = hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._signature(text).encode()
        )
        parts = text.split(_BETWEEN)
        if not is_ours or len(parts) != _PARTS - 1:
            raise UnauthorizedError("The session is none that this service began.")
        name, org_id, env_id, video_id, began_ms, device, country = parts
        began_at = _EPOCH + int(began_ms) * _MILLISECOND
        if (now - began_at).total_seconds() > MAX_SESSION_S:
            raise UnauthorizedError("The session is over: it began a day ago.")
        return PlaybackSession(
            id=name,
            org_id=OrgId(org_id),
            env_id=EnvId(env_id),
            video_id=VideoId(video_id),
            began_at=began_at,
            device=DeviceClass(device),
            country=country,
        )

    def _signature(self, text: str) -> str:
        data = text.encode("utf-8", "replace")
        return hmac.digest(self._key, data, "sha256").hex()[:32]


@attrs.define(kw_only=True)
class _Turn:
    """The sessions that each client has begun in a minute, by a hash of the client's address."""

    minute: int = 0
    begun: Counter[int] = attrs.field(factory=Counter)


@attrs.frozen(kw_only=True)
class PlaybackSessions:
    """
    Begin playback sessions, and store what players report about them; thread-safe.

    Attributes:
        access: Decides who may watch which video.
        country_header: The header in which the proxy in front sends the viewer's country,
            in lower case; empty if no proxy is trusted.
    """

    access: PlaybackAuthorization
    store: PlaybackSessionStore
    tokens: SessionTokens
    clock: Clock
    country_header: str = ""
    _turn: _Turn = attrs.field(factory=_Turn, init=False, eq=False, repr=False)
    _lock: threading.Lock = attrs.field(
        factory=threading.Lock, init=False, eq=False, repr=False
    )
    _places: threading.Semaphore = attrs.field(
        factory=partial(threading.Semaphore, MOST_AT_ONCE),
        init=False,
        eq=False,
        repr=False,
    )

    def begin(self, video: str, viewer: Viewer) -> str:
        """
        Begin a session of a viewer who may watch a video, and return its token.

        Raises:
            UnauthorizedError: A private video without a valid token.
            ForbiddenError: A token for another video, use or page.
            VideoNotFoundError: No such video, or none that is ready.
            RateLimitExceededError: The viewer's address has begun too many.
            UnavailableError: The store does not answer.
        """
        found = self.access.either(video, viewer, _PLAYBACK)
        now = self.clock.now()
        self._count(viewer.address, now)
        session = PlaybackSession(
            id=secrets.token_urlsafe(12),
            org_id=found.place.org_id,
            env_id=found.place.env_id,
            video_id=found.place.video_id,
            began_at=now,
            device=device_of(viewer.user_agent),
            country=self._country(viewer),
        )
        with self._place():
            self.store.begin(session)
        return self.tokens.write(session)

    def report(self, token: str, number: int, figures: SessionFigures) -> None:
        """
        Store the figures of a session in place of its earlier ones.

        A report that is there already, or that a later one has overtaken, changes nothing.

        Args:
            number: The number of the report within the session, from 1 on.

        Raises:
            UnauthorizedError: The token was not made here, or its day is over.
            InvalidParametersError: The figures tell of more time than has passed.
            RateLimitExceededError: The session reports too often.
            UnavailableError: The store does not answer.
        """
        now = self.clock.now()
        session = self.tokens.read(token, now)
        age = max(now - session.began_at, timedelta())
        # Without the startup time: it begins before the service hears of the session.
        if figures.spent_ms > age // _MILLISECOND + SLACK_MS:
            told = "more time than has passed since the session began"
            raise InvalidParametersError(
                f"playedMs and rebufferingMs together are {told}.",
                errors=(
                    FieldError(
                        message=f"is, with rebufferingMs, {told}",
                        location="body.playedMs",
                        value=figures.played_ms,
                    ),
                ),
            )
        if number > most_reports(age.total_seconds()):
            raise RateLimitExceededError(
                "This session reports too often: every 60 seconds, and at the end."
            )
        with self._place():
            self.store.report(session, number, figures)

    def forget_old(self) -> None:
        """Delete sessions that are over, a limited number at a time; their sums stay."""
        before = self.clock.now() - RETENTION
        for _ in range(MOST_BATCHES):
            if not self.store.forget(before):
                break

    def _count(self, address: str, now: datetime) -> None:
        minute = int(now.timestamp()) // _MINUTE_S
        client = hash(client_of_address(address))
        with self._lock:
            if self._turn.minute != minute:
                self._turn.minute = minute
                self._turn.begun.clear()
            begun = self._turn.begun
            is_known = client in begun or len(begun) < MOST_CLIENTS
            if is_known and begun[client] < MOST_BEGUN_BY_ONE:
                begun[client] += 1
                return
        raise RateLimitExceededError(
            f"At most {MOST_BEGUN_BY_ONE} sessions a minute begin at one address.",
            headers={"Retry-After": str(_MINUTE_S)},
        )

    @contextmanager
    def _place(self) -> Iterator[None]:
        """
        Take one of the places of calls to the store.

        Raises:
            UnavailableError: All places are taken: the store is slow.
        """
        if not self._places.acquire(blocking=False):
            raise UnavailableError("Reports of playback sessions wait; report later.")
        try:
            yield
        finally:
            self._places.release()

    def _country(self, viewer: Viewer) -> str:
        if self.country_header:
            for name, value in viewer.countries:
                if name == self.country_header:
                    return value if is_country(value) else ""
        return ""
