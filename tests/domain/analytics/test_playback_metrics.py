"""
What is declared of a metric of playback leads from the player to the answer.
"""

import re
from datetime import UTC, datetime
from typing import Any

import attrs
import pytest

from hvcore.domain.analytics.cmcd import player_report
from hvcore.domain.analytics.playback_metrics import (
    COLUMNS,
    METRICS,
    Measured,
    PlaybackMetric,
    PlaybackQuality,
    PlayerReport,
    SumsAs,
)
from hvcore.domain.analytics.playback_quality import (
    PlaybackQualityDay,
    PlayerReported,
    VideoPlaybackQuality,
)
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.spool.lines import encode
from hvcore.spool.tally import read_lines
from hvcore.wire.analytics.video_reports import PLAYBACK_QUALITY, playback_quality

each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda one: one.key)
VIDEO = Video(
    id=VideoId("vid_1"),
    public_id=PublicId("pubvid_1"),
    org_id=OrgId("org_a"),
    env_id=EnvId("dev-1"),
    name="clip",
    state=VideoState.READY,
    is_public=False,
    settings=EncodingSettings(preset=Preset.HIGH),
    source_path="uploads/org_a/dev-1/up_1/x",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    upload_expires_at=datetime(2026, 1, 1, 1, tzinfo=UTC),
)
AT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


def report_of(metric: PlaybackMetric) -> PlayerReport:
    """
    Return what a player reports that tells this alone.
    """
    value = "=7" if metric.sums_as is SumsAs.NUMBERS else ""
    report = player_report(f"{metric.comes_from}{value}")
    assert report is not None
    return report


def sums_of(metric: PlaybackMetric, quality: PlaybackQuality) -> list[int | None]:
    names = {column.name for column in metric.columns}
    values = zip(COLUMNS, quality.to_columns(), strict=True)
    return [value for column, value in values if column.name in names]


def test_each_metric_is_a_field_of_what_is_told_and_of_what_is_kept() -> None:
    sent_names = [field.name for field in attrs.fields(PlayerReport)]
    summed = [field.name for field in attrs.fields(PlaybackQuality)]

    assert sent_names == [metric.report_field for metric in METRICS]
    assert summed == ["reports", *(metric.key for metric in METRICS)]


def test_no_two_metrics_share_a_name() -> None:
    columns = [column.name for column in COLUMNS]

    assert len(set(columns)) == len(columns)
    assert len({metric.comes_from for metric in METRICS}) == len(METRICS)
    assert len({metric.answer_name for metric in METRICS}) == len(METRICS)
    assert all(re.fullmatch("[a-z][a-z0-9_]*", metric.key) for metric in METRICS)


@each_metric
def test_a_player_tells_each_metric_by_its_key_of_cmcd(metric: PlaybackMetric) -> None:
    report = report_of(metric)

    sent_names = {one.key: report.value_of(one) for one in METRICS}
    expected = 7 if metric.sums_as is SumsAs.NUMBERS else 1
    assert sent_names == {**dict.fromkeys(sent_names), metric.key: expected}


@each_metric
def test_each_metric_comes_through_the_spool(metric: PlaybackMetric) -> None:
    reported = PlayerReported(
        org_id=OrgId("org_a"),
        env_id=EnvId("dev-1"),
        video_id=VideoId("vid_1"),
        report=report_of(metric),
        at=AT,
    )

    noted = read_lines([encode(reported).rstrip(b"\n")])

    (count,) = noted.quality
    is_number = metric.sums_as is SumsAs.NUMBERS
    assert sums_of(metric, count.quality) == ([1, 7, 7, 7] if is_number else [1])
    assert count.quality == PlaybackQuality.of([reported.report])


@each_metric
def test_the_columns_of_each_metric_say_what_was_told(metric: PlaybackMetric) -> None:
    quality = PlaybackQuality.of([report_of(metric), PlayerReport()])

    assert quality.to_columns()[0] == 2
    assert quality.reports_of(metric) == 1
    assert PlaybackQuality.from_columns(quality.to_columns()) == quality


def test_columns_without_any_report_are_nothing_told() -> None:
    assert PlaybackQuality.from_columns([None] * len(COLUMNS)) == PlaybackQuality.of([])


@each_metric
def test_each_metric_has_members_of_the_answer_and_its_schema(
    metric: PlaybackMetric,
) -> None:
    quality = PlaybackQuality.of([report_of(metric)])
    day = PlaybackQualityDay(day=AT.date(), quality=quality)

    answer: Any = playback_quality(VideoPlaybackQuality(video=VIDEO, days=[day]))

    (record,) = answer["playbackQuality"]
    schema: Any = PLAYBACK_QUALITY
    members = schema["properties"]["playbackQuality"]["items"]["properties"]
    assert list(record) == list(members)
    sent_names = {name for name in members if record[name] not in (0, "2026-01-02")}
    name, unit = metric.answer_name, metric.answer_unit
    expected = {"reports", f"{name}Reports"}
    if metric.sums_as is SumsAs.NUMBERS:
        first, rest = name[0].upper(), name[1:]
        expected |= {f"{kind}{first}{rest}{unit}" for kind in ("avg", "min", "max")}
    assert sent_names == expected


def test_numbers_of_nobody_have_no_mean() -> None:
    assert Measured().mean is None
