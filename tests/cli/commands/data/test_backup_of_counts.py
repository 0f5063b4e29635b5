"""
hv backup and hv restore: counts that wait are in a backup, and count once.
"""

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.services.backups import waiting_counts
from hvcore.services.backups.waiting_counts import WaitingCounts
from hvcore.settings import load
from hvcore.spool import Spool, spool_files, the_only_reader
from hvcore_cli.invocation import DEFAULT_DATA
from tests.cli.conftest import Hv
from tests.persistence.samples import ENV, ORG, fill_tenants
from tests.support.live import until

AT: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
PAUSE_S: Final = 0.001
FILE_BYTES: Final = 4_000
"""Some forty segments: files are finished, counted and removed all the time."""
VIDEOS_OF_A_LIST: Final = 100


@pytest.fixture
def data(migrated: Hv, tmp_path: Path) -> Path:
    del migrated
    return tmp_path / DEFAULT_DATA


@contextmanager
def services_of(data: Path, **environ: str) -> Iterator[Services]:
    settings = load(config_path=None, environ=environ, data_dir=data).settings
    with build(settings, rings=False) as services:
        yield services


def segment(number: int) -> SegmentServed:
    place = SegmentPlace(
        org_id=OrgId(ORG), env_id=EnvId(ENV), video_id=video(number), height_px=720
    )
    return SegmentServed(place=place, at=AT)


def video(number: int) -> VideoId:
    return VideoId(f"vid_{number}")


def counted(services: Services, videos: int) -> list[int]:
    """
    Bring all that waits to the sinks; return each video's segments.
    """
    services.flusher.run_once()
    found: dict[VideoId, int] = {}
    for first in range(0, videos, VIDEOS_OF_A_LIST):
        asked = [video(number) for number in range(first, first + VIDEOS_OF_A_LIST)]
        found |= services.analytics_store.served(asked)
    return [found.get(video(number), 0) for number in range(videos)]


@attrs.define
class Serving:
    """
    Serves one segment after the other, each of another video, and brings them to the
    sinks meanwhile.
    """

    services: Services
    spool: Spool
    served: int = 0
    stops: threading.Event = attrs.field(factory=threading.Event)

    def serve(self) -> None:
        while not self.stops.wait(PAUSE_S):
            self.spool.append(segment(self.served))
            self.served += 1

    def flush(self) -> None:
        while not self.stops.wait(PAUSE_S):
            self.services.flusher.run_once()

    def has_served(self, more_than: int) -> bool:
        return self.served > more_than


@contextmanager
def serving(services: Services) -> Iterator[Serving]:
    spool = Spool(services.spool_dir, max_file_bytes=FILE_BYTES)
    work = Serving(services, spool)
    threads = [threading.Thread(target=one) for one in (work.serve, work.flush)]
    for thread in threads:
        thread.start()
    try:
        yield work
    finally:
        work.stops.set()
        for thread in threads:
            thread.join()
        spool.close()


def test_what_was_served_before_a_backup_is_there_once_afterwards(
    hv: Hv, data: Path, tmp_path: Path
) -> None:
    between: list[tuple[int, int]] = []
    with services_of(data) as services:
        fill_tenants(services.engine)
        with serving(services) as work:
            for number in range(3):
                until(partial(work.has_served, 200 * (number + 1)), within_s=60)
                before = work.served
                assert hv("backup", f"backup-{number}").status == 0
                between.append((before, work.served))
        assert counted(services, work.served) == [1] * work.served

    for number, (before, after) in enumerate(between):
        other = tmp_path / f"other-{number}"
        words = ("--data", str(other), "restore", f"backup-{number}")
        restored = hv(*words)
        assert restored.status == 0, restored.stderr
        with services_of(other) as services:
            found = counted(services, work.served)
            assert spool_files(services.spool_dir) == []
        # All up to a moment within the backup, and nothing that came later.
        there = sum(found)
        assert found == [1] * there + [0] * (work.served - there)
        assert before <= there <= after + 1


