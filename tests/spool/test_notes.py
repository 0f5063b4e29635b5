"""
Lines of all kinds are read as they were written, and lines of no known form are skipped.
"""

import zlib
from datetime import UTC, datetime, timedelta

import attrs
import pytest

from hvcore.domain.analytics.breakdown import SegmentOrigin, roll_up_origins
from hvcore.domain.analytics.ignored import (
    IgnoredPlace,
    IgnoredReason,
    IgnoredRequest,
)
from hvcore.domain.analytics.live import SessionSeen, UnfollowedSessions
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.playback_quality import PlayerReported, roll_up_reports
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.spool import (
    encode_all,
    encode_ignored,
    encode_seen,
    encode_segment,
    encode_unfollowed,
)
from hvcore.spool.lines import Note
from hvcore.spool.tally import Noted, read_lines

ORG, ENV, VIDEO = OrgId("org_a"), EnvId("dev-1"), VideoId("vid_1")
PLACE = SegmentPlace(org_id=ORG, env_id=ENV, video_id=VIDEO, height_px=720)
REASON = next(iter(IgnoredReason))
DAY = datetime(2026, 1, 3, tzinfo=UTC)
MOMENTS = [
    datetime(1970, 1, 1, tzinfo=UTC),
    DAY,
    DAY + timedelta(hours=23, minutes=59, seconds=59, milliseconds=999),
    datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
]
SESSION = "abcdefgh"
NOTHING = read_lines([])


def read(*notes: Note) -> Noted:
    return read_lines(encode_all(notes).splitlines())


def read_text(*texts: str | bytes) -> Noted:
    found = [text.encode() if isinstance(text, str) else text for text in texts]
    return read_lines([b"%s %08x" % (text, zlib.crc32(text)) for text in found])


def ignored(at: datetime) -> IgnoredRequest:
    place = IgnoredPlace(**attrs.asdict(PLACE), reason=REASON)
    return IgnoredRequest(place=place, at=at)


def seen(at: datetime, session: str = SESSION) -> SessionSeen:
    return SessionSeen(org_id=ORG, env_id=ENV, video_id=VIDEO, session=session, at=at)


@pytest.mark.parametrize("at", MOMENTS)
def test_a_note_is_read_as_it_was_written(at: datetime) -> None:
    unfollowed = UnfollowedSessions(org_id=ORG, at=at)

    found = read(SegmentServed(place=PLACE, at=at), ignored(at), seen(at), unfollowed)

    (count,), (minute,), (of_no_count,) = found.counts, found.minutes, found.ignored
    assert (count.place, count.segments, count.day) == (PLACE, 1, at.date())
    assert count.first_at == count.last_at == at
    assert (minute.place, minute.segments) == (PLACE, 1)
    assert minute.minute == int(at.timestamp()) // 60
    assert of_no_count.place == ignored(at).place
    assert (of_no_count.day, of_no_count.requests) == (at.date(), 1)
    assert found.seen == (seen(at),)
    assert found.unfollowed == (unfollowed,)
    assert found.damaged == 0


@pytest.mark.parametrize(
    "report",
    [
        PlayerReport(),
        PlayerReport(has_starved=True),
        PlayerReport(is_startup=True, throughput_kbps=0),
        PlayerReport(throughput_kbps=1, buffer_ms=2, bitrate_kbps=3),
        PlayerReport(buffer_ms=9_999_999),
    ],
)
@pytest.mark.parametrize("at", MOMENTS)
def test_a_players_report_is_read_as_it_was_written(
    report: PlayerReport, at: datetime
) -> None:
    note = PlayerReported(org_id=ORG, env_id=ENV, video_id=VIDEO, report=report, at=at)

    assert read(note).quality == roll_up_reports([note])


@pytest.mark.parametrize("country", [None, "DE"])
@pytest.mark.parametrize("referrer", [None, "www.example.com", "a" * 63 + ".b_c-d.e"])
def test_the_origin_of_a_request_is_read_as_it_was_written(
    country: str | None, referrer: str | None
) -> None:
    note = SegmentOrigin(
        org_id=ORG,
        env_id=ENV,
        video_id=VIDEO,
        country=country,
        referrer=referrer,
        at=DAY,
    )

    assert read(note).origins == roll_up_origins([note])


