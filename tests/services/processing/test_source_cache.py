"""
Where storage is far away, a source is fetched once for all parts of a video.
"""

import os
import signal
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import fsspec
import pytest

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane
from hvcore.plugin_api import Storage
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.source_cache import KEPT_IDLE_S, SourceCache
from hvcore_storage_fsspec.options import FsspecOptions
from hvcore_storage_fsspec.plugin import build
from hvcore_worker import consume
from tests.plugins.transcoder_ffmpeg.conftest import make_context
from tests.services.conftest import World


class Reads:
    """
    Counts how often a piece of a source came.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


class Clock:
    """
    Seconds that pass when they are told to.
    """

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    """
    A storage that has no local paths.
    """
    options = FsspecOptions(url="memory://kept-sources")
    yield build(options, make_context(tmp_path))
    memory = fsspec.filesystem("memory")
    if memory.exists("/kept-sources"):
        memory.rm("/kept-sources", recursive=True)


@pytest.fixture
def kept(storage: Storage, tmp_path: Path, clock: Clock) -> SourceCache:
    """
    Keeps sources in a folder of its own.
    """
    return SourceCache(storage=storage, work_dir=tmp_path / "work", now=clock)


def _write(storage: Storage, path: str, data: bytes) -> None:
    storage.write(path, BytesIO(data), content_type="video/mp4")


def _copies(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "work").rglob("*") if path.is_file()]


def test_the_next_part_reads_what_the_first_one_fetched(
    kept: SourceCache, storage: Storage
) -> None:
    _write(storage, "uploads/a", b"first")
    reads = Reads()

    assert kept.fetch("uploads/a", reads).read_bytes() == b"first"
    assert kept.fetch("uploads/a", reads).read_bytes() == b"first"

    assert reads.count == 1


def test_there_is_one_source_at_a_time(
    kept: SourceCache, storage: Storage, tmp_path: Path
) -> None:
    _write(storage, "uploads/a", b"first")
    _write(storage, "uploads/b", b"second")
    kept.fetch("uploads/a", Reads())

    assert kept.fetch("uploads/b", Reads()).read_bytes() == b"second"

    assert len(_copies(tmp_path)) == 1


@pytest.mark.parametrize("stopped", [InterruptedError, KeyboardInterrupt, SystemExit])
def test_a_source_that_came_half_is_removed_and_fetched_again(
    kept: SourceCache, storage: Storage, tmp_path: Path, stopped: type[BaseException]
) -> None:
    _write(storage, "uploads/a", b"first")

    def stop() -> None:
        raise stopped

    with pytest.raises(stopped):
        kept.fetch("uploads/a", stop)

    assert _copies(tmp_path) == []
    assert kept.fetch("uploads/a", Reads()).read_bytes() == b"first"


def test_a_source_that_is_gone_is_not_served_from_here(
    kept: SourceCache, storage: Storage
) -> None:
    _write(storage, "uploads/a", b"first")
    kept.fetch("uploads/a", Reads())
    storage.delete_tree("uploads/a")

    with pytest.raises(ObjectNotFoundError):
        kept.fetch("uploads/a", Reads())


def test_a_copy_that_nobody_needs_goes_after_some_minutes(
    kept: SourceCache, storage: Storage, tmp_path: Path, clock: Clock
) -> None:
    _write(storage, "uploads/a", b"first")
    kept.fetch("uploads/a", Reads())
    kept.let_go()

    clock.s += KEPT_IDLE_S - 1
    kept.remove_idle()
    assert len(_copies(tmp_path)) == 1

    clock.s += 1
    kept.remove_idle()
    assert _copies(tmp_path) == []
    assert kept.fetch("uploads/a", Reads()).read_bytes() == b"first"


def test_a_copy_that_is_read_stays_however_long_it_takes(
    kept: SourceCache, storage: Storage, clock: Clock
) -> None:
    _write(storage, "uploads/a", b"first")
    kept.fetch("uploads/a", Reads())
    kept.let_go()
    copy = kept.fetch("uploads/a", Reads())

    clock.s += 10 * KEPT_IDLE_S
    kept.remove_idle()

    assert copy.read_bytes() == b"first"


def test_links_are_not_stored_as_what_they_lead_to(
    storage: Storage, tmp_path: Path
) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "out"
    secret.write_bytes(b"secret")
    (folder / "video").mkdir(parents=True)
    (folder / "video/0.m4s").write_bytes(b"0")
    (folder / "video/1.m4s").symlink_to(secret)
    (folder / "captions-0.vtt").write_bytes(b"WEBVTT")
    (folder / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(folder / "pipe")

    AttemptFiles(storage=storage).store(folder, "media/a")

    stored = {info.path for info in storage.walk("media/a")}
    assert stored == {"media/a/video/0.m4s", "media/a/captions-0.vtt"}


@pytest.fixture
def signals() -> Iterator[None]:
    """
    Give back the signals that a worker takes over.
    """
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("signals")
def test_a_worker_without_work_keeps_no_source(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = world.services
    kept = services.source_cache
    source = world.video(world.processed()).source_path
    copy = kept.fetch(source, lambda: None)
    world.run_tasks()
    monkeypatch.setattr(consume, "build", lambda _settings, **_work_dir: services)
    # Two workers use it, one after the other.
    monkeypatch.setattr(services, "close", lambda: None)

    def work() -> None:
        world.queue.put(TaskId("task_nobodys"), kind="none", lane=Lane.ENCODE)
        consume.run_worker(services.settings, [Lane.ENCODE])

    work()
    assert copy.exists()

    kept.now = lambda: time.monotonic() + KEPT_IDLE_S
    work()
    assert not copy.exists()
