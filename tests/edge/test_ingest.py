"""
Counts of the edge come to the sinks once each, whatever the workers of nginx do.
"""

import mmap
from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import Services
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.segments import (
    ALL_TIME,
    SegmentPlace,
    VideoScope,
)
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.analytics import (
    SupportsReports,
)
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.sessions import SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore_edge.tallies import tally_files
from tests.edge.ingested_tallies import (
    BEGAN,
    MINUTE,
    SEGMENTS_AT,
    VIDEO,
    Behind,
    Moody,
    Mute,
    counted,
    ingest,
    locked,
    record,
    write,
)
from tests.edge.written_tallies import tally, write_tally


def test_a_served_segment_is_counted_once(services: Services, folder: Path) -> None:
    reading = ingest(services)
    is_all = [reading.run_once()]
    write(folder, record(2), record(3, " c=DE"))
    is_all.append(reading.run_once())
    write(folder, record())

    again = (reading, reading, ingest(services), ingest(services))
    is_all += [one.run_once() for one in again]

    assert counted(services) == 6
    assert is_all == [True] * 6


def test_a_segment_is_counted_in_the_minute_of_its_serving(
    services: Services, folder: Path
) -> None:
    write(folder, record(2))
    write(folder, record(3))

    ingest(services).run_once()

    store, scope = services.analytics_store, VideoScope(video_id=VIDEO)
    totals = store.totals(scope, ALL_TIME)
    assert (totals.segments, totals.days) == (5, 1)
    assert totals.first_at == BEGAN + timedelta(milliseconds=5_678)
    assert totals.last_at == BEGAN + timedelta(milliseconds=6_789)
    assert [day.heights for day in store.daily(scope, ALL_TIME)] == [{720: 5}]
    assert isinstance(store, SupportsReports)
    minutes = store.minutes(scope, MINUTE - 1, MINUTE + 1)
    assert [(one.minute, one.segments) for one in minutes] == [(MINUTE, 5)]


def test_a_file_that_is_longer_than_it_was_is_not_counted_again(
    services: Services, folder: Path
) -> None:
    """
    As after a power cut that undid the worker's cut behind the counts.
    """
    path = write_tally(folder, tally(MINUTE, record(3)))
    sinks = {**services.flusher.sinks, "behind": Behind()}
    assert not ingest(services, **sinks).run_once()
    with path.open("r+b") as file:
        file.truncate(8 * 1024 * 1024)

    ingest(services).run_once()

    assert counted(services) == 3
    assert not tally_files(folder)


def test_session_and_origin_of_viewers_are_noted_once(
    services: Services, folder: Path
) -> None:
    reading = ingest(services)
    write(
        folder,
        record(),
        record(1, " s=0123456789abcdef0123 c=DE r=example.com"),
        # Who was not served it whole has not seen it, and it went nowhere.
        record(0, " s=fedcba98765432100123 c=FR"),
    )
    reading.run_once()
    write(folder, record(1, " s=0123456789abcdef0123"), record(1, " c=DE"))

    for again in (reading, reading, ingest(services), ingest(services)):
        again.run_once()

    assert counted(services) == 4
    store, scope = services.analytics_store, VideoScope(video_id=VIDEO)
    assert isinstance(store, SupportsReports)
    since = datetime(2026, 1, 2, tzinfo=UTC)
    assert store.viewers(scope, since) == 1
    assert isinstance(store, SupportsReports)
    for by, value, segments in (
        (BreakdownBy.COUNTRY, "DE", 2),
        (BreakdownBy.REFERRER, "example.com", 1),
    ):
        rows = store.breakdown(scope, ALL_TIME, by)
        told = {(row.value, row.segments) for row in rows}
        assert told == {(value, segments), (None, 4 - segments)}


def test_a_viewer_whom_both_have_served_is_one(
    services: Services, folder: Path
) -> None:
    viewer = Viewer(address="203.0.113.7", user_agent="a browser")
    now = datetime.now(UTC)
    minute, seconds = divmod(now.timestamp(), 60)
    place = SegmentPlace(
        org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
    )
    counter = SpooledCounter(
        spool=services.spool,
        sessions=SessionNotes(services.session_names, most_of_one=100),
        clock=services.clock,
    )
    for token in (None, "a.b.c"):
        mark = services.session_names.mark(token, viewer, now)
        at_ms = int(seconds * 1000)
        text = place.text + f" s={mark}".encode()
        write_tally(folder, tally(int(minute), (text, 1, at_ms, at_ms)))
        CountedSegment(counter, place, token, viewer).count()

    ingest(services).run_once()
    services.flusher.run_once()

    store = services.analytics_store
    assert isinstance(store, SupportsReports)
    scope = VideoScope(video_id=VIDEO)
    assert store.viewers(scope, now - timedelta(minutes=1)) == 2


