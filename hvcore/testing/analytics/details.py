"""The promises of an analytics sink that stores players' reports, countries and referrers."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

import pytest

from hvcore.domain.analytics.breakdown import (
    MAX_HOSTS,
    OTHER,
    BreakdownBy,
    BreakdownDay,
    SegmentOrigin,
)
from hvcore.domain.analytics.cmcd import MOST_TOLD
from hvcore.domain.analytics.playback_metrics import (
    METRICS,
    Measured,
    PlaybackQuality,
    PlayerReport,
)
from hvcore.domain.analytics.playback_quality import PlaybackQualityDay
from hvcore.domain.analytics.segments import (
    ALL_TIME,
    DateRange,
    Scope,
    SegmentServed,
    VideoScope,
)
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsReport, AnalyticsSink
from hvcore.testing.analytics.capabilities import CapableKit, reporting
from hvcore.testing.analytics.kit import Reopened
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    BreaksOffError,
    batch,
    came_from,
    cut_off,
    in_env,
    reported,
    segment,
)

OF_VIDEO: Final = VideoScope(video_id=VIDEO)
SILENT: Final = PlayerReport()
FAST: Final = PlayerReport(throughput_kbps=30_000, buffer_ms=20_000)
SLOW: Final = PlayerReport(
    has_starved=True, is_startup=True, throughput_kbps=400, bitrate_kbps=1_000
)


class QualityConformance(CapableKit):
    """The promises of an analytics sink that stores players' reports (AnalyticsReport.QUALITY)."""

    def test_reports_of_players_add_up_by_day(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Players' reports add up by day over batches and processes; a metric without a report stays empty."""
        tomorrow = NOON + timedelta(days=1)
        sink.write(batch(reported(SILENT), reported(SILENT, at=tomorrow)))
        sink.write(batch(reported(FAST), reported(SLOW), segment(), start=20))
        reopened().write(batch(reported(SLOW), file="kit-b.log"))
        expected = [
            PlaybackQualityDay(
                day=NOON.date(), quality=PlaybackQuality.of([SILENT, FAST, SLOW, SLOW])
            ),
            PlaybackQualityDay(
                day=tomorrow.date(), quality=PlaybackQuality.of([SILENT])
            ),
        ]

        for each in (sink, reopened()):
            assert _quality(each, OF_VIDEO) == expected
            assert _quality(each, in_env(ENV)) == expected
        assert expected[0].quality.throughput_kbps == Measured(
            count=3, total=30_800, least=400, most=30_000
        )
        assert expected[1].quality.throughput_kbps == Measured()

    def test_days_without_reports_of_players_are_left_out(
        self, sink: AnalyticsSink
    ) -> None:
        """A day without players' reports is left out, also if segments were served on it."""
        days = [NOON + timedelta(days=number) for number in range(4)]
        sink.write(batch(*(segment(at=at) for at in days)))
        sink.write(
            batch(reported(FAST, at=days[0]), reported(SLOW, at=days[3]), start=40)
        )
        expected = [days[0].date(), days[3].date()]

        for scope in (OF_VIDEO, in_env(ENV)):
            found = [one.day for one in _quality(sink, scope)]
            assert found == expected, "days without reports have reports"

    def test_every_metric_of_playback_is_kept(self, sink: AnalyticsSink) -> None:
        """Each declared playback metric is stored independently of the others."""
        values = {
            metric.key: PlayerReport.of({metric.report_field: 1}) for metric in METRICS
        }
        notes = [
            reported(report, f"vid_{key}", at=NOON + timedelta(days=day))
            for day, (key, report) in enumerate(values.items())
        ]
        sink.write(batch(*notes))

        found = [day.quality for day in _quality(sink, in_env(ENV))]
        assert found == [PlaybackQuality.of([report]) for report in values.values()]

    def test_the_least_and_the_greatest_outlast_what_comes_later(
        self, sink: AnalyticsSink
    ) -> None:
        """The sink keeps the lowest and the highest value of a metric, whatever values come later."""
        values = [500, MOST_TOLD, 0, 700]
        for number, value in enumerate(values):
            one = reported(PlayerReport(buffer_ms=value))
            sink.write(batch(one, start=number * 10))
        (found,) = _quality(sink, OF_VIDEO)

        assert found.quality.buffer_ms == Measured.of(values)

    def test_a_report_of_a_player_is_taken_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that is written twice adds its players' reports once."""
        one = batch(segment(), reported(SLOW))
        sink.write(one)
        sink.write(one)
        reopened().write(one)

        assert _reports(sink, OF_VIDEO) == 1

    def test_a_write_that_fails_keeps_nothing_that_was_told(
        self, sink: AnalyticsSink
    ) -> None:
        """A write that fails stores no players' reports, and the batch can be written again."""
        whole = batch(reported(FAST), reported(FAST, "vid_kit_2"))
        with pytest.raises(BreaksOffError):
            sink.write(cut_off(whole))

        assert _reports(sink, in_env(ENV)) == 0
        sink.write(whole)
        assert _reports(sink, in_env(ENV)) == 2

    def test_reports_of_players_are_those_of_a_scope_and_of_days(
        self, sink: AnalyticsSink
    ) -> None:
        """Players' reports are returned only of the given scope and days; a range of days includes both ends."""
        notes = [
            *(reported(SLOW, at=NOON + timedelta(days=days)) for days in range(3)),
            reported(SLOW, "vid_kit_2"),
            reported(SLOW, "vid_kit_3", env="live"),
            reported(SLOW, "vid_kit_4", org="org_other"),
        ]
        sink.write(batch(*notes))
        first = NOON.date()
        two_days = DateRange(first=first, last=first + timedelta(days=1))

        assert _reports(sink, OF_VIDEO) == 3
        assert _reports(sink, OF_VIDEO, two_days) == 2
        assert _reports(sink, in_env(ENV), two_days) == 3
        assert _reports(sink, in_env(ENV, "live")) == 5
        assert _reports(sink, in_env()) == 0
        assert _reports(sink, VideoScope(video_id=VideoId("vid_never"))) == 0


class BreakdownConformance(CapableKit):
    """The promises of an analytics sink that stores countries and referrers (AnalyticsReport.BREAKDOWN)."""

    def test_segments_of_a_day_are_broken_down_and_add_up(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Segments of a day are broken down by country and by referrer; those without either are returned as the rest."""
        page = "www.example.com"
        tomorrow = NOON + timedelta(days=1)
        sink.write(batch(*[segment()] * 3, came_from(country="DE", referrer=page)))
        sink.write(batch(segment(height_px=360), came_from(country="FR"), start=40))
        reopened().write(
            batch(
                segment(),
                came_from(country="DE"),
                segment(at=tomorrow),
                came_from(country="FR", at=tomorrow),
                file="kit-b.log",
            )
        )

        for each in (sink, reopened()):
            for scope in (OF_VIDEO, in_env(ENV)):
                assert _broken_down(each, scope, BreakdownBy.COUNTRY) == [
                    {"DE": 2, "FR": 1, None: 2},
                    {"FR": 1},
                ]
                assert _broken_down(each, scope, BreakdownBy.REFERRER) == [
                    {page: 1, None: 4},
                    {None: 1},
                ]

    def test_countries_of_segments_are_taken_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that is written twice adds its countries once."""
        one = batch(segment(), came_from(country="DE"))
        sink.write(one)
        sink.write(one)
        reopened().write(one)
        sink.write(batch(segment(), start=20))

        assert _broken_down(sink, OF_VIDEO) == [{"DE": 1, None: 1}]

    def test_a_write_that_fails_tells_nothing_of_where_segments_went(
        self, sink: AnalyticsSink
    ) -> None:
        """A write that fails stores no countries and referrers, and the batch can be written again."""
        sink.write(batch(segment()))
        whole = batch(
            segment(), came_from(country="DE"), came_from(country="FR"), start=10
        )
        with pytest.raises(BreaksOffError):
            sink.write(cut_off(whole))

        assert _broken_down(sink, OF_VIDEO) == [{None: 1}]

    def test_hosts_of_a_video_s_day_have_an_end(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """The first referrer hosts of a video's day are named; further hosts are counted together as others."""
        hosts = [f"host{number}.example" for number in range(MAX_HOSTS + 20)]
        first, later = hosts[:60], hosts
        tomorrow = NOON + timedelta(days=1)
        sink.write(batch(*_of_hosts(first)))
        reopened().write(batch(*_of_hosts(later), file="kit-b.log"))
        next_hosts = [hosts[-1], "fresh.example"]
        sink.write(batch(*_of_hosts(next_hosts, at=tomorrow), file="kit-c.log"))
        sink.write(batch(*_of_hosts(["new.example"]), file="kit-d.log"))
        beside = (segment("vid_2"), came_from("vid_2", referrer="new.example"))
        sink.write(batch(*beside, file="kit-e.log"))
        of_other = VideoScope(video_id=VideoId("vid_2"))
        today, next_day = _broken_down(sink, OF_VIDEO, BreakdownBy.REFERRER)

        assert sum(today.values()) == 60 + MAX_HOSTS + 20 + 1
        assert all(today[host] == 2 for host in first)
        assert len(today) == MAX_HOSTS + 1
        assert today[OTHER] == 21
        assert next_day == dict.fromkeys(next_hosts, 1)
        assert _broken_down(sink, of_other, BreakdownBy.REFERRER) == [
            {"new.example": 1}
        ]

    def test_countries_of_segments_are_those_of_a_scope_and_of_days(
        self, sink: AnalyticsSink
    ) -> None:
        """Countries are returned only of the given scope and days; a range of days includes both ends."""
        ones: list[tuple[str, str, str]] = [
            (VIDEO, ENV, "org_kit"),
            ("vid_kit_2", ENV, "org_kit"),
            ("vid_kit_3", "live", "org_kit"),
            ("vid_kit_4", ENV, "org_other"),
        ]
        for days in range(3):
            at = NOON + timedelta(days=days)
            notes = [
                note
                for video, env, org in ones
                for note in (
                    segment(video, env=env, org=org, at=at),
                    came_from(video, country="DE", env=env, org=org, at=at),
                )
            ]
            sink.write(batch(*notes, start=days * 80))
        first = NOON.date()
        two_days = DateRange(first=first, last=first + timedelta(days=1))
        nobody = VideoScope(video_id=VideoId("vid_never"))

        assert _broken_down(sink, OF_VIDEO, days=two_days) == [{"DE": 1}] * 2
        assert _broken_down(sink, in_env(ENV)) == [{"DE": 2}] * 3
        assert _broken_down(sink, in_env(ENV, "live")) == [{"DE": 3}] * 3
        assert _broken_down(sink, in_env()) == []
        assert _broken_down(sink, nobody) == []


def _of_hosts(
    hosts: Sequence[str], at: datetime = NOON
) -> list[SegmentServed | SegmentOrigin]:
    served = [segment(at=at) for _ in hosts]
    return [*served, *(came_from(referrer=host, at=at) for host in hosts)]


def _broken_down(
    sink: AnalyticsSink,
    scope: Scope,
    by: BreakdownBy = BreakdownBy.COUNTRY,
    days: DateRange = ALL_TIME,
) -> list[dict[str | None, int]]:
    """Return the segments of each day by country or referrer, oldest day first."""
    teller = reporting(sink, AnalyticsReport.BREAKDOWN)
    rows: Sequence[BreakdownDay] = teller.breakdown(scope, days, by)
    found: dict[date, dict[str | None, int]] = {}
    for row in rows:
        assert row.value not in found.get(row.day, {}), "a value twice"
        found.setdefault(row.day, {})[row.value] = row.segments
    assert list(found) == sorted(found)
    return list(found.values())


def _quality(
    sink: AnalyticsSink, scope: Scope, days: DateRange = ALL_TIME
) -> list[PlaybackQualityDay]:
    return list(reporting(sink, AnalyticsReport.QUALITY).quality(scope, days))


def _reports(sink: AnalyticsSink, scope: Scope, days: DateRange = ALL_TIME) -> int:
    return sum(day.quality.reports for day in _quality(sink, scope, days))
