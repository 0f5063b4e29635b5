"""
What the store says about files that callers sent to it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.uploads.grants import UploadGranted, direct_upload_path
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import World, make_world
from tests.services.uploads.direct import (
    direct_world,
    granted,
    granted_video,
    new_bucket_of,
    put,
    take_in,
)


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


def object_of(bucket: str, upload: UploadGranted) -> str:
    return f"{bucket}/here/{direct_upload_path(upload.grant)}"


def wake(world: World, *objects: str) -> int:
    return world.services.storage_events.wake(objects)


def looks(world: World, upload: UploadGranted) -> int:
    with world.services.uow.read() as work:
        tasks = work.tasks.of_subject(upload.grant.id, kind=UPLOAD_TAKE)
    return sum(1 for task in tasks if not task.payload["watches"])


def test_a_file_is_taken_at_once_when_the_store_says_so(
    world: World, bucket: str
) -> None:
    upload = granted_video(world)
    assert put(upload) == 200
    world.run_tasks()
    assert world.video(upload.grant.video_id or "").state is VideoState.AWAITING_UPLOAD

    assert wake(world, object_of(bucket, upload)) == 1
    # The clock stands still: nobody would look for five seconds.
    world.run_tasks()

    assert world.video(upload.grant.video_id or "").state is VideoState.READY


def test_a_word_without_a_file_changes_nothing(world: World, bucket: str) -> None:
    upload = granted_video(world)

    assert wake(world, object_of(bucket, upload)) == 1
    world.run_tasks()
    assert world.video(upload.grant.video_id or "").state is VideoState.AWAITING_UPLOAD

    assert put(upload) == 200
    take_in(world)
    assert world.video(upload.grant.video_id or "").state is VideoState.TRANSCODING


def test_a_word_for_a_file_that_does_not_fit_makes_no_video_of_it(
    tmp_path: Path, swift: str, bucket: str
) -> None:
    with direct_world(tmp_path, swift, bucket, mode="on") as world:
        upload = granted_video(world)
        assert put(upload, content_type="text/html") in {200, 403}

        wake(world, object_of(bucket, upload))
        world.run_tasks()

        video = world.video(upload.grant.video_id or "")
        assert video.state is not VideoState.READY


def test_the_same_word_again_orders_no_second_look(world: World, bucket: str) -> None:
    upload = granted_video(world)
    one = object_of(bucket, upload)

    wake(world, one, one)
    wake(world, one)

    assert looks(world, upload) == 1


def test_a_word_after_the_file_was_taken_orders_nothing(
    world: World, bucket: str
) -> None:
    upload = granted_video(world)
    put(upload)
    take_in(world)

    assert wake(world, object_of(bucket, upload)) == 0


def test_an_upload_that_waits_for_a_process_request_goes_on_waiting(
    world: World, bucket: str
) -> None:
    upload = granted(world)
    put(upload)

    assert wake(world, object_of(bucket, upload)) == 0


def test_objects_of_others_are_passed_over(world: World, bucket: str) -> None:
    upload = granted_video(world)
    path = upload.grant.path
    strangers = [
        f"other/here/{path}/arrival",
        f"{bucket}/{path}/arrival",
        f"{bucket}/there/here/{path}/arrival",
        f"{bucket}/here/{path}",
        f"{bucket}/here/{path}/",
        f"{bucket}/here/{path}/arrival/arrival",
        f"{bucket}/here/{path}/0123456789abcdef",
        f"{bucket}/here/{path}/../arrival",
        f"{bucket}/here/uploads/../{path}/arrival",
        f"{bucket}/here/{path}/arrival\n",
        f"{bucket}/here/uploads/a/b/c/arrival",
        f"{bucket}/here/uploads/a/b/\x00/arrival",
        f"{bucket}/here/uploads/a/b/\ud800/arrival",
        f"{bucket}/here/uploads/a/b/{'c' * 100_000}/arrival",
        f"{bucket}/here/uploads/a/b/%/arrival",
        f"{bucket}/here/uploads/arrival",
        "",
        "/",
    ]

    assert wake(world, *strangers) == 0
    assert looks(world, upload) == 0


def test_many_words_come_at_once(world: World, bucket: str) -> None:
    uploads = [granted_video(world) for _ in range(3)]
    others = [f"{bucket}/here/uploads/a/b/{number}/arrival" for number in range(250)]

    assert wake(world, *others, *(object_of(bucket, one) for one in uploads)) == 3


def test_a_storage_to_which_nobody_else_sends_is_told_nothing(tmp_path: Path) -> None:
    with make_world(tmp_path, {}) as world:
        assert world.services.storage_events.place() is None
        assert wake(world, "bucket/here/uploads/a/b/c/arrival") == 0