def test_a_file_of_a_live_worker_is_left_alone(
    services: Services, folder: Path
) -> None:
    reading = ingest(services)
    path = write(folder, record(2))
    write(folder, record(4))

    with locked(path):
        is_all = [reading.run_once(), ingest(services).run_once()]
        while_locked = counted(services)
        left = list(tally_files(folder))
    is_all.append(reading.run_once())

    assert (while_locked, left) == (4, [path])
    assert (counted(services), list(tally_files(folder))) == (6, [])
    # Nothing is missing as long as it lives.
    assert is_all == [True] * 3


def test_segments_that_a_worker_counts_until_its_end_count(
    services: Services, folder: Path
) -> None:
    reading = ingest(services)
    path = write(folder, record(2))

    with locked(path) as file:
        reading.run_once()
        with mmap.mmap(file.fileno(), 0) as memory:
            memory[SEGMENTS_AT] = 7
            reading.run_once()
            memory[SEGMENTS_AT] = 9
    reading.run_once()

    assert counted(services) == 9


def test_a_file_goes_when_it_is_counted_and_its_position_with_it(
    services: Services, folder: Path
) -> None:
    path = write(folder, record(2))

    assert ingest(services).run_once()

    assert not path.exists()
    assert services.analytics_store.position(path.name) == 0


def test_reading_tallies_beats_with_every_file_and_batch(
    services: Services, folder: Path
) -> None:
    """
    Or one with much to do would be taken for one that hangs.
    """
    beats: list[int] = []
    # With one sink, or the beats would be those of each.
    reading = attrs.evolve(
        ingest(services, sql=services.analytics_store),
        beat=lambda: beats.append(counted(services)),
    )
    write(folder, record(3))
    write(folder, record(4))

    assert reading.run_once()

    # The round; each file, and what was counted of it. Which is first is chance.
    assert beats in ([0, 0, 3, 3, 7], [0, 0, 4, 4, 7])


def test_a_file_in_which_nothing_was_counted_goes(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder)
    write(folder, record(0))

    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (0, [])
    assert not caplog.records


def test_a_sink_that_is_down_keeps_a_file_and_the_others_count_it_once(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    behind = Behind()
    sinks = {**services.flusher.sinks, "behind": behind}
    reading = ingest(services, **sinks)
    write(folder, record(2))
    write(folder, record(3))

    is_all = [one.run_once() for one in (reading, reading, ingest(services, **sinks))]
    while_down = (counted(services), len(tally_files(folder)))
    said = caplog.text.count("an analytics sink failed")
    behind.fails = False
    is_all += [reading.run_once(), reading.run_once()]

    assert while_down == (5, 2)
    assert (counted(services), behind.segments) == (5, 5)
    assert list(tally_files(folder)) == []
    assert is_all == [False, False, False, True, True]
    # Once by each that reads.
    assert said == 2


def test_a_sink_that_fails_after_writing_counts_once(
    services: Services, folder: Path
) -> None:
    sink = Moody(services.analytics_store)
    reading = ingest(services, moody=sink)
    write(folder, record(2))
    is_all = [reading.run_once()]
    kept = len(tally_files(folder))
    sink.fails = False
    write(folder, record())

    is_all.append(reading.run_once())

    assert (counted(services), kept, list(tally_files(folder))) == (3, 1, [])
    assert is_all == [False, True]


def test_a_sink_that_fails_after_writing_counts_once_after_a_restart(
    services: Services, folder: Path
) -> None:
    write(folder, record(2))
    ingest(services, moody=Moody(services.analytics_store)).run_once()

    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (2, [])


def test_a_reader_that_ends_before_removing_a_file_counts_it_once(
    services: Services, folder: Path
) -> None:
    path = write(folder, record(2))
    # Whether it still has what it took is asked before a file is removed.
    ingest(services, mute=Mute(services.analytics_store)).run_once()
    before = (counted(services), path.exists())

    assert ingest(services).run_once()

    assert before == (2, True)
    assert (counted(services), path.exists()) == (2, False)
    assert services.analytics_store.position(path.name) == 0


def test_a_sink_that_was_put_back_is_brought_it_again(
    services: Services, folder: Path
) -> None:
    put_back, behind = Behind(), Behind()
    put_back.fails = False
    reading = ingest(services, put_back=put_back, behind=behind)
    path = write(folder, record(2))
    reading.run_once()
    # To a state in which it did not know the file.
    put_back.written.clear()
    behind.fails = False
    reading.run_once()
    is_cached = path.exists()

    reading.run_once()

    assert is_cached
    assert not path.exists()
    assert (put_back.segments, behind.segments) == (2, 2)
