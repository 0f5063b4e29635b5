"""
What is noted of a segment that takes its time, or never arrives.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.spool import Spool, opened, spool_files
from hvcore.spool.tally import Noted
from tests.conftest import SettableClock
from tests.support.media_samples import VIDEO

PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)
VIEWER = Viewer(address="203.0.113.7", user_agent="a browser", report=PlayerReport())


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path)
    yield made
    made.close()


@pytest.fixture
def counter(spool: Spool, clock: SettableClock) -> SpooledCounter:
    sessions = SessionNotes(
        SessionNames("a secret of at least 32 characters"), most_of_one=100
    )
    return SpooledCounter(spool=spool, sessions=sessions, clock=clock)


def segment(counter: SpooledCounter) -> CountedSegment:
    return CountedSegment(counter, PLACE, None, VIEWER)


def noted(folder: Path) -> Noted:
    (path,) = spool_files(folder)
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    return chunk.noted


def test_a_segment_and_its_viewer_are_of_one_moment(
    counter: SpooledCounter, clock: SettableClock, tmp_path: Path
) -> None:
    segment(counter).count()

    found, now = noted(tmp_path), clock.now()
    (count,) = found.counts
    assert (count.segments, count.day) == (1, now.date())
    assert count.last_at == now.replace(microsecond=678_000)
    assert [one.at.date() for one in found.seen] == [now.date()]
    assert [one.day for one in found.quality] == [now.date()]


def test_a_viewer_is_noted_once_for_segments_that_follow_one_another(
    counter: SpooledCounter, tmp_path: Path
) -> None:
    segment(counter).count()
    segment(counter).count()

    found = noted(tmp_path)
    assert [count.segments for count in found.counts] == [2]
    assert len(found.seen) == 1
    lines = spool_files(tmp_path)[0].read_bytes().splitlines()
    assert sum(line.startswith(b"s ") for line in lines) == 1


def test_many_segments_of_a_place_are_the_same_line_for_a_tenth_of_a_second(
    counter: SpooledCounter, clock: SettableClock, tmp_path: Path
) -> None:
    """
    Each counts; moments are those of the first one, and never of another tenth.
    """
    begun = clock.now()
    for _ in range(30):
        segment(counter).count()
        clock.move(timedelta(milliseconds=10))

    written = spool_files(tmp_path)[0].read_bytes().splitlines()
    moments = [text.split()[0] for text in written if text[:1].isdigit()]
    (found,) = noted(tmp_path).counts
    assert (found.segments, len(set(moments))) == (30, 4)
    assert found.first_at == begun.replace(microsecond=678_000)
    assert timedelta(0) <= clock.now() - found.last_at < timedelta(milliseconds=111)


def test_no_line_is_of_the_minute_before(
    counter: SpooledCounter, clock: SettableClock, tmp_path: Path
) -> None:
    clock.move(
        timedelta(seconds=59)
        - timedelta(
            seconds=clock.now().second, microseconds=clock.now().microsecond - 999_000
        )
    )
    segment(counter).count()
    clock.move(timedelta(milliseconds=1))
    segment(counter).count()

    assert [one.segments for one in noted(tmp_path).minutes] == [1, 1]


def test_a_response_that_is_not_counted_is_noted_with_its_reason(
    counter: SpooledCounter, tmp_path: Path
) -> None:
    counter.ignore(PLACE, IgnoredReason.NOT_MODIFIED)

    (ignored,) = noted(tmp_path).ignored
    assert (ignored.place.reason, ignored.requests) == (IgnoredReason.NOT_MODIFIED, 1)
