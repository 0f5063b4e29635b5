"""Invented segments, requests and reports for the analytics kits, and batches of them."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import attrs

from hvcore.domain.analytics.breakdown import SegmentOrigin, roll_up_origins
from hvcore.domain.analytics.ignored import (
    IgnoredPlace,
    IgnoredReason,
    IgnoredRequest,
    roll_up_ignored,
)
from hvcore.domain.analytics.live import (
    SessionSeen,
    UnfollowedSessions,
    latest_seen,
)
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.playback_quality import PlayerReported, roll_up_reports
from hvcore.domain.analytics.segments import (
    BatchId,
    EnvironmentScope,
    MinuteCount,
    SegmentPlace,
    SegmentServed,
    ServedBatch,
    roll_up,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId

ORG: Final = OrgId("org_kit")
ENV: Final = EnvId("dev")
VIDEO: Final = VideoId("vid_kit_1")
NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
SEGMENT_BYTES: Final = 10
"""The bytes that each note takes in an invented spool file."""

_ItemT = TypeVar("_ItemT")


class BreaksOffError(Exception):
    """The error that a batch of ``cut_off`` raises while it is read."""


class _CutOff(tuple[_ItemT, ...]):
    """A sequence that raises BreaksOffError before its last item."""

    __slots__ = ()

    def __iter__(self) -> Iterator[_ItemT]:
        yield from self[:-1]
        raise BreaksOffError


def segment(
    video: str = VIDEO,
    *,
    height_px: int = 720,
    env: str = ENV,
    org: str = ORG,
    at: datetime = NOON,
) -> SegmentServed:
    """Return an invented served segment."""
    place = SegmentPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=height_px,
    )
    return SegmentServed(place=place, at=at)


def ignored(  # noqa: PLR0913 - what a request is
    reason: IgnoredReason = IgnoredReason.HEAD,
    video: str = VIDEO,
    *,
    height_px: int = 720,
    env: str = ENV,
    org: str = ORG,
    at: datetime = NOON,
) -> IgnoredRequest:
    """Return an invented request that was not counted, with the reason."""
    place = IgnoredPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=height_px,
        reason=reason,
    )
    return IgnoredRequest(place=place, at=at)


def seen(
    session: str,
    video: str = VIDEO,
    *,
    env: str = ENV,
    org: str = ORG,
    at: datetime = NOON,
) -> SessionSeen:
    """Return an invented record that a viewer session was served a segment of a video."""
    return SessionSeen(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        session=session,
        at=at,
    )


def unfollowed(*, org: str = ORG, at: datetime = NOON) -> UnfollowedSessions:
    """Return an invented record that an organization has more viewer sessions than are followed."""
    return UnfollowedSessions(org_id=OrgId(org), at=at)


def reported(
    report: PlayerReport,
    video: str = VIDEO,
    *,
    env: str = ENV,
    org: str = ORG,
    at: datetime = NOON,
) -> PlayerReported:
    """Return an invented record that a player of a video has sent the given report."""
    return PlayerReported(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        report=report,
        at=at,
    )


def came_from(  # noqa: PLR0913 - what an origin is
    video: str = VIDEO,
    *,
    country: str | None = None,
    referrer: str | None = None,
    env: str = ENV,
    org: str = ORG,
    at: datetime = NOON,
) -> SegmentOrigin:
    """Return an invented record of the country and the referrer of a video's served segment."""
    return SegmentOrigin(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        country=country,
        referrer=referrer,
        at=at,
    )


def batch(
    *notes: SegmentServed
    | IgnoredRequest
    | SessionSeen
    | UnfollowedSessions
    | PlayerReported
    | SegmentOrigin,
    file: str = "kit-a.log",
    start: int = 0,
) -> ServedBatch:
    """Return a batch of the given records, each of which takes 10 bytes of the spool file."""
    served = [note for note in notes if isinstance(note, SegmentServed)]
    return ServedBatch(
        id=BatchId(file=file, start=start, end=start + SEGMENT_BYTES * len(notes)),
        counts=roll_up(served),
        minutes=by_minute(served),
        ignored=roll_up_ignored(n for n in notes if isinstance(n, IgnoredRequest)),
        seen=latest_seen(n for n in notes if isinstance(n, SessionSeen)),
        unfollowed=tuple(n for n in notes if isinstance(n, UnfollowedSessions)),
        quality=roll_up_reports(n for n in notes if isinstance(n, PlayerReported)),
        origins=roll_up_origins(n for n in notes if isinstance(n, SegmentOrigin)),
    )


def taken_back(counted: ServedBatch) -> ServedBatch:
    """Return a batch that subtracts the counts and minutes of the given one."""
    return attrs.evolve(
        counted,
        counts=tuple(attrs.evolve(c, segments=-c.segments) for c in counted.counts),
        minutes=tuple(attrs.evolve(m, segments=-m.segments) for m in counted.minutes),
    )


def by_minute(served: Iterable[SegmentServed]) -> tuple[MinuteCount, ...]:
    """Count segments by place and minute."""
    found = Counter((one.place, minute_of(one.at)) for one in served)
    return tuple(
        MinuteCount(place=place, minute=minute, segments=segments)
        for (place, minute), segments in found.items()
    )


def minute_of(at: datetime) -> int:
    """Return the minute of a moment, in whole minutes since 1970."""
    return int(at.timestamp()) // 60


def cut_off(whole: ServedBatch) -> ServedBatch:
    """Return a copy of a batch that raises BreaksOffError where its last count would come."""
    return attrs.evolve(
        whole,
        counts=_CutOff(whole.counts),
        minutes=_CutOff(whole.minutes),
        ignored=_CutOff(whole.ignored),
        seen=_CutOff(whole.seen),
        unfollowed=_CutOff(whole.unfollowed),
        quality=_CutOff(whole.quality),
        origins=_CutOff(whole.origins),
    )


def in_env(*envs: str, org: str = ORG) -> EnvironmentScope:
    """Return the scope of the given environments of an organization."""
    return EnvironmentScope(
        org_id=OrgId(org), env_ids=frozenset(EnvId(env) for env in envs)
    )


def many(*, seed: int, count: int) -> Sequence[SegmentServed]:
    """
    Return invented segments of 30 days, of three environments in two organizations.

    The same seed gives the same segments. Some are at the first or last millisecond of
    a day; identifiers have characters that need escaping in SQL, JSON and paths.
    """
    chance = random.Random(seed)  # noqa: S311 - made-up data
    envs = [(ORG, "dev"), (ORG, "Live-2"), ("org_%_'x", "dev")]
    # A video belongs to one environment.
    videos = [(f"vid_{n}", *envs[n % len(envs)]) for n in range(9)]
    made = []
    for _ in range(count):
        video, org, env = chance.choice(videos)
        day = timedelta(days=chance.randrange(30))
        in_day_ms = chance.choice([0, 86_399_999, chance.randrange(86_400_000)])
        midnight = NOON - timedelta(hours=12)
        made.append(
            segment(
                video,
                org=org,
                env=env,
                height_px=chance.choice([144, 360, 720, 1080]),
                at=midnight + day + timedelta(milliseconds=in_day_ms),
            )
        )
    return made


def batches_of(served: Sequence[SegmentServed], *, files: int) -> list[ServedBatch]:
    """Cut segments into batches of up to 40, which belong to several files in turn."""
    ends = [0] * files
    made = []
    for number, first in enumerate(range(0, len(served), 40)):
        own = number % files
        made.append(
            batch(*served[first : first + 40], file=f"kit-{own}.log", start=ends[own])
        )
        ends[own] = made[-1].id.end
    return made
