"""
Encode and count the lines of spool files with details of a served segment: a player's report, and the request's origin.

A player's report: ``q``, milliseconds since 1970, organization, environment,
video, ``b`` if its buffer had run empty and ``s`` if it needed the segment at once
(else ``-``, each), and the throughput, the buffer and the bitrate (``-`` if it did
not tell); then ``key=number`` of each further metric that it told, of which unknown
ones are of a newer version. Where the request came from: ``f``, milliseconds,
organization, environment, video, country, and the host of the page (``-``, what is
not known). Other lines are of a newer version, and are skipped.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from hvcore.domain.analytics.breakdown import (
    OriginCount,
    SegmentOrigin,
    is_country,
    is_referrer,
    roll_up_origins,
)
from hvcore.domain.analytics.playback_metrics import (
    METRICS,
    PlayerReport,
    SumsAs,
)
from hvcore.domain.analytics.playback_quality import (
    PlaybackQualityCount,
    PlayerReported,
    roll_up_reports,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_REPORTED: Final = b"q "
_CAME: Final = b"f "
_NUMBER: Final = "([0-9]{1,7}|-)"
_REPORT: Final = re.compile(
    r"q ([0-9]{1,15}) ([^ ]+) ([^ ]+) ([^ ]+) "
    rf"([b-])([s-]) {_NUMBER} {_NUMBER} {_NUMBER}"
    r"((?: [a-z][a-z0-9_]*=[0-9]{1,7})*)"
)
# These have places of their own, which readers of any version know.
_PLACED: Final = frozenset(
    {"starved", "startups", "throughput_kbps", "buffer_ms", "bitrate_kbps"}
)
_KEYED: Final = tuple(metric for metric in METRICS if metric.key not in _PLACED)

_ORIGIN: Final = re.compile(
    r"f ([0-9]{1,15}) ([^ ]+) ([^ ]+) ([^ ]+) ([A-Z]{2}|-) ([a-z0-9._-]{1,253})"
)


def reported_text(reported: PlayerReported, at_ms: int) -> str:
    """Return the spool line of a player's report, without its checksum."""
    report = reported.report
    return (
        f"q {at_ms} {reported.org_id} {reported.env_id} {reported.video_id} "
        f"{'b' if report.has_starved else '-'}{'s' if report.is_startup else '-'} "
        f"{_shown(report.throughput_kbps)} {_shown(report.buffer_ms)} "
        f"{_shown(report.bitrate_kbps)}{_keyed(report) if _KEYED else ''}"
    )


def origin_text(origin: SegmentOrigin, at_ms: int) -> str:
    """Return the spool line of the origin of a request, without its checksum."""
    return (
        f"f {at_ms} {origin.org_id} {origin.env_id} {origin.video_id} "
        f"{origin.country or '-'} {origin.referrer or '-'}"
    )


def quality_counts(texts: Iterable[bytes]) -> tuple[PlaybackQualityCount, ...]:
    """Add up players' reports, by video and UTC day."""
    return roll_up_reports(_reports(texts))


def origin_counts(texts: Iterable[bytes]) -> tuple[OriginCount, ...]:
    """Count the origins of requests, by video and UTC day."""
    return roll_up_origins(_origins(texts))


def _origins(texts: Iterable[bytes]) -> Iterator[SegmentOrigin]:
    for text in texts:
        if not text.startswith(_CAME):
            continue
        match = _ORIGIN.fullmatch(text.decode("ascii", "replace"))
        moment = None if match is None else _moment(match[1])
        if match is None or moment is None:
            continue
        yield SegmentOrigin(
            org_id=OrgId(match[2]),
            env_id=EnvId(match[3]),
            video_id=VideoId(match[4]),
            country=match[5] if is_country(match[5]) else None,
            referrer=match[6] if is_referrer(match[6]) else None,
            at=moment,
        )


def _reports(texts: Iterable[bytes]) -> Iterator[PlayerReported]:
    for text in texts:
        if not text.startswith(_REPORTED):
            continue
        match = _REPORT.fullmatch(text.decode("ascii", "replace"))
        moment = None if match is None else _moment(match[1])
        if match is None or moment is None:
            continue
        yield PlayerReported(
            org_id=OrgId(match[2]),
            env_id=EnvId(match[3]),
            video_id=VideoId(match[4]),
            report=_report(match),
            at=moment,
        )


def _report(match: re.Match[str]) -> PlayerReport:
    placed = PlayerReport(
        has_starved=match[5] == "b",
        is_startup=match[6] == "s",
        throughput_kbps=_number(match[7]),
        buffer_ms=_number(match[8]),
        bitrate_kbps=_number(match[9]),
    )
    return placed.with_values(_by_key(match[10])) if match[10] else placed


def _moment(digits: str) -> datetime | None:
    try:
        return _EPOCH + timedelta(milliseconds=int(digits))
    except OverflowError:
        return None


def _shown(number: int | None) -> str:
    return "-" if number is None else str(number)


def _keyed(report: PlayerReport) -> str:
    values = ((metric.key, report.value_of(metric)) for metric in _KEYED)
    return "".join([f" {key}={value}" for key, value in values if value is not None])


def _by_key(text: str) -> dict[str, int]:
    values = dict(pair.split("=") for pair in text.split())
    fields: dict[str, int] = {}
    for metric in _KEYED:
        if metric.key in values:
            value = int(values[metric.key])
            is_number = metric.sums_as is SumsAs.NUMBERS
            fields[metric.report_field] = value if is_number else value > 0
    return fields


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
