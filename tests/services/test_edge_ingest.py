"""
The edge's log is counted once, whatever becomes of it meanwhile.
"""

import secrets
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest

from hv_edge.ingest import Ingest
from hv_edge.log_files import LogCutError, log_paths
from hv_edge.served_lines import ServedNote
from hv_edge.served_notes import NamedSessions, read_notes
from hvcore.assembly import Services, build
from hvcore.domain.analytics import ALL_TIME, SegmentPlace, ServedBatch, VideoScope
from hvcore.domain.analytics_breakdown import BreakdownBy
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import (
    AnalyticsSink,
    SupportsBreakdown,
    SupportsViewers,
)
from hvcore.services.counted_segments import CountedSegment
from hvcore.services.playback_access import Viewer
from hvcore.services.segment_counting import SpooledCounter
from hvcore.services.viewer_sessions import SessionNames, SessionNotes
from tests.http.conftest import settings_of

VIDEO = VideoId("vid_" + "a" * 22)


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with build(settings_of(tmp_path), rings=False) as made:
        made.migrate()
        yield made


@pytest.fixture
def log(services: Services) -> Path:
    services.edge_folder.mkdir()
    return services.edge_folder / "served.log"


def line(status: int = 200, told: str = "", at: str = "1767323045.678") -> bytes:
    return (
        f"hv1 {at} {status} 1 750 750 org_a env_1 {VIDEO} 720{told} "
        f"{secrets.token_hex(16)}\n"
    ).encode()


def append(log: Path, *lines: bytes) -> None:
    with log.open("ab") as file:
        file.writelines(lines)


def ingest(services: Services, log: Path) -> Ingest:
    """
    As after a restart.
    """
    return Ingest(log=log, sinks=services.drain.sinks, names=services.session_names)


def counted(services: Services) -> int:
    return services.analytics_store.served([VIDEO]).get(VIDEO, 0)


def test_lines_are_counted_once(services: Services, log: Path) -> None:
    reading = ingest(services, log)
    reading.run_once()
    append(log, line(), line(304), line())
    reading.run_once()
    append(log, line())

    for again in (reading, reading, ingest(services, log), ingest(services, log)):
        again.run_once()

    assert counted(services) == 3


def test_what_is_said_of_viewers_is_noted_once(services: Services, log: Path) -> None:
    reading = ingest(services, log)
    append(log, line(), line(told=" s=0123456789abcdef0123 c=DE r=example.com"))
    # Who was not served it whole has not seen it, and it went nowhere.
    append(log, line(304, told=" s=fedcba98765432100123 c=FR"))
    reading.run_once()
    append(log, line(told=" s=0123456789abcdef0123"), line(told=" c=DE"))

    for again in (reading, reading, ingest(services, log), ingest(services, log)):
        again.run_once()

    assert counted(services) == 4
    store, scope = services.analytics_store, VideoScope(video_id=VIDEO)
    assert isinstance(store, SupportsViewers)
    since = datetime(2026, 1, 2, tzinfo=UTC)
    assert store.viewers(scope, since) == 1
    assert isinstance(store, SupportsBreakdown)
    for by, value, segments in (
        (BreakdownBy.COUNTRY, "DE", 2),
        (BreakdownBy.REFERRER, "example.com", 1),
    ):
        rows = store.breakdown(scope, ALL_TIME, by)
        told = {(row.value, row.segments) for row in rows}
        assert told == {(value, segments), (None, 4 - segments)}


def test_a_viewer_whom_both_have_served_is_one(services: Services, log: Path) -> None:
    viewer = Viewer(address="203.0.113.7", user_agent="a browser")
    now = datetime.now(UTC)
    place = SegmentPlace(
        org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
    )
    counter = SpooledCounter(
        spool=services.spool,
        sessions=SessionNotes(services.session_names),
        clock=services.clock,
    )
    for token in (None, "a.b.c"):
        mark = services.session_names.mark(token, viewer, now)
        append(log, line(told=f" s={mark}", at=f"{now.timestamp():.3f}"))
        CountedSegment(counter, place, token, viewer).count()

    ingest(services, log).run_once()
    services.drain.run_once()

    store = services.analytics_store
    assert isinstance(store, SupportsViewers)
    scope = VideoScope(video_id=VIDEO)
    assert store.viewers(scope, now - timedelta(minutes=1)) == 2


def test_half_a_line_waits_for_its_end(services: Services, log: Path) -> None:
    reading, whole = ingest(services, log), line()
    append(log, whole[:30])
    reading.run_once()
    append(log, whole[30:], line()[:-1])
    reading.run_once()

    assert counted(services) == 1


