"""
What the edge has counted is brought to the sinks once, whatever happens meanwhile.
"""

import fcntl
import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Final

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.segments import (
    ALL_TIME,
    SegmentPlace,
    ServedBatch,
    VideoScope,
)
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import (
    AnalyticsSink,
    SupportsReports,
)
from hvcore.ports.counting import CountedSegment
from hvcore.services.counting.sessions import SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore_edge.ingest import NEW_FOR_S, Ingest
from hvcore_edge.tallies import tally_files
from tests.edge.written_tallies import tally, write_tally
from tests.support.databases.migrated import lay_database
from tests.support.http.fixtures import settings_of

VIDEO: Final = VideoId("vid_" + "a" * 22)
MINUTE: Final = 29_455_384
BEGAN: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SEGMENTS_AT: Final = 20
"""Where a file has the number of its first record's segments."""


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    settings = settings_of(tmp_path)
    lay_database(settings)
    with build(settings, rings=False) as made:
        made.migrate()
        yield made


@pytest.fixture
def folder(services: Services) -> Path:
    services.edge_folder.mkdir()
    return services.edge_folder


def record(segments: int = 1, told: str = "") -> tuple[bytes, int, int, int]:
    return f"org_a env_1 {VIDEO} 720{told}".encode(), segments, 5_678, 6_789


def write(folder: Path, *records: tuple[bytes, int, int, int]) -> Path:
    """
    As a worker leaves it.
    """
    return write_tally(folder, tally(MINUTE, *records), is_whole=True)


@contextmanager
def locked(path: Path) -> Iterator[BinaryIO]:
    """
    As by a worker that lives.
    """
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file


def ingest(services: Services, **sinks: AnalyticsSink) -> Ingest:
    """
    As after a restart.
    """
    return Ingest(
        folder=services.edge_folder,
        sinks=sinks or services.flusher.sinks,
        names=services.session_names,
    )


def counted(services: Services) -> int:
    return services.analytics_store.served([VIDEO]).get(VIDEO, 0)


class Moody(AnalyticsSink):
    """
    A sink that writes, and then says that it could not.
    """

    def __init__(self, inner: AnalyticsSink) -> None:
        self.inner, self.fails = inner, True

    def write(self, batch: ServedBatch) -> None:
        self.inner.write(batch)
        if self.fails:
            raise UnavailableError

    def position(self, file: str) -> int:
        return self.inner.position(file)

    def forget(self, file: str) -> None:
        self.inner.forget(file)


class Mute(Moody):
    """
    A sink that says no more once it has written.
    """

    def __init__(self, inner: AnalyticsSink) -> None:
        super().__init__(inner)
        self.fails = False

    def write(self, batch: ServedBatch) -> None:
        super().write(batch)
        self.fails = True

    def position(self, file: str) -> int:
        if self.fails:
            raise UnavailableError
        return super().position(file)


class Behind(AnalyticsSink):
    """
    A sink that was down, and has nothing as yet.
    """

    def __init__(self) -> None:
        self.fails = True
        self.written: list[ServedBatch] = []

    def write(self, batch: ServedBatch) -> None:
        if self.fails:
            raise UnavailableError
        self.written.append(batch)

    def position(self, file: str) -> int:
        if self.fails:
            raise UnavailableError
        ends = (one.id.end for one in self.written if one.id.file == file)
        return max(ends, default=0)

    @property
    def segments(self) -> int:
        """
        What it was brought, twice if it was brought it twice.
        """
        return sum(one.segments for batch in self.written for one in batch.counts)


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


def test_a_file_that_cannot_be_opened_holds_up_no_other(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = folder / "edge-00.tally"
    # Not even root can open it.
    first.symlink_to(first.name)
    write(folder, record())
    reading = ingest(services)

    is_all = [reading.run_once(), reading.run_once()]
    while_closed = counted(services)
    first.unlink()
    first.write_bytes(tally(MINUTE, record(2)))
    is_all.append(reading.run_once())

    assert is_all == [False, False, True]
    assert (while_closed, counted(services)) == (1, 3)
    assert caplog.text.count("was left") == 1


def test_a_damaged_tally_is_logged_and_the_rest_counts(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(folder, record(), (b"\xff" * 30, 4, 0, 0), record(2))
    bytes_before = path.read_bytes()

    assert ingest(services).run_once()
    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (3, [])
    assert caplog.text.count("was damaged") == 1
    # Whoever wants to know why finds all of it.
    aside = path.with_suffix(".damaged")
    assert str(aside) in {vars(one).get("hv_path") for one in caplog.records}
    assert aside.read_bytes() == bytes_before
    assert services.analytics_store.position(path.name) == 0


def test_a_file_that_lost_its_beginning_is_said_and_holds_up_no_other(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # As after a power cut: the file is as long as it was, and its bytes are gone.
    write_tally(folder, b"", is_whole=True)
    write(folder, record(2))

    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (2, [])
    assert caplog.text.count("was damaged") == 1


def test_a_damaged_file_is_kept_by_who_did_not_bring_it(
    services: Services, folder: Path
) -> None:
    path = write(folder, record(), (b"\xff" * 30, 4, 0, 0))
    ingest(services, mute=Mute(services.analytics_store)).run_once()
    before = (counted(services), path.exists())

    assert ingest(services).run_once()

    assert (before, counted(services)) == ((1, True), 1)
    assert path.with_suffix(".damaged").exists()


def test_a_damaged_tally_is_logged_once_it_was_taken(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    behind = Behind()
    reading = ingest(services, behind=behind)
    write(folder, record(), (b"\xff" * 30, 4, 0, 0))
    reading.run_once()
    before = caplog.text.count("was damaged")
    behind.fails = False

    reading.run_once()
    reading.run_once()

    assert (before, caplog.text.count("was damaged")) == (0, 1)
    assert behind.segments == 1


@pytest.mark.parametrize(
    ("age_s", "is_left"), [(0.0, True), (NEW_FOR_S / 2, True), (NEW_FOR_S + 1, False)]
)
def test_an_old_file_of_a_worker_killed_at_its_beginning_goes(
    services: Services,
    folder: Path,
    age_s: float,
    is_left: bool,  # noqa: FBT001 - a parameter
) -> None:
    path = folder / f"edge-{'0' * 32}.new"
    path.write_bytes(tally(MINUTE, record()))
    at = time.time() - age_s
    os.utime(path, (at, at))

    assert ingest(services).run_once()

    assert path.exists() == is_left
    # Nothing was counted in it yet, whatever it holds.
    assert counted(services) == 0


def test_other_files_of_the_folder_stay(services: Services, folder: Path) -> None:
    names = {"changes", "edge.tally", "reader.lock", "nginx.new", "served.log"}
    for name in names:
        (folder / name).write_bytes(tally(MINUTE, record()))
        os.utime(folder / name, (0, 0))

    assert ingest(services).run_once()

    assert {path.name for path in folder.iterdir()} == names
    assert counted(services) == 0
