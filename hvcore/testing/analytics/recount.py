"""A model of an analytics store that counts every answer again from all deliveries."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TypeVar

import attrs

from hvcore.domain.analytics.segments import (
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    SegmentServed,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.ids import EnvId, VideoId

_KeyT = TypeVar("_KeyT")


@attrs.frozen
class Recount:
    """Answers the questions of an AnalyticsStore by plain counting of all deliveries."""

    everything: Sequence[SegmentServed]

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        """Return the number of segments served of each video, over all days."""
        wanted = [one for one in self.everything if one.place.video_id in videos]
        found = _grouped(wanted, lambda one: one.place.video_id)
        return {video_id: len(ones) for video_id, ones in found.items()}

    def by_environment(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentServed]:
        """Return the segments served of each environment, over all days and since a day."""
        ones = self._within(scope, DateRange())
        return {
            env_id: EnvironmentServed(
                segments=len(of_env),
                segments_since=sum(one.at.date() >= since for one in of_env),
                last_at=max(one.at for one in of_env),
            )
            for env_id, of_env in _grouped(ones, lambda one: one.place.env_id).items()
        }

    def totals(self, scope: Scope, days: DateRange) -> ServedTotals:
        """Return the totals of the segments served in a range of days."""
        ones = self._within(scope, days)
        return ServedTotals(
            segments=len(ones),
            days=len({one.at.date() for one in ones}),
            first_at=min((one.at for one in ones), default=None),
            last_at=max((one.at for one in ones), default=None),
        )

    def daily(self, scope: Scope, days: DateRange) -> Sequence[DayCount]:
        """Return the segments served per day of a range, oldest first."""
        by_day = _grouped(self._within(scope, days), lambda one: one.at.date())
        return [
            DayCount(
                day=day,
                videos=len({one.place.video_id for one in ones}),
                heights={
                    px: len(of_height)
                    for px, of_height in _grouped(ones, _height).items()
                },
            )
            for day, ones in by_day.items()
        ]

    def by_height(self, scope: Scope, days: DateRange) -> Sequence[HeightCount]:
        """Return the segments served per height in a range of days, lowest first."""
        return [
            HeightCount(
                height_px=px,
                segments=len(ones),
                videos=len({one.place.video_id for one in ones}),
                days=len({one.at.date() for one in ones}),
                first_at=min(one.at for one in ones),
                last_at=max(one.at for one in ones),
            )
            for px, ones in _grouped(self._within(scope, days), _height).items()
        ]

    def _within(self, scope: Scope, days: DateRange) -> list[SegmentServed]:
        first, last = days.first or date.min, days.last or date.max
        return [
            one
            for one in self.everything
            if _is_in(one, scope) and first <= one.at.date() <= last
        ]


def _is_in(one: SegmentServed, scope: Scope) -> bool:
    if isinstance(scope, VideoScope):
        return one.place.video_id == scope.video_id
    return one.place.org_id == scope.org_id and one.place.env_id in scope.env_ids


def _height(one: SegmentServed) -> int:
    return one.place.height_px


def _grouped(
    ones: Iterable[SegmentServed], key: Callable[[SegmentServed], _KeyT]
) -> dict[_KeyT, list[SegmentServed]]:
    found: dict[_KeyT, list[SegmentServed]] = {}
    for one in ones:
        found.setdefault(key(one), []).append(one)
    return dict(sorted(found.items()))
