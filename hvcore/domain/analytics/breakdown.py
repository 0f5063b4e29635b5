"""
Breakdowns: served segments by the viewer's country and by the page of the player.

Counted are segments of a video's UTC day. Viewers are not recorded: a country
has many of them, and of a page only the host is stored.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from typing import Final, TypeAlias

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.videos.video import Video

MAX_HOSTS: Final = 100
"""Of a video's day. Anybody can send any host, and each is a row for ever."""
OTHER: Final = "(other)"
"""All further ones together; no host has such a name."""
MAX_HOST_CHARS: Final = 253
"""Of a host's name (RFC 1035, section 2.3.4)."""

_COUNTRY: Final = re.compile("[A-Z]{2}")
# What those who tell countries say of an address that they do not know.
_NO_COUNTRY: Final = frozenset({"XX", "ZZ"})
_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?")


class BreakdownBy(Enum):
    """Name the properties by which a breakdown counts segments: country or referrer."""

    COUNTRY = "country"
    REFERRER = "referrer"


def is_country(text: str) -> bool:
    """Return whether a text is a country code (ISO 3166-1, two letters)."""
    return _COUNTRY.fullmatch(text) is not None and text not in _NO_COUNTRY


def is_referrer(text: str) -> bool:
    """Return whether a text is a host name that may be counted as a referrer, not an IP."""
    return (
        len(text) <= MAX_HOST_CHARS
        and _HOST.fullmatch(text) is not None
        and not text.rpartition(".")[2].isdigit()
    )


@attrs.frozen(kw_only=True)
class SegmentOrigin:
    """
    Record the destination of one served segment: the viewer's country and page.

    Attributes:
        country: The viewer's country code; None if it is not known.
        referrer: The host of the page that played the video; None if it is not known.
    """

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    country: str | None
    referrer: str | None
    at: datetime


@attrs.frozen(kw_only=True)
class OriginCount:
    """Count a video's served segments of one UTC day and one country or page."""

    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    day: date
    by: BreakdownBy
    value: str
    segments: int


@attrs.frozen(kw_only=True)
class BreakdownDay:
    """
    Count the served segments of one UTC day and one country or page.

    Attributes:
        value: The country or the page's host; None counts segments for which it is not
            known.
    """

    day: date
    value: str | None
    segments: int


@attrs.frozen(kw_only=True)
class VideoBreakdown:
    """
    Break the served segments of a video down by day and by country or page.

    Attributes:
        rows: The counts, oldest day first; the rows of a day add up to all segments
            counted on it.
        is_stored: Whether an analytics sink stores the origins of segments.
    """

    video: Video
    by: BreakdownBy
    rows: Sequence[BreakdownDay]
    is_stored: bool


@attrs.frozen(kw_only=True)
class EnvironmentBreakdown:
    """
    Break the served segments of environments down by day and by country or page.

    Attributes:
        rows: The counts, oldest day first; the rows of a day add up to all segments
            counted on it.
        is_stored: Whether an analytics sink stores the origins of segments.
    """

    by: BreakdownBy
    rows: Sequence[BreakdownDay]
    is_stored: bool

    @property
    def totals(self) -> Sequence[tuple[str | None, int]]:
        """Each country or page with its segments of all days, the most segments first."""
        found: dict[str | None, int] = {}
        for row in self.rows:
            found[row.value] = found.get(row.value, 0) + row.segments
        return sorted(found.items(), key=lambda one: (-one[1], one[0] or ""))


KnownHosts: TypeAlias = Mapping[tuple[VideoId, date], Collection[str]]
_Key: TypeAlias = tuple[OrgId, EnvId, VideoId, date, BreakdownBy, str]


def roll_up_origins(origins: Iterable[SegmentOrigin]) -> tuple[OriginCount, ...]:
    """
    Count segments by video and UTC day, once by country and once by referrer.

    A segment is part of both counts. A segment without a known country is left out of
    the first count, one without a referrer out of the second.
    """
    found: dict[_Key, int] = {}
    for one in origins:
        day = one.at.astimezone(UTC).date()
        for by, value in (
            (BreakdownBy.COUNTRY, one.country),
            (BreakdownBy.REFERRER, one.referrer),
        ):
            if value is not None:
                key = (one.org_id, one.env_id, one.video_id, day, by, value)
                found[key] = found.get(key, 0) + 1
    return _counts(found)


def with_few_hosts(
    counts: Iterable[OriginCount], known: KnownHosts
) -> tuple[OriginCount, ...]:
    """
    Count at most MAX_HOSTS page hosts per video and day; the rest becomes ``OTHER``.

    Hosts that are stored already keep their names, then the hosts with the most
    segments.

    Args:
        known: The hosts that are stored already, by video and day; ``OTHER`` may be
            among them.
    """
    hosts = {key: set(names) - {OTHER} for key, names in known.items()}
    found: dict[_Key, int] = {}
    for one in sorted(counts, key=lambda one: (-one.segments, one.value)):
        value = one.value
        if one.by is BreakdownBy.REFERRER:
            own = hosts.setdefault((one.video_id, one.day), set())
            if value in own or len(own) < MAX_HOSTS:
                own.add(value)
            else:
                value = OTHER
        key = (one.org_id, one.env_id, one.video_id, one.day, one.by, value)
        found[key] = found.get(key, 0) + one.segments
    return _counts(found)


def with_unknown(
    known: Iterable[tuple[date, str, int]], every: Mapping[date, int]
) -> list[BreakdownDay]:
    """
    Return rows by day and value, and add a row for the segments without a known value.

    Args:
        known: UTC day, country or page, and number of segments.
        every: The number of all counted segments by day.

    Returns:
        The rows, oldest day first; within a day, the most segments first.
    """
    left = dict(every)
    rows = []
    for day, value, segments in known:
        rows.append(BreakdownDay(day=day, value=value, segments=segments))
        left[day] = left.get(day, 0) - segments
    rows += [
        BreakdownDay(day=day, value=None, segments=segments)
        for day, segments in left.items()
        if segments > 0
    ]
    return sorted(rows, key=lambda row: (row.day, -row.segments, row.value or ""))


def _counts(found: Mapping[_Key, int]) -> tuple[OriginCount, ...]:
    return tuple(
        OriginCount(
            org_id=org_id,
            env_id=env_id,
            video_id=video_id,
            day=day,
            by=by,
            value=value,
            segments=segments,
        )
        for (org_id, env_id, video_id, day, by, value), segments in found.items()
    )
