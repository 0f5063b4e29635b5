"""
Playback sessions: what a viewer's player measured from the beginning to the end.

A session's figures are cumulative, and its last report replaces the earlier ones. They
are summed by UTC day, device class and country; single sessions are forgotten.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId

MAX_SESSION_S: Final = 86_400
"""A session's token is good for a day."""
MAX_STARTUP_MS: Final = 120_000
MAX_COUNT: Final = 1_000
"""The most interruptions, and the most errors, that a report may name."""
SLACK_MS: Final = 5_000
"""Clocks of browsers and of this service run apart by less."""
EARLY_REPORTS: Final = 5
SECONDS_PER_REPORT: Final = 20
MOST_COUNTRIES: Final = 50
"""Countries that a video's sessions of a day are told apart by; others count as not known."""
BUCKET: Final = "bucket_"
"""The beginning of the names of measures that count startup times of about one length."""
QUANTILE_ERROR: Final = 0.05
"""The most that a quantile may be off, as a part of the exact one."""

_RATIO: Final = (1 + QUANTILE_ERROR) ** 2
_BOUNDS: Final = tuple(
    dict.fromkeys(
        math.ceil(_RATIO**step)
        for step in range(math.ceil(math.log(MAX_STARTUP_MS) / math.log(_RATIO)) + 1)
    )
)
"""The first milliseconds of each bucket of startup times but the lowest, which is 0."""


class DeviceClass(Enum):
    """Name the classes of devices, as the browser's name tells them."""

    PHONE = "phone"
    TABLET = "tablet"
    DESKTOP = "desktop"
    TV = "tv"
    OTHER = "other"


class SessionsBy(Enum):
    """Name the subjects by which the sessions of a day are told apart."""

    DAY = "day"
    DEVICE = "device"
    COUNTRY = "country"


_TV: Final = (
    *("smart-tv", "smarttv", "appletv", "googletv", "android tv", "bravia"),
    *("hbbtv", "web0s", "webos.tv", "tizen", "crkey", "roku", "aft"),
)
_DESKTOP: Final = ("windows nt", "macintosh", "x11;")


def device_of(user_agent: str) -> DeviceClass:
    """
    Return the device class of a browser's name; iPads that call themselves Macs are desktops.

    Args:
        user_agent: The header ``User-Agent``; empty if there is none.
    """
    name = user_agent.lower()
    if any(word in name for word in _TV):
        return DeviceClass.TV
    is_android = "android" in name
    if "ipad" in name or "tablet" in name or (is_android and "mobile" not in name):
        return DeviceClass.TABLET
    if "iphone" in name or "ipod" in name or "mobile" in name:
        return DeviceClass.PHONE
    if any(word in name for word in _DESKTOP):
        return DeviceClass.DESKTOP
    return DeviceClass.OTHER


@attrs.frozen(kw_only=True)
class PlaybackSession:
    """
    A playback session that this service began.

    Attributes:
        id: A random name, which tells nothing about the viewer.
        country: Two letters; empty if it is not known.
    """

    id: str
    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    began_at: datetime
    device: DeviceClass
    country: str = ""

    @property
    def day(self) -> date:
        """The UTC day on which all of the session counts."""
        return self.began_at.astimezone(UTC).date()


@attrs.frozen(kw_only=True)
class SessionFigures:
    """
    Hold the figures of a session from its beginning to now.

    Attributes:
        startup_ms: The time from the wish to play to the first picture; None if there
            was none yet.
        played_ms: How long the video ran, by the clock.
        rebuffering_ms: How long it stood still after it had begun, because the buffer was
            empty.
        rebufferings: How often it did.
        errors: How often playback ended with an error.
    """

    startup_ms: int | None = None
    played_ms: int = 0
    rebuffering_ms: int = 0
    rebufferings: int = 0
    errors: int = 0

    @property
    def spent_ms(self) -> int:
        """The milliseconds that must have passed since the first picture."""
        return self.played_ms + self.rebuffering_ms

    def measures(self) -> Counter[str]:
        """Return the amounts that a session adds to the sums of its day, by measure."""
        found = Counter(
            {
                "reported": 1,
                "played_ms": self.played_ms,
                "rebuffering_ms": self.rebuffering_ms,
                "rebufferings": self.rebufferings,
                "errors": self.errors,
            }
        )
        if self.startup_ms is not None:
            found["started"] = 1
            found["startup_ms"] = self.startup_ms
            found[f"{BUCKET}{bisect_right(_BOUNDS, self.startup_ms)}"] = 1
        return found


BEGUN: Final = Counter({"begun": 1})
"""The amounts that the beginning of a session adds to the sums of its day, by measure."""


@attrs.frozen(kw_only=True)
class SessionSums:
    """
    Hold the sums of the sessions of a day, or of a part of them.

    Attributes:
        value: The device class or the country; "" where all are meant, or not known.
        measures: The sums by the measure's name; see SessionFigures.measures.
    """

    day: date
    value: str = ""
    measures: Mapping[str, int]

    def of(self, measure: str) -> int:
        """Return the sum of a measure."""
        return self.measures.get(measure, 0)

    @property
    def reported_share(self) -> float:
        """
        The share of the begun sessions that reported; 0 if none began.

        A restored database may know the reports of sessions whose beginning it has lost.
        """
        begun = self.of("begun")
        return min(1.0, self.of("reported") / begun) if begun else 0.0

    @property
    def rebuffering_share(self) -> float:
        """The share of the time after startup that was spent rebuffering."""
        stalled = self.of("rebuffering_ms")
        spent = self.of("played_ms") + stalled
        return stalled / spent if spent else 0.0

    @property
    def mean_startup_ms(self) -> float:
        """The arithmetic mean of the startup times; 0 if there are none."""
        started = self.of("started")
        return self.of("startup_ms") / started if started else 0.0

    def startup_quantile_ms(self, part: float) -> float:
        """
        Return a quantile of the startup times; 0 if there are none.

        It is off by at most QUANTILE_ERROR, or by a millisecond.

        Args:
            part: 0.5 is the median.
        """
        rank = max(1, math.ceil(part * self.of("started")))
        passed = 0
        for bucket in range(len(_BOUNDS) + 1):
            passed += self.of(f"{BUCKET}{bucket}")
            if passed >= rank:
                return _middle_ms(bucket)
        return 0.0


def most_reports(age_s: float) -> int:
    """Return the highest number that a session's report may have at an age."""
    return EARLY_REPORTS + int(age_s) // SECONDS_PER_REPORT


def _middle_ms(bucket: int) -> float:
    if bucket == 0:
        return 0.0
    first = _BOUNDS[bucket - 1]
    last = _BOUNDS[bucket] - 1 if bucket < len(_BOUNDS) else first
    return round(math.sqrt(first * last), 1)
