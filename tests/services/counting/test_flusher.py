"""
From spool files to sinks: everything, once, whatever happens.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed, ServedBatch
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from hvcore.services.counting.flusher import Flusher
from hvcore.spool import Spool, reading, spool_files
from tests.services.conftest import World

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("e"), video_id=VideoId("vid_1"), height_px=720
)
SEGMENT = SegmentServed(place=PLACE, at=AT)


class MemorySink(AnalyticsSink):
    """
    Counts in memory; can be down, or die between its work and its answer.
    """

    def __init__(self) -> None:
        self.positions: dict[str, int] = {}
        self.segments = 0
        self.asked = 0
        self.fails_with: Exception | None = None
        self.forgotten: list[str] = []

    def write(self, batch: ServedBatch) -> None:
        part = batch.id
        position = self.positions.get(part.file, 0)
        if part.end <= position:
            return
        if part.start != position:
            raise BatchRefusedError(part.file)
        self.positions[part.file] = part.end
        self.segments += sum(count.segments for count in batch.counts)

    def position(self, file: str) -> int:
        if self.fails_with:
            raise self.fails_with
        self.asked += 1
        return self.positions.get(file, 0)

    def forget(self, file: str) -> None:
        self.forgotten.append(file)
        del self.positions[file]


@pytest.fixture
def sink() -> MemorySink:
    return MemorySink()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path)
    yield made
    made.close()


def flusher_of(folder: Path, sinks: Mapping[str, AnalyticsSink]) -> Flusher:
    return Flusher(folder=folder, sinks=sinks)


def test_a_served_segment_is_counted_once(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    flusher = flusher_of(tmp_path, {"memory": sink})
    for _ in range(3):
        own.append(SEGMENT)
        flusher.run_once()
    flusher.run_once()

    assert sink.segments == 3


def test_another_process_goes_on_where_one_was_killed(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    own.append(SEGMENT)
    flusher_of(tmp_path, {"memory": sink}).run_once()
    own.append(SEGMENT)

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert sink.segments == 2


def test_two_that_flush_in_turn_count_once(
    own: Spool, sink: MemorySink, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """
    What one has read last is not where the other one has come to.
    """
    flushers = [flusher_of(tmp_path, {"memory": sink}) for _ in range(2)]
    for number in range(6):
        own.append(SEGMENT)
        flushers[number % 2].run_once()

    assert sink.segments == 6
    assert not caplog.records


def test_a_file_of_a_live_process_stays(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    own.append(SEGMENT)

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert len(spool_files(tmp_path)) == 1


def test_a_file_of_a_dead_process_goes_with_its_position(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    own.append(SEGMENT)
    own.close()
    (path,) = spool_files(tmp_path)

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert spool_files(tmp_path) == []
    assert (sink.segments, sink.forgotten) == (1, [path.name])


def test_a_half_last_line_of_a_dead_process_is_no_segment(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    own.append(SEGMENT)
    own.append(SEGMENT)
    own.close()
    (path,) = spool_files(tmp_path)
    path.write_bytes(path.read_bytes()[:-5])

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert sink.segments == 1
    assert spool_files(tmp_path) == []


def test_a_half_line_of_a_live_process_is_counted_when_it_is_whole(
    sink: MemorySink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Spool(tmp_path)
    own.append(SEGMENT)
    flusher = flusher_of(tmp_path, {"memory": sink})
    (path,) = spool_files(tmp_path)
    line = path.read_bytes()
    with path.open("ab") as file:
        file.write(line[:7])
        file.flush()
        flusher.run_once()
        before = sink.segments
        file.write(line[7:])
    flusher.run_once()
    own.close()

    assert (before, sink.segments) == (1, 2)


def test_damage_does_not_stop_what_follows(
    own: Spool, sink: MemorySink, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own.append(SEGMENT)
    own.close()
    (path,) = spool_files(tmp_path)
    good = path.read_bytes()
    path.write_bytes(b"\0" * 100 + b"\n" + good + b"junk\n" + good)

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert sink.segments == 2
    assert "damaged lines" in caplog.text


def test_a_large_file_is_read_in_parts(
    own: Spool, sink: MemorySink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "READ_BYTES", 100)
    monkeypatch.setattr(reading, "BLOCK_BYTES", 100)
    for _ in range(20):
        own.append(SEGMENT)

    flusher_of(tmp_path, {"memory": sink}).run_once()

    assert sink.segments == 20


def test_a_segment_that_comes_during_a_round_is_for_the_next_one(
    own: Spool, tmp_path: Path
) -> None:
    """
    While people watch something always comes: a round would never end.
    """

    class WatchedSink(MemorySink):
        def write(self, batch: ServedBatch) -> None:
            super().write(batch)
            own.append(SEGMENT)

    sink = WatchedSink()
    flusher = flusher_of(tmp_path, {"memory": sink})
    own.append(SEGMENT)

    flusher.run_once()
    after_one = sink.segments
    flusher.run_once()

    assert (after_one, sink.segments) == (1, 2)


def test_nothing_is_asked_while_nothing_is_served(
    own: Spool, sink: MemorySink, tmp_path: Path
) -> None:
    flusher = flusher_of(tmp_path, {"memory": sink})
    own.append(SEGMENT)
    for _ in range(5):
        flusher.run_once()

    assert sink.asked == 1


@pytest.mark.parametrize(
    "failure", [UnavailableError("gone"), BatchRefusedError("f"), ValueError("bug")]
)
def test_a_sink_that_fails_holds_up_no_other_and_catches_up(
    own: Spool, sink: MemorySink, tmp_path: Path, failure: Exception
) -> None:
    broken = MemorySink()
    broken.fails_with = failure
    flusher = flusher_of(tmp_path, {"broken": broken, "good": sink})
    own.append(SEGMENT)
    own.close()

    flusher.run_once()
    while_down = (sink.segments, broken.segments, len(spool_files(tmp_path)))
    broken.fails_with = None
    flusher.run_once()

    assert while_down == (1, 0, 1)
    assert (sink.segments, broken.segments) == (1, 1)
    assert spool_files(tmp_path) == []


def test_a_sink_that_stays_down_is_reported_once(
    own: Spool, sink: MemorySink, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sink.fails_with = UnavailableError("gone")
    flusher = flusher_of(tmp_path, {"memory": sink})
    own.append(SEGMENT)

    for _ in range(3):
        flusher.run_once()

    assert caplog.text.count("analytics sink failed") == 1


def test_two_flushers_at_once_count_once(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "spools"
    store = world.services.analytics_store
    own = Spool(folder)
    flushers = [flusher_of(folder, {"sql": store}) for _ in range(4)]
    stop = threading.Event()

    def run(flusher: Flusher) -> None:
        while not stop.is_set():
            flusher.run_once()
        flusher.run_once()

    threads = [threading.Thread(target=run, args=(flusher,)) for flusher in flushers]
    for thread in threads:
        thread.start()
    for _ in range(2_000):
        own.append(SEGMENT)
    own.close()
    stop.set()
    for thread in threads:
        thread.join()
    flushers[0].run_once()

    assert store.served([PLACE.video_id]) == {PLACE.video_id: 2_000}
    assert spool_files(folder) == []


def test_a_flusher_that_is_killed_at_any_moment_counts_nothing_twice(
    world: World, tmp_path: Path
) -> None:
    """
    The killed process serves and flushes; what it said it served is counted.
    """
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from hvcore.assembly import build\nfrom hvcore.settings import load\n"
        "from tests.services.counting.test_flusher import SEGMENT\n"
        "s = load(config_path=None, environ={}, data_dir=Path(sys.argv[1])).settings\n"
        "with build(s) as services:\n"
        "    flusher, n = services.flusher, 0\n"
        "    while True:\n"
        "        for _ in range(50):\n"
        "            services.spool.append(SEGMENT); n += 1\n"
        "            sys.stdout.write(f'{n}\\n'); sys.stdout.flush()\n"
        "        flusher.run_once()\n"
    )
    said = 0
    for lines in (60, 333, 707):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        for _ in range(lines):
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        said += lines + child.stdout.read().count("\n")
        child.wait()
        child.stdout.close()

    world.services.flusher.run_once()

    counted = world.services.analytics_store.served([PLACE.video_id])
    # At each kill, one may have been written and not been said.
    assert 0 <= counted[PLACE.video_id] - said <= 3
    assert spool_files(tmp_path / "spool") == []
