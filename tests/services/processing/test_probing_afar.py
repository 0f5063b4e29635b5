"""
Of a source in an object store, planning reads the index and the first packets.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import attrs
import pytest

from hvcore.domain.videos.states import VideoState
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.services.conftest import make_world
from tests.services.processing.remote_world import PLUGINS, remote_world
from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    s3_server,
    swift_server,
)

pytestmark = pytest.mark.services

PLAIN = ",".join(name for name in PLUGINS.split(",") if name.endswith(".plugin"))


@attrs.define
class ReadOfSources:
    """
    How many bytes of sources have come from the store.
    """

    count: int = 0


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> ReadOfSources:
    made = ReadOfSources()
    open_object = RemoteStorage.open

    def count(
        self: RemoteStorage, path: str, *, start: int = 0, end: int | None = None
    ) -> BinaryIO:
        file = open_object(self, path, start=start, end=end)
        if not path.startswith("uploads/"):
            return file
        with file:
            data = file.read()
        made.count += len(data)
        return BytesIO(data)

    monkeypatch.setattr(RemoteStorage, "open", count)
    return made


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """
    Six seconds of noise.
    """
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    noise = ["-vf", "noise=alls=60:allf=t", "-c:v", "libx264", "-b:v", "60M"]
    ffmpeg(*pattern("1280x720", "30", 6), *noise, "-preset", "ultrafast", path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def swift() -> Iterator[str]:
    with swift_server() as endpoint:
        yield endpoint


def test_planning_fetches_no_large_source(
    swift: str, film: bytes, read: ReadOfSources, tmp_path: Path
) -> None:
    chosen = {"HV_PLUGINS": PLAIN, "HV_TRANSCODER__BACKEND": "ffmpeg"}
    store = environ_of_swift(swift, new_swift_bucket(swift))
    with make_world(tmp_path, {**store, **chosen}) as world:
        video_id = world.processed(film)
        task_id, _ = world.queue.messages.pop(0)

        world.services.task_runs.run(task_id, worker="test:1", stopping=lambda: False)

        with world.services.uow.read() as work:
            parts = work.tasks.of_subject(video_id, kind="transcode.part")
    assert parts
    assert 0 < read.count < len(film) / 2


@pytest.mark.long
def test_segments_made_elsewhere_are_never_fetched(
    film: bytes, read: ReadOfSources, tmp_path: Path
) -> None:
    """
    The rule asks for the length, so this deployment's ffmpeg probes.
    """
    with (
        s3_server() as store,
        remote_world(
            tmp_path, store, routes="far if duration > 5 s", usual="ffmpeg"
        ) as remote,
    ):
        remote.service.length_s = 4 * 3600
        videos = [remote.world.processed(film) for _ in range(3)]
        remote.world.run_tasks()
        planned = read.count

        for _ in range(150):
            remote.move_on(seconds=60)
        assert remote.service.polls > 3 * 120
        remote.move_on(hours=4)

        for video_id in videos:
            assert remote.world.video(video_id).state is VideoState.READY
    assert 0 < planned < 3 * len(film) / 2
    assert read.count == planned
