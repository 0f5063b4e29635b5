"""
The analytics store ``duckdb``: every promise, with many processes and after kills.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from hvcore.domain.analytics.segments import ALL_TIME, DateRange, VideoScope
from hvcore.domain.ids import EnvId, VideoId
from hvcore.errors import ConfigError, UnavailableError
from hvcore.testing.analytics import (
    AnalyticsStoreConformance,
    BackupConformance,
    IgnoredConformance,
    Reopened,
)
from hvcore.testing.analytics.served import (
    ENV,
    NOON,
    VIDEO,
    batch,
    ignored,
    in_env,
    segment,
)
from hvcore_analytics_duckdb import backend, parquet_store
from hvcore_analytics_duckdb.backend import DuckdbAnalytics
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import ParquetStore

ROOT = Path(__file__).parents[3]


def store_in(folder: Path) -> DuckdbAnalytics:
    own = ParquetStore(folder / "counts")
    engine = DuckdbEngine(own, threads=1, memory_mb=128, spill_dir=folder / "spill")
    return DuckdbAnalytics(own, engine)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # A path that SQL must not stumble over.
    made = tmp_path / "it's here"
    made.mkdir()
    return made


@pytest.fixture
def store(folder: Path) -> Iterator[DuckdbAnalytics]:
    made = store_in(folder)
    made.prepare()
    yield made
    made.close()


@pytest.fixture
def small_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Counts are joined into parts all the time.
    """
    monkeypatch.setattr(backend, "TAIL_ROWS", 15)
    monkeypatch.setattr(backend, "MAX_PART_ROWS", 200)


class Conforming(AnalyticsStoreConformance, IgnoredConformance, BackupConformance):
    __test__ = False

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> Iterator[DuckdbAnalytics]:
        made = store_in(tmp_path / "elsewhere")
        made.prepare()
        yield made
        made.close()

    @pytest.fixture
    def unprepared(self, tmp_path: Path) -> Iterator[DuckdbAnalytics]:
        made = store_in(tmp_path / "unprepared")
        yield made
        made.close()

    @pytest.fixture
    def store(self, folder: Path) -> Iterator[DuckdbAnalytics]:
        made = store_in(folder)
        made.prepare()
        yield made
        made.close()

    @pytest.fixture
    def reopened(self, folder: Path) -> Iterator[Reopened]:
        made: list[DuckdbAnalytics] = []

        def reopen() -> DuckdbAnalytics:
            made.append(store_in(folder))
            return made[-1]

        yield reopen
        for one in made:
            one.close()

    @pytest.fixture
    def unreachable(self, tmp_path: Path) -> DuckdbAnalytics:
        (tmp_path / "gone").write_text("A file is where the folder was.")
        return store_in(tmp_path / "gone")


@pytest.mark.every(3)
class TestEveryPromise(Conforming):
    __test__ = True


@pytest.mark.long
@pytest.mark.usefixtures("small_tails")
class TestEveryPromiseOfParts(Conforming):
    __test__ = True


def files_in(folder: Path) -> set[str]:
    return {path.name for path in (folder / "counts").iterdir()}


def test_an_unprepared_folder_says_what_to_do(folder: Path) -> None:
    store = store_in(folder)

    assert not store.is_prepared()
    with pytest.raises(UnavailableError, match="hv migrate"):
        store.ping()
    with pytest.raises(UnavailableError, match="hv doctor"):
        store.served([VIDEO])
    with pytest.raises(UnavailableError, match="No such file"):
        store.write(batch(segment()))


def test_counts_of_a_newer_version_are_left_alone(
    store: DuckdbAnalytics, folder: Path
) -> None:
    current = folder / "counts" / "current.json"
    stored = json.loads(current.read_text())
    current.write_text(json.dumps({**stored, "version": 99}))

    for ask in (store.prepare, store.ping, lambda: store.write(batch(segment()))):
        with pytest.raises(ConfigError, match="newer version"):
            ask()
    # Lists go on without views.
    with pytest.raises(UnavailableError, match="hv doctor"):
        store.served([VIDEO])