def test_a_renamed_log_is_followed(services: Services, log: Path) -> None:
    reading = ingest(services, log)
    append(log, line())
    reading.run_once()
    append(log, line())
    first = log.rename(log.with_name("served.log.1"))
    # nginx goes on with the old one until it is told to open the new one.
    append(first, line())
    append(log, line())
    reading.run_once()
    append(first, line())
    first.rename(log.with_name("served.log.2"))
    log.rename(log.with_name("served.log.1"))
    append(log, line())

    ingest(services, log).run_once()
    reading.run_once()

    assert counted(services) == 6


def test_a_log_that_comes_back_is_known(services: Services, log: Path) -> None:
    append(log, line(), line())
    ingest(services, log).run_once()
    kept = log.with_name("backup")
    log.rename(kept)
    ingest(services, log).run_once()
    kept.rename(log.with_name("served.log.7"))

    ingest(services, log).run_once()

    assert counted(services) == 2


def test_compressed_logs_are_left_alone(services: Services, log: Path) -> None:
    append(log.with_name("served.log.2.gz"), line())
    append(log, line())

    ingest(services, log).run_once()

    assert counted(services) == 1


@pytest.mark.parametrize("restarts", [False, True])
def test_a_copy_that_was_cut_off_is_refused(
    services: Services,
    log: Path,
    restarts: bool,  # noqa: FBT001 - a parameter
) -> None:
    reading = ingest(services, log)
    append(log, line(), line())
    reading.run_once()
    # What copytruncate does.
    shutil.copy(log, log.with_name("served.log.1"))
    log.write_bytes(b"")
    append(log, line())
    if restarts:
        reading = ingest(services, log)

    with pytest.raises(LogCutError, match="copytruncate"):
        reading.run_once()

    assert counted(services) <= 3


def test_a_log_that_was_moved_to_another_disk_is_known(
    services: Services, log: Path, tmp_path: Path
) -> None:
    append(log, line(), line())
    ingest(services, log).run_once()
    # Another file of the disk, and the first one stays out of the folder.
    log.rename(tmp_path / "before")
    shutil.copy(tmp_path / "before", log)
    append(log, line())

    ingest(services, log).run_once()

    assert counted(services) == 3


def test_logs_may_be_renamed_while_they_are_looked_for(log: Path) -> None:
    for number in range(40):
        append(log.with_name(f"served.log.{number}"), line())
    stopped = threading.Event()

    def rotate() -> None:
        while not stopped.is_set():
            for number in range(40):
                path = log.with_name(f"served.log.{number}")
                path.rename(log.with_name("served.log.99"))
                log.with_name("served.log.99").rename(path)

    rotating = threading.Thread(target=rotate)
    rotating.start()
    try:
        for _ in range(300):
            assert log_paths(log)
    finally:
        stopped.set()
        rotating.join()