def test_lines_are_the_same_whoever_writes_them() -> None:
    at_ms = int(DAY.timestamp() * 1000)

    assert encode_all([SegmentServed(place=PLACE, at=DAY)]) == encode_segment(
        PLACE, at_ms
    )
    assert encode_all([ignored(DAY)]) == encode_ignored(PLACE, REASON, at_ms)
    assert encode_all([seen(DAY)]) == encode_seen(PLACE, SESSION, at_ms)
    assert encode_all([UnfollowedSessions(org_id=ORG, at=DAY)]) == encode_unfollowed(
        PLACE, at_ms
    )


@pytest.mark.parametrize("times", [(1, 2, 0), (2, 1, 0), (0, 1, 2), (2, 0, 1)])
def test_of_several_lines_of_a_session_the_latest_is_told(
    times: tuple[int, ...],
) -> None:
    moments = [DAY + timedelta(seconds=time) for time in times]

    found = read(
        *(seen(at) for at in moments),
        *(seen(at, "ijklmnop") for at in moments[:1]),
        *(UnfollowedSessions(org_id=ORG, at=at) for at in moments),
    )

    assert [one.at for one in found.seen] == [max(moments), moments[0]]
    assert [one.at for one in found.unfollowed] == [max(moments)]


def test_ignored_requests_are_counted_by_day() -> None:
    last = DAY + timedelta(days=1, milliseconds=-1)

    found = read(*(ignored(at) for at in (DAY, last, last + timedelta(milliseconds=1))))

    assert [(one.day.day, one.requests) for one in found.ignored] == [(3, 2), (4, 1)]


VIDEO_TEXT = f"{ORG} {ENV} {VIDEO}"
FORMS = {
    "n": f"{VIDEO_TEXT} 0 {REASON.value}",
    "s": f"{VIDEO_TEXT} {SESSION}",
    "u": ORG,
    "t": f"{VIDEO_TEXT} 720",
    "q": f"{VIDEO_TEXT} bs 1 2 3",
    "f": f"{VIDEO_TEXT} DE example.com",
}
"""The fields behind the moment in a line of the spool, by the kind of the line."""


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize(
    "at", ["", "x", "-1", "1.5", "9" * 15, "1" + "0" * 15, "0" * 16, "²"]
)
def test_a_line_whose_moment_is_none_is_skipped(kind: str, at: str) -> None:
    assert read_text(f"{kind} {at} {FORMS[kind]}") == NOTHING


@pytest.mark.parametrize("kind", FORMS)
def test_a_line_with_a_part_too_few_or_too_many_is_skipped(kind: str) -> None:
    form = FORMS[kind]

    assert read_text(f"{kind} 1 {form}") != NOTHING
    assert read_text(f"{kind} 1 {form} more") == NOTHING
    assert read_text(f"{kind} 1 {form.rpartition(' ')[0]} ") == NOTHING
    assert read_text(f"{kind}{kind} 1 {form}") == NOTHING
    assert read_text(f"{kind} 1 {form}".encode()[:-1] + b"\xff") == NOTHING


@pytest.mark.parametrize(
    "text",
    [
        f"n 1 {VIDEO_TEXT} x {REASON.value}",
        f"n 1 {VIDEO_TEXT} 0 of_a_newer_version",
        f"s 1 {VIDEO_TEXT} no!session",
        f"t 1 {VIDEO_TEXT} high",
        f"q 1 {VIDEO_TEXT} bx 1 2 3",
        f"q 1 {VIDEO_TEXT} bs 12345678 2 3",
        f"q 1 {VIDEO_TEXT} bs 1 2 3 Key=1",
        f"f 1 {VIDEO_TEXT} DEU example.com",
        f"f 1 {VIDEO_TEXT} DE {'a' * 254}",
    ],
)
def test_a_line_with_an_unknown_word_is_skipped(text: str) -> None:
    assert read_text(text) == NOTHING


def test_skipped_lines_keep_no_other_from_being_read() -> None:
    bad = [f"{kind} {'9' * 15} {form}" for kind, form in FORMS.items()]
    good = [f"{kind} 1 {form}" for kind, form in FORMS.items()]

    assert read_text(*bad, *good) == read_text(*good)
