"""
Direct uploads whose file never comes, comes late, or is no longer wanted.
"""

import pytest

from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.uploads.direct import LATE_PURGE_AFTER
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    InvalidGcsPathError,
)
from hvcore.services.processing.attempt_files import AttemptFiles
from tests.services.conftest import MP4, World
from tests.services.uploads.direct import (
    DATA,
    content,
    granted,
    granted_video,
    objects,
    put,
)
from tests.services.uploads.direct_uploads.direct_steps import (
    complete,
    look,
    used_bytes,
)


def test_bytes_sent_after_processing_began_change_nothing_and_are_removed(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted_video(world)
    put(answer)
    world.run_everything()
    video = world.video(answer.grant.video_id or "")

    assert put(answer, DATA[::-1]) == 200

    assert content(swift, bucket, video.source_path) == DATA
    assert len(objects(swift, bucket, answer.grant.path)) == 2
    world.clock.move(seconds=LATE_PURGE_AFTER.total_seconds() + 3600)
    world.run_everything()
    assert objects(swift, bucket, answer.grant.path) == [video.source_path]
    assert world.video(video.id).state is VideoState.READY


def test_bytes_sent_for_a_cancelled_video_are_removed(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted_video(world)
    world.services.deletion.delete(
        world.caller, world.env.org_id, answer.grant.video_id or "", None
    )
    world.run_everything()

    put(answer)

    assert objects(swift, bucket, answer.grant.path)
    world.clock.move(seconds=LATE_PURGE_AFTER.total_seconds() + 3600)
    world.run_everything()
    assert objects(swift, bucket) == []
    assert world.video(answer.grant.video_id or "").state is VideoState.DELETED


def test_a_file_that_is_never_processed_goes_after_a_day(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted(world)
    put(answer)

    world.clock.move(hours=26)
    world.services.uploads.expire()
    world.run_everything()

    assert objects(swift, bucket) == []
    with pytest.raises(InvalidGcsPathError, match="expired"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())


def test_a_video_whose_file_never_came_is_looked_for_no_more(world: World) -> None:
    answer = granted_video(world)
    for _ in range(40):
        world.clock.move(minutes=15)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks()
    world.services.uploads.expire()

    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(answer.grant.id, kind=UPLOAD_TAKE)
    assert task.state is TaskState.DONE
    assert world.video(answer.grant.video_id or "").state is VideoState.DELETED


def test_an_upload_that_began_in_time_may_end_later(world: World) -> None:
    answer = granted_video(world)

    world.clock.move(hours=3)
    put(answer)
    look(world)
    world.run_everything()

    assert world.video(answer.grant.video_id or "").state is VideoState.READY


def test_an_upload_reported_complete_outlives_an_outage(world: World) -> None:
    answer = granted_video(world)
    put(answer)
    complete(world, answer)
    assert world.video(answer.grant.video_id or "").state is VideoState.TRANSCODING

    world.clock.move(hours=50)
    world.services.uploads.expire()
    world.run_everything()

    assert world.video(answer.grant.video_id or "").state is VideoState.READY


def test_an_upload_sent_before_an_outage_is_not_taken_for_missing(
    world: World,
) -> None:
    answer, empty = granted_video(world), granted_video(world)
    put(answer)

    world.clock.move(hours=50)
    world.services.uploads.expire()
    world.run_everything()
    world.services.uploads.expire()

    assert world.video(answer.grant.video_id or "").state is VideoState.READY
    assert world.video(empty.grant.video_id or "").state is VideoState.DELETED


def test_the_sweep_of_a_job_removes_no_other_uploads(
    world: World, swift: str, bucket: str
) -> None:
    answer, other = granted_video(world), granted_video(world)
    put(answer)
    put(other)

    files = AttemptFiles(storage=world.services.storage)
    files.drop_other_sendings(world.video(answer.grant.video_id or ""))

    assert len(objects(swift, bucket)) == 2


def test_a_worker_that_gives_up_late_fails_no_newer_job(any_file: World) -> None:
    world = any_file
    answer = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="a"), world.wanted()
    )
    video_id = answer.grant.video_id or ""
    put(answer, DATA, MP4)
    complete(world, answer)
    with world.services.uow.read() as work:
        (look_task,) = [
            task
            for task in work.tasks.of_subject(answer.grant.id, kind=UPLOAD_TAKE)
            if not task.payload["watches"]
        ]
    late = world.services.task_runs.take(look_task.id, worker="gone:1")
    assert late is not None
    # Meanwhile another worker finds something else there, and its owner tries again.
    put(answer, DATA, "text/html")
    look(world)
    assert world.video(video_id).state is VideoState.FAILED
    put(answer, DATA, MP4)
    world.services.processing.retry(world.caller, world.env.org_id, video_id)

    with world.services.uow.write() as work:
        world.services.direct_uploads.give_up(work, late, "It was lost.", error="lost")
        work.commit()

    assert world.video(video_id).state is VideoState.TRANSCODING
    world.run_everything()
    assert world.video(video_id).state is VideoState.READY


def test_an_upload_that_never_came_frees_its_quota(world: World) -> None:
    granted_video(world)
    assert used_bytes(world) == len(DATA)

    for _ in range(2):
        world.clock.move(hours=7, minutes=1)
        world.run_everything()
        world.services.uploads.expire()

    assert used_bytes(world) == 0


def test_a_deleted_videos_file_is_not_taken_in(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted(world)
    put(answer)
    video_id = world.services.processing.process(
        world.env, answer.grant.path, world.wanted()
    )
    world.services.deletion.delete(world.caller, world.env.org_id, video_id, None)

    world.run_everything()

    assert objects(swift, bucket) == []
    assert world.video(video_id).state is VideoState.DELETED
