"""
Services on a real database and real files, with a transcoder that is quick.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import KeyId, VideoId
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.tasks.task import Lane
from hvcore.domain.uploads.grants import FileWanted, UploadGrant
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.settings import load
from tests.services.locked_rows import noting_unlocked_saves
from tests.support.databases.migrated import lay_database
from tests.support.drawing import share_children
from tests.support.fakes import MemoryQueue, SettableClock, TextTranscoder

MP4 = "video/mp4"


@attrs.frozen(kw_only=True)
class World:
    """
    A service with one organization and one environment.
    """

    services: Services
    env: Environment
    caller: Principal
    clock: SettableClock
    queue: MemoryQueue
    transcoder: TextTranscoder
    storage_dir: Path

    def wanted(self) -> VideoWanted:
        """
        Ask for an ordinary private video.
        """
        return VideoWanted(
            settings=EncodingSettings(preset=Preset.HIGH), is_public=False
        )

    def file(self) -> FileWanted:
        """
        Name a file of which nothing else is known.
        """
        return FileWanted(file_name="clip.mp4")

    def send(self, grant: UploadGrant, data: bytes = b"video") -> UploadGrant:
        """
        Send bytes, as the upload address does.
        """
        uploads = self.services.uploads
        local = uploads.incoming_dir() / f"test-{grant.id}"
        local.write_bytes(data)
        return uploads.receive(grant.id, local, size_bytes=len(data), content_type=MP4)

    def uploaded(self, data: bytes = b"video") -> UploadGrant:
        """
        Grant and send an upload that waits for its process request.
        """
        granted = self.services.uploads.grant(
            self.env, FileWanted(file_name="clip.mp4", content_type=MP4)
        )
        return self.send(granted.grant, data)

    def processed(self, data: bytes = b"video") -> VideoId:
        """
        Upload and order processing; no task has run yet.
        """
        path = self.uploaded(data).path
        return self.services.processing.process(self.env, path, self.wanted())

    def video(self, video_id: str) -> Video:
        """
        Read a video, deleted or not.
        """
        with self.services.uow.read() as work:
            found = work.videos.find(video_id)
        assert found is not None
        return found

    def run_tasks(self, worker: str = "test:1") -> None:
        """
        Run what is in the queue, until there is nothing left.
        """
        self.queue.consume(
            lambda task_id: self.services.task_runs.run(
                task_id, worker=worker, stopping=lambda: False
            ),
            lanes=list(Lane),
            until=lambda: False,
        )

    def run_everything(self) -> None:
        """
        Run tasks and sweeps through all back-offs.
        """
        for _ in range(10):
            self.run_tasks()
            self.clock.move(seconds=60)
            self.services.task_runs.sweep(holder="test")

    def files(self, prefix: str = "") -> list[str]:
        """
        Name the files in storage, past the storage's own code.
        """
        return sorted(
            path.relative_to(self.storage_dir).as_posix()
            for path in self.storage_dir.rglob("*")
            if path.is_file()
            and path.relative_to(self.storage_dir).as_posix().startswith(prefix)
        )


@contextmanager
def make_world(
    folder: Path,
    environ: Mapping[str, str],
    *,
    config: str | None = None,
    clock: SettableClock | None = None,
    transcoder: TextTranscoder | None = None,
) -> Iterator[World]:
    """
    Make a service in a folder, with settings of its own.

    Only a transcoder that the settings choose is a real one.

    Args:
        config: TOML, for settings that are no text.
    """
    config_path = None
    if config is not None:
        config_path = folder / "hv.toml"
        config_path.write_text(config)
    settings = load(config_path=config_path, environ=environ, data_dir=folder).settings
    clock = clock or SettableClock()
    queue, transcoder = MemoryQueue(), transcoder or TextTranscoder()
    overrides: dict[str, object] = {"clock": clock, "queue": queue}
    if "HV_TRANSCODER__BACKEND" not in environ:
        overrides["transcoder"] = transcoder
    lay_database(settings)
    with build(settings, overrides=overrides) as services:
        share_children(services)
        services.migrate()
        services.tenants.create_organization("org_a")
        env = services.tenants.create_environment(
            "org_a", "live", EnvironmentKind.PRODUCTION
        )
        caller = Principal(
            key_id=KeyId("key_test"),
            type=KeyType.FULL_ACCESS,
            org_id=env.org_id,
            env_id=env.id,
            permissions=ALL_PERMISSIONS,
        )
        yield World(
            services=services,
            env=env,
            caller=caller,
            clock=clock,
            queue=queue,
            transcoder=transcoder,
            storage_dir=folder / "storage",
        )


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path, {}) as made:
        yield made


@pytest.fixture(autouse=True)
def _rows_are_locked_before_they_are_saved() -> Iterator[None]:
    with noting_unlocked_saves() as saved:
        yield
    assert saved == []