def test_what_cannot_be_kept_stops_no_counting(
    services: Services, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Nothing can be written there, as on a disk that is full.
    blocked = log.with_name("ingest.new")
    blocked.mkdir()
    reading = ingest(services, log)
    append(log, line())
    reading.run_once()
    append(log, line())
    reading.run_once()
    assert counted(services) == 2
    assert caplog.text.count("cannot be kept") == 1

    blocked.rmdir()
    reading.run_once()
    assert log.with_name("ingest.json").is_file()


def test_a_copy_is_refused_though_nothing_can_be_kept(
    services: Services, log: Path
) -> None:
    log.with_name("ingest.new").mkdir()
    reading = ingest(services, log)
    append(log, line(), line())
    reading.run_once()

    shutil.copy(log, log.with_name("served.log.1"))
    log.write_bytes(b"")

    with pytest.raises(LogCutError, match="copytruncate"):
        reading.run_once()


def test_a_log_that_is_shorter_than_it_was_is_refused(
    services: Services, log: Path
) -> None:
    append(log, line(), line())
    ingest(services, log).run_once()
    with log.open("r+b") as file:
        file.truncate(len(line()))

    with pytest.raises(LogCutError, match="cut off"):
        ingest(services, log).run_once()


def test_a_log_that_was_cut_off_is_refused_though_a_sink_cannot_say_so(
    services: Services, log: Path
) -> None:
    """
    One sink has read it, the other one was down and does not know it.
    """
    behind = Behind(services.drain.sinks["sql"])
    sinks = {"sql": services.drain.sinks["sql"], "behind": behind}
    reader = attrs.evolve(ingest(services, log), sinks=sinks)
    append(log, line(), line())
    reader.run_once()
    with log.open("r+b") as file:
        file.truncate(len(line()))
    behind.fails = False

    with pytest.raises(LogCutError, match="a sink has read"):
        reader.run_once()

    assert behind.written == []


def test_damaged_lines_are_said_and_the_rest_counts(
    services: Services, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    append(log, line(), b"\x00" * 100 + b"\n", line())

    ingest(services, log).run_once()

    assert counted(services) == 2
    assert "damaged lines" in caplog.text


def test_a_log_that_begins_damaged_is_read(
    services: Services, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # As after a power cut: the file is as long as it was, and its bytes are gone.
    append(log, b"\x00" * 8192, line(), line(), line())
    append(log.with_name("served.log.1"), b"\x00" * 8192, line(), line())

    for reading in (ingest(services, log), ingest(services, log)):
        reading.run_once()
        append(log, line())
    reading.run_once()

    assert counted(services) == 7
    assert "damaged lines" in caplog.text


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


class Behind(Moody):
    """
    A sink that was down, and has nothing as yet.
    """

    def __init__(self, inner: AnalyticsSink) -> None:
        super().__init__(inner)
        self.written: list[ServedBatch] = []

    def write(self, batch: ServedBatch) -> None:
        if self.fails:
            raise UnavailableError
        self.written.append(batch)

    def position(self, file: str) -> int:
        if self.fails:
            raise UnavailableError
        return 0


def test_a_log_that_cannot_be_opened_holds_up_no_other(
    services: Services, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    append(log, line())
    # Not even root can open it.
    rotated = log.with_name("served.log.1")
    rotated.symlink_to(rotated.name)
    reader = ingest(services, log)

    is_all = [reader.run_once(), reader.run_once()]
    while_closed = counted(services)
    rotated.unlink()
    append(rotated, line(), line())
    is_all.append(reader.run_once())

    assert is_all == [False, False, True]
    assert (while_closed, counted(services)) == (1, 3)
    assert caplog.text.count("was left") == 1


def test_what_is_logged_while_it_reads_is_for_the_next_round(
    services: Services, log: Path
) -> None:
    class Watched(Moody):
        def write(self, batch: ServedBatch) -> None:
            super().write(batch)
            append(log, line())

    watched = Watched(services.drain.sinks["sql"])
    watched.fails = False
    append(log, line())
    reader = attrs.evolve(ingest(services, log), sinks={"sql": watched})

    reader.run_once()
    after_one = counted(services)
    reader.run_once()

    assert (after_one, counted(services)) == (1, 2)


def test_a_sink_that_fails_after_writing_counts_once(
    services: Services, log: Path
) -> None:
    sink = Moody(services.analytics_store)
    reading = Ingest(log=log, sinks={"moody": sink}, names=services.session_names)
    append(log, line(), line())
    reading.run_once()
    sink.fails = False
    append(log, line())

    reading.run_once()

    assert counted(services) == 3


def test_a_sink_that_fails_later_after_writing_counts_once(
    services: Services, log: Path
) -> None:
    """
    Though what it has read was known until then.
    """
    sink = Moody(services.analytics_store)
    sink.fails = False
    reading = Ingest(log=log, sinks={"moody": sink}, names=services.session_names)
    append(log, line())
    reading.run_once()
    sink.fails = True
    append(log, line(), line())
    reading.run_once()
    sink.fails = False
    append(log, line())

    reading.run_once()

    assert counted(services) == 4


@pytest.mark.parametrize("limit", [{"max_kept": 2}, {"kept_for_s": 0.0}])
def test_one_viewer_has_one_name_while_others_are_forgotten(
    limit: dict[str, Any],
) -> None:
    names = SessionNames("a secret of at least 32 characters")
    sessions = NamedSessions(names, **limit)
    found = [
        read_notes(
            [
                ServedNote(
                    b"1767323045.678",
                    b"org_a env_1 %s %d" % (VIDEO.encode(), px),
                    b" s=%020x" % mark,
                )
                for px in (720, 1080)
            ],
            sessions,
        ).seen
        for mark in (1, 2, 3, 1)
    ]

    # Both heights are one session, whoever was forgotten before.
    assert [len(seen) for seen in found] == [1, 1, 1, 1]
    assert found[0] == found[3]
    assert len({seen[0].session for seen in found}) == 3
    # Two heights of who came last.
    assert len(sessions) == 2