def test_files_of_the_first_version_are_read_and_joined(
    store: DuckdbAnalytics, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    They have no column of reasons.
    """
    row = f"org_kit,{ENV},2026-01-01,{VIDEO},720,5,1767268800000,1767268800000\n"
    counts = folder / "counts"
    (counts / "tail-1.csv").write_text(row)
    part = str(counts / "part-1.parquet").replace("'", "''")
    duckdb.sql(
        "COPY (SELECT 'org_kit' AS org, 'dev' AS env, DATE '2026-01-01' AS day, "
        f"'{VIDEO}' AS video, 720 AS height, 7::BIGINT AS segments, "
        "1767268800000 AS first_ms, 1767268800000 AS last_ms) TO "
        f"'{part}' (FORMAT parquet)"
    )
    stored = json.loads((counts / "current.json").read_text())
    parts = [{"name": "part-1.parquet", "rows": 1}]
    first = {**stored, "version": 1, "tail": "tail-1.csv", "tail_rows": 1}
    (counts / "current.json").write_text(json.dumps({**first, "parts": parts}))
    scope = VideoScope(video_id=VIDEO)

    before = (store.served([VIDEO]), list(store.ignored(scope, ALL_TIME)))
    monkeypatch.setattr(backend, "TAIL_ROWS", 2)
    store.write(batch(segment(), ignored()))

    assert before == ({VIDEO: 12}, [])
    assert ParquetStore(counts).read().tail == ""
    assert store.served([VIDEO]) == {VIDEO: 13}
    assert [one.requests for one in store.ignored(scope, ALL_TIME)] == [1]


@pytest.mark.usefixtures("small_tails")
def test_there_are_few_parts_of_much(store: DuckdbAnalytics, folder: Path) -> None:
    for start in range(0, 4_000, 100):
        day = NOON + timedelta(days=start)
        store.write(batch(*(segment(f"v{n}", at=day) for n in range(10)), start=start))

    state = ParquetStore(folder / "counts").read()
    assert sum(part.rows for part in state.parts) + state.tail_rows == 400
    assert len(state.parts) <= 8


@pytest.mark.usefixtures("small_tails")
def test_the_same_place_and_day_is_one_row_of_a_part(
    store: DuckdbAnalytics, folder: Path
) -> None:
    for start in range(0, 300, 10):
        store.write(batch(segment(), start=start))

    state = ParquetStore(folder / "counts").read()
    assert [part.rows for part in state.parts] == [1]
    assert store.totals(in_env(ENV), ALL_TIME).segments == 30


def test_a_file_is_kept_for_those_who_read_it_and_then_removed(
    store: DuckdbAnalytics, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ParquetStore(folder / "counts")
    store.write(batch(segment()))
    before = own.read()
    store.write(batch(segment(), start=10))
    retired = before.tail in files_in(folder)
    monkeypatch.setattr(parquet_store, "RETIRED_RETENTION_S", -1)
    store.write(batch(segment(), start=20))

    assert retired
    assert before.tail not in files_in(folder)
    assert store.served([VIDEO]) == {VIDEO: 3}


def test_a_reader_that_stood_still_for_long_reads_anew(
    store: DuckdbAnalytics, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(batch(segment()))
    own = ParquetStore(folder / "counts")
    engine = DuckdbEngine(own, threads=1, memory_mb=128, spill_dir=folder / "spill")
    states = [own.read()]
    real = own.read
    monkeypatch.setattr(own, "read", lambda: states.pop() if states else real())
    monkeypatch.setattr(parquet_store, "RETIRED_RETENTION_S", -1)
    for start in (10, 20, 30):
        store.write(batch(segment(), start=start))

    found = engine.ask("SELECT sum(segments) FROM {counts}", "true", [])
    engine.close()

    assert found == [(4,)]


def test_a_part_that_is_gone_is_said(store: DuckdbAnalytics, folder: Path) -> None:
    store.write(batch(segment()))
    (tail,) = ParquetStore(folder / "counts").read().names
    (folder / "counts" / tail).unlink()

    with pytest.raises(UnavailableError, match="cannot be read"):
        store.totals(in_env(ENV), ALL_TIME)
    with pytest.raises(UnavailableError, match="cannot be read"):
        store.served([VIDEO])
    # As hv doctor asks.
    with pytest.raises(UnavailableError, match=f"{tail} is missing"):
        store.ping()


def test_callers_of_the_api_learn_nothing_of_folders(
    store: DuckdbAnalytics, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.write(batch(segment()))
    (tail,) = ParquetStore(folder / "counts").read().names
    (folder / "counts" / tail).unlink()

    # The detail of this error is what the API answers.
    with pytest.raises(UnavailableError, match="cannot be read") as refused:
        store.daily(in_env(ENV), ALL_TIME)

    assert str(folder) not in refused.value.detail
    assert tail in str([vars(record) for record in caplog.records])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"version": 1}', '{"version": "1"}', "\udcff"]
)
def test_a_damaged_state_is_said_and_left_alone(
    store: DuckdbAnalytics, folder: Path, text: str
) -> None:
    store.write(batch(segment()))
    current = folder / "counts" / "current.json"
    current.write_text(text, errors="surrogateescape")

    for ask in (store.ping, store.prepare, lambda: store.write(batch(segment()))):
        with pytest.raises(UnavailableError, match="damaged; restore"):
            ask()
    with pytest.raises(UnavailableError, match="cannot be read"):
        store.served([VIDEO])
    assert current.read_text(errors="surrogateescape") == text


@pytest.mark.usefixtures("small_tails")
@pytest.mark.parametrize("name", ["env=prod", "org=a/day=1", "{target}", "a[1]*?"])
def test_the_name_of_a_folder_changes_no_count(tmp_path: Path, name: str) -> None:
    store = store_in(tmp_path / name)
    store.prepare()
    for start in range(0, 200, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))

    assert store.by_environment(in_env(ENV), NOON.date())[EnvId(ENV)].segments == 20
    assert store.served([VideoId("vid_0")]) == {"vid_0": 1}
    store.close()


@pytest.mark.usefixtures("small_tails")
def test_nobody_elses_files_are_removed(store: DuckdbAnalytics, folder: Path) -> None:
    """
    Whoever names the folder of the database keeps the database.
    """
    names = {"hvcore.sqlite3", "part-1.parquet.bak", "tail.csv", "notes.txt"}
    for name in names:
        (folder / "counts" / name).write_bytes(b"precious")

    for start in range(0, 200, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))

    assert names <= files_in(folder)


@pytest.mark.usefixtures("small_tails")
def test_what_cannot_be_joined_is_counted_all_the_same(
    store: DuckdbAnalytics, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for start in range(0, 150, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))
    (part,) = (folder / "counts").glob("part-*.parquet")
    whole = part.read_bytes()
    part.write_bytes(b"damaged")

    for start in range(150, 600, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))
    tries = [r for r in caplog.records if "cannot be joined" in r.getMessage()]
    part.write_bytes(whole)

    # Once every 15 rows, not with every batch.
    assert len(tries) == 3
    assert store.totals(in_env(ENV), ALL_TIME).segments == 60
    for start in range(600, 800, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))
    assert store.totals(in_env(ENV), ALL_TIME).segments == 80
    assert ParquetStore(folder / "counts").read().tail_rows < 15


@pytest.mark.usefixtures("small_tails")
def test_what_a_killed_writer_left_goes(store: DuckdbAnalytics, folder: Path) -> None:
    left = {"tail-9999.csv", "part-9999.parquet", "tmp_part-9999.parquet"}
    for name in (*left, "current.json.new"):
        (folder / "counts" / name).write_bytes(b"half")

    for start in range(0, 200, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))

    assert not files_in(folder) & left
    assert store.totals(in_env(ENV), DateRange()).segments == 20


@pytest.mark.usefixtures("small_tails")
def test_counts_are_joined_beside_a_leftover_that_cannot_go(
    store: DuckdbAnalytics, folder: Path
) -> None:
    # A folder is not removed as a file is.
    (folder / "counts" / "tail-9999.csv").mkdir()

    for start in range(0, 200, 10):
        store.write(batch(segment(f"vid_{start}"), start=start))

    assert ParquetStore(folder / "counts").read().tail_rows < 15
    assert store.totals(in_env(ENV), ALL_TIME).segments == 20


def test_a_writer_does_not_wait_for_ever(
    store: DuckdbAnalytics, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_store, "LOCK_WAIT_S", 0)
    with (
        ParquetStore(folder / "counts").locked(),
        pytest.raises(UnavailableError, match="over"),
    ):
        store.write(batch(segment()))

    assert store.position("kit-a.log") == 0
    store.write(batch(segment()))


def test_nothing_is_fetched_or_loaded(store: DuckdbAnalytics) -> None:
    store.write(batch(segment()))
    engine = store._engine

    (settings,) = engine.ask(
        "SELECT current_setting('autoinstall_known_extensions'), "
        "current_setting('autoload_known_extensions') FROM {counts} LIMIT 1",
        "true",
        [],
    )

    assert settings == (False, False)


WRITER = """
import sys
from pathlib import Path
from hvcore_analytics_duckdb import backend
from tests.plugins.analytics_duckdb.test_backend import store_in
from hvcore.testing.analytics.served import batch, segment
backend.TAIL_ROWS = 25
folder, file, upto = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = store_in(folder)
# As the flusher: go on where the sink stands.
for start in range(store.position(file), upto, 100):
    ones = [segment(f"vid_{n % 7}_{start % 300}") for n in range(10)]
    store.write(batch(*ones, file=file, start=start))
    sys.stdout.write(f"{start}\\n"); sys.stdout.flush()
"""


def writer(folder: Path, file: str, upto: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), file, str(upto)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_write_and_ask_at_once(store: DuckdbAnalytics, folder: Path) -> None:
    writers = [writer(folder, f"{number}.log", 3_000) for number in range(3)]
    seen = []
    while any(process.poll() is None for process in writers):
        seen.append(store.totals(in_env(ENV), ALL_TIME).segments)
    for process in writers:
        process.communicate()

    assert [process.returncode for process in writers] == [0, 0, 0]
    assert seen == sorted(seen)
    assert store.totals(in_env(ENV), ALL_TIME).segments == 900


def test_a_writer_that_is_killed_at_any_moment_counts_nothing_twice(
    store: DuckdbAnalytics, folder: Path
) -> None:
    for lines in (1, 2, 4, 7, 11, 16):
        process = writer(folder, "killed.log", 1_000_000)
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()

        position = store.position("killed.log")
        assert store.totals(in_env(ENV), ALL_TIME).segments == position // 10
    assert position >= 41 * 100
