"""
Deleting: hidden at once, files gone soon, whatever the storage does.
"""

import pytest

from hvcore.domain.media_paths import media_prefix
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    UnavailableError,
)
from tests.services.conftest import World


def test_a_web_server_in_front_sees_no_file_of_a_deleted_video(
    world: World, ready: str
) -> None:
    world.services.deletion.delete(world.caller, "org_a", ready, None)

    assert world.files(media_prefix(world.video(ready).id)) == []


def test_the_files_of_a_deleted_video_are_removed(world: World, ready: str) -> None:
    world.services.deletion.delete(world.caller, "org_a", ready, None)

    world.run_tasks()

    assert world.files() == []


def test_a_purge_that_storage_refuses_goes_on_for_hours(
    world: World, ready: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> int:
        raise UnavailableError("no storage today")

    with monkeypatch.context() as patch:
        patch.setattr(world.services.storage, "delete_tree", refuse)
        world.services.deletion.delete(world.caller, "org_a", ready, None)
        for _ in range(30):
            world.run_tasks()
            world.clock.move(minutes=11)
            world.services.task_runs.sweep(holder="test")

    world.run_everything()

    assert world.files() == []


def test_the_source_of_a_deleted_video_goes_though_other_files_cannot(
    world: World, ready: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_tree = world.services.storage.delete_tree

    def refuse_media(prefix: str) -> int:
        if prefix == media_prefix(ready):
            raise UnavailableError("a file is held")
        return delete_tree(prefix)

    world.services.deletion.delete(world.caller, "org_a", ready, None)
    monkeypatch.setattr(world.services.storage, "delete_tree", refuse_media)
    world.run_tasks()

    assert world.files("uploads/") == []


def test_a_deleted_videos_late_files_are_removed_too(world: World, ready: str) -> None:
    world.services.deletion.delete(world.caller, "org_a", ready, None)
    world.run_tasks()
    late = world.storage_dir / media_prefix(world.video(ready).id) / "job_x" / "0.m4s"
    late.parent.mkdir(parents=True)
    late.write_bytes(b"late")

    world.clock.move(minutes=16)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()

    assert world.files() == []


def test_an_awaited_upload_is_cancelled_by_deleting_it(world: World) -> None:
    grant = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="clip.mp4"), world.wanted()
    ).grant

    world.services.deletion.delete(world.caller, "org_a", grant.video_id or "", None)

    assert world.video(grant.video_id or "").state is VideoState.DELETED