def test_what_nobody_counts_yet_comes_along_whole(
    hv: Hv, data: Path, tmp_path: Path
) -> None:
    """
    Such as the file of a process that was killed, with half a line.
    """
    with services_of(data) as services:
        fill_tenants(services.engine)
        services.spool.append(*map(segment, range(5)))
        (file,) = spool_files(services.spool_dir)
        with file.open("ab") as half:
            half.write(b"1767323045000 org")
        made = hv("backup", "backup.tar", "--json")

    assert json.loads(made.stdout)["spoolFiles"] == 1
    assert hv("--data", "other", "restore", "backup.tar").status == 0
    (restored,) = spool_files(tmp_path / "other" / "spool")
    assert restored.name == file.name
    assert restored.read_bytes() == file.read_bytes()
    assert restored.stat().st_mode & 0o777 == 0o600
    with services_of(tmp_path / "other") as services:
        assert counted(services, 6) == [1, 1, 1, 1, 1, 0]
        assert counted(services, 6) == [1, 1, 1, 1, 1, 0]


def test_nothing_is_brought_to_a_sink_while_the_moment_is_taken(data: Path) -> None:
    with services_of(data) as services:
        fill_tenants(services.engine)
        services.spool.append(segment(0))
        with WaitingCounts(services.spool_dir) as waiting, waiting.taken():
            assert counted(services, 1) == [0]

        assert counted(services, 1) == [1]


def test_a_spool_that_is_there_still_counts_once(
    hv: Hv, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    As where only the database was lost, and the spool is on another disk.
    """
    monkeypatch.setenv("HV_ANALYTICS__SPOOL_DIR", str(tmp_path / "spool"))
    spool_dir = {"HV_ANALYTICS__SPOOL_DIR": str(tmp_path / "spool")}
    with services_of(data, **spool_dir) as services:
        fill_tenants(services.engine)
        services.spool.append(segment(0))
        services.flusher.run_once()
        services.spool.append(segment(1))
        assert hv("backup", "backup").status == 0
        services.spool.append(segment(2))

    assert hv("--data", "other", "restore", "backup").status == 0

    with services_of(tmp_path / "other", **spool_dir) as services:
        assert counted(services, 3) == [1, 1, 1]


def test_what_duckdb_counts_comes_along_and_goes_on(
    hv: Hv, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_ANALYTICS__SINKS", "duckdb,sql")
    monkeypatch.setenv("HV_ANALYTICS__STORE", "duckdb")
    sinks = {"HV_ANALYTICS__SINKS": "duckdb,sql", "HV_ANALYTICS__STORE": "duckdb"}
    assert hv("migrate").status == 0
    with services_of(data, **sinks) as services:
        fill_tenants(services.engine)
        services.spool.append(segment(0), segment(1))
        services.flusher.run_once()
        services.spool.append(segment(1), segment(2))
        assert hv("backup", "backup.tar").status == 0
        assert counted(services, 3) == [1, 2, 1]

    restored = hv("--data", "other", "restore", "backup.tar")

    assert restored.status == 0, restored.stderr
    with services_of(tmp_path / "other", **sinks) as services:
        assert counted(services, 3) == [1, 2, 1]
    other = hv(
        "--data",
        "third",
        "restore",
        "backup.tar",
        HV_ANALYTICS__SINKS="sql",
        HV_ANALYTICS__STORE="sql",
    )
    assert "counts of duckdb" in other.stderr


def test_a_flusher_that_does_not_end_is_told(
    hv: Hv, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_counts, "WAITS_FOR_FLUSHER_S", 0)
    with services_of(data) as services:
        services.spool.append(segment(0))
        with the_only_reader(services.spool_dir):
            made = hv("backup", "backup")

    assert made.status == 1
    assert "being brought to the sinks" in made.stderr
    assert not Path("backup").exists()


def test_damaged_counts_make_nothing(hv: Hv, data: Path) -> None:
    with services_of(data) as services:
        services.spool.append(segment(0))
        assert hv("backup", "backup").status == 0
    (file,) = Path("backup", "spool").iterdir()
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()) * 2))

    restored = hv("--data", "other", "restore", "backup")

    assert (restored.status, file.name in restored.stderr) == (1, True)
    assert not Path("other").exists()
