"""
Made-up deliveries for the kits: segments, and batches of them.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

import attrs

from hvcore.domain.analytics import (
    BatchId,
    EnvironmentScope,
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
"""What each segment takes of an invented spool file."""

_ItemT = TypeVar("_ItemT")


class BreaksOffError(Exception):
    """
    What a batch raises that is cut off.
    """


class _CutOff(tuple[_ItemT, ...]):
    """
    Items of which the last one never comes.
    """

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
    """
    Return one segment that was served.
    """
    place = SegmentPlace(
        org_id=OrgId(org),
        env_id=EnvId(env),
        video_id=VideoId(video),
        height_px=height_px,
    )
    return SegmentServed(place=place, at=at)


def batch(
    *served: SegmentServed, file: str = "kit-a.log", start: int = 0
) -> ServedBatch:
    """
    Return the batch of these segments; each is 10 bytes long.
    """
    end = start + SEGMENT_BYTES * len(served)
    return ServedBatch(
        id=BatchId(file=file, start=start, end=end), counts=roll_up(served)
    )


def cut_off(whole: ServedBatch) -> ServedBatch:
    """
    Return a batch that raises BreaksOffError where its last count would come.
    """
    return attrs.evolve(whole, counts=_CutOff(whole.counts))


def in_env(*envs: str, org: str = ORG) -> EnvironmentScope:
    """
    Return the scope of some environments.
    """
    return EnvironmentScope(
        org_id=OrgId(org), env_ids=frozenset(EnvId(env) for env in envs)
    )


def many(*, seed: int, count: int) -> Sequence[SegmentServed]:
    """
    Return deliveries of 30 days to three environments of two organizations.

    The same ones for the same seed. Some lie at the ends of days; identifiers
    have what SQL, JSON and paths must not stumble over.
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
    """
    Cut deliveries into batches of up to 40, in turn of several files.
    """
    ends = [0] * files
    made = []
    for number, first in enumerate(range(0, len(served), 40)):
        own = number % files
        made.append(
            batch(*served[first : first + 40], file=f"kit-{own}.log", start=ends[own])
        )
        ends[own] = made[-1].id.end
    return made
