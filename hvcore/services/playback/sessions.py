"""
Begin playback sessions, and take the reports of players about them.

A session's token is made here and names the video, the day, the device class and the
country, so a report can be about nothing else. It holds no address and no name.
"""

import hashlib
import hmac
import re
import secrets
import threading
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.analytics.breakdown import is_country
from hvcore.domain.analytics.playback_sessions import (
    MAX_SESSION_S,
    SECONDS_PER_REPORT,
    SLACK_MS,
    DeviceClass,
    PlaybackSession,
    SessionFigures,
    device_of,
    most_reports,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId, is_edge_key_id
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    RateLimitExceededError,
    UnauthorizedError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.playback_tokens import TokenUse
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore
from hvcore.services.access.quotas import delivery_exceeded
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.playable import Playable
from hvcore.throttling.shares import client_of_address

MOST_BEGUN_BY_ONE: Final = 120
"""Sessions that one address begins in a minute in a process; an office has one address."""
RETENTION: Final = timedelta(seconds=2 * MAX_SESSION_S)
MOST_BATCHES: Final = 20
MOST_CLIENTS: Final = 20_000
"""Clients of which a process counts the sessions that they begin in a minute."""
MOST_AT_ONCE: Final = 4
"""Calls of a process to the store at a time: the other threads play videos meanwhile."""
NAME_CHARS: Final = (22, 64)
"""The fewest and most characters of the name that a player gives a session."""
_MINUTE_S: Final = 60
_NAME: Final = re.compile(rf"[A-Za-z0-9_-]{{{NAME_CHARS[0]},{NAME_CHARS[1]}}}")
_ID_BYTES: Final = 15
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
        retired: Earlier ones, whose signatures are still good.
    """

    def __init__(self, secret: str, *retired: str) -> None:
        purpose = b"hvcore playback sessions\n"
        self._keys = [
            hashlib.sha256(purpose + each.encode()).digest()
            for each in (secret, *retired)
        ]

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
        return f"{text}{_BETWEEN}{self._signatures(text)[0]}"

    def read(self, token: str, now: datetime) -> PlaybackSession:
        """
        Return the session that a token names.

        Raises:
            UnauthorizedError: The token was not made here, or its day is over.
        """
        text, _, signature = token.rpartition(_BETWEEN)
        given = signature.encode("utf-8", "replace")
        is_ours = any(
            hmac.compare_digest(given, made.encode()) for made in self._signatures(text)
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

    def _signatures(self, text: str) -> Sequence[str]:
        data = text.encode("utf-8", "replace")
        return [hmac.digest(key, data, "sha256").hex()[:32] for key in self._keys]


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
        by_edge_key: Returns the video that an edge key opens to a viewer, or raises.
        country_header: The header in which the proxy in front sends the viewer's country,
            in lower case; empty if no proxy is trusted.
    """

    access: PlaybackAuthorization
    by_edge_key: Callable[[str, Viewer], Playable]
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

    def begin(self, video: str, viewer: Viewer, name: str | None = None) -> str:
        """
        Begin a session of a viewer who may watch a video, and return its token.

        Args:
            video: The id of the video, or an edge key.
            name: A random name that the player has made for the session: a beginning that is
                sent again counts once. None counts each.

        Raises:
            UnauthorizedError: A private video without a valid token.
            ForbiddenError: A token for another video, use or page; or an edge key that has
                expired, is revoked, or is for another page.
            NotFoundError: No such edge key.
            VideoNotFoundError: No such video, or none that is ready.
            QuotaExceededError: The video's owner has used up the delivery quota.
            InvalidParametersError: The name is too short, too long, or has other characters.
            RateLimitExceededError: The viewer's address has begun too many.
            UnavailableError: The store does not answer.
        """
        if name is None:
            name = secrets.token_urlsafe(16)
        elif not _NAME.fullmatch(name):
            raise _bad_name(name)
        if is_edge_key_id(video):
            found = self.by_edge_key(video, viewer)
        else:
            found = self.access.either(video, viewer, _PLAYBACK)
        now = self.clock.now()
        if not found.may_begin:
            raise delivery_exceeded(now)
        self._count(viewer.address, now)
        session = PlaybackSession(
            id="",
            org_id=found.place.org_id,
            env_id=found.place.env_id,
            video_id=found.place.video_id,
            began_at=now,
            device=device_of(viewer.user_agent),
            country=self._country(viewer),
        )
        session = attrs.evolve(session, id=_id_of(session, name))
        with self._place():
            counted = self.store.begin(session)
        return self.tokens.write(counted)

    def report(self, token: str, number: int, figures: SessionFigures) -> None:
        """
        Store the figures of a session in place of its earlier ones.

        A report that is there already, or that a later one has overtaken, changes nothing.

        Args:
            number: The number of the report within the session, from 1 on.

        Raises:
            UnauthorizedError: The token was not made here, or its day is over.
            InvalidParametersError: The figures tell of more time than has passed.
            VideoNotFoundError: The video has been deleted since.
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
                "This session reports too often: every 60 seconds, and at the end.",
                headers={"Retry-After": str(SECONDS_PER_REPORT)},
            )
        if self.access.is_deleted(session.video_id):
            # Its sums may be erased already.
            raise VideoNotFoundError(rule=PlaybackRule.VIDEO_DELETED)
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


def _id_of(session: PlaybackSession, name: str) -> str:
    """
    Return the id of a session that a player has named.

    It depends on all that a token holds but the moment: who knows a name can put
    nothing into the figures of another video, device class or country.
    """
    parts = (
        name,
        session.org_id,
        session.env_id,
        session.video_id,
        session.device.value,
        session.country,
    )
    digest = hashlib.sha256(_BETWEEN.join(parts).encode()).digest()
    return urlsafe_b64encode(digest[:_ID_BYTES]).decode()


def _bad_name(name: str) -> InvalidParametersError:
    fewest, most = NAME_CHARS
    rule = f"must have {fewest} to {most} letters, digits, - and _"
    return InvalidParametersError(
        f"name {rule}.",
        errors=(FieldError(message=rule, location="body.name", value=name[:most]),),
    )
