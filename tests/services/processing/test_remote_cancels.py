"""
Jobs that are cancelled at the service that makes them.
"""

import pytest

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import (
    TRANSCODE_CANCEL,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import Lane, NewTask, TaskState
from hvcore.errors import InvalidParametersError
from hvcore.services.processing.attempt_cleanup import LATE_WRITERS_AFTER
from tests.services.processing.remote_world import RemoteWorld
from tests.services.processing.second_jobs import submitted_twice


@pytest.mark.long
@pytest.mark.matrix
def test_a_hundred_deleted_videos_are_cancelled_each(remote: RemoteWorld) -> None:
    videos = [remote.submitted() for _ in range(100)]
    assert len(remote.service.running()) == 100

    for video_id in videos:
        remote.delete(video_id)
    remote.world.run_tasks()

    assert remote.service.running() == []
    assert sorted(remote.service.cancels) == sorted(remote.service.jobs)


@pytest.mark.parametrize(
    ("deleted", "minutes"), [(3, 20), pytest.param(20, 60, marks=pytest.mark.long)]
)
@pytest.mark.matrix
def test_cancelling_survives_an_outage(
    remote: RemoteWorld, deleted: int, minutes: int
) -> None:
    videos = [remote.submitted() for _ in range(deleted)]
    remote.service.length_s = 10 * 24 * 3600
    remote.service.is_down = True
    for video_id in videos:
        remote.delete(video_id)
    for _ in range(minutes):
        remote.move_on(minutes=1)
    assert len(remote.waiting_cancels()) == deleted

    remote.service.is_down = False
    next_try = min(task.not_before for task in remote.waiting_cancels())
    pause = next_try - remote.world.clock.now()
    # The first that is confirmed hurries all others.
    remote.move_on(seconds=pause.total_seconds())

    assert remote.service.running() == []
    assert len(remote.service.cancels) == deleted
    assert remote.waiting_cancels() == []


def test_a_video_that_is_deleted_while_it_is_submitted_is_cancelled(
    remote: RemoteWorld,
) -> None:
    video_id = remote.world.processed()

    def delete_and_cancel() -> None:
        remote.delete(video_id)
        # Nobody knows the job as yet.
        remote.world.run_tasks("test:2")
        assert remote.service.cancels == []

    remote.service.on_submit = delete_and_cancel

    remote.world.run_tasks()

    assert len(remote.service.jobs) == 1
    assert remote.service.running() == []


def test_a_remote_job_whose_handle_nobody_knows_is_cancelled_when_it_may_have_come(
    remote: RemoteWorld,
) -> None:
    video_id = remote.planned()
    remote.service.is_down = True
    remote.world.run_tasks()
    key = remote.remote_job(video_id).key(remote.part(video_id).id)
    remote.service.is_down = False
    remote.delete(video_id)
    remote.world.run_tasks()
    # It was on its way until now.
    remote.service.submit({"key": key})
    remote.service.length_s = 24 * 3600

    remote.move_on(minutes=16)

    assert remote.service.running() == []


def test_a_cancelled_jobs_late_files_are_removed(remote: RemoteWorld) -> None:
    video_id = remote.submitted()
    target = f"{remote.world.video(video_id).media_root}/p0s1"
    remote.delete(video_id)
    remote.world.run_tasks()
    storage = remote.world.services.storage
    local = remote.world.services.settings.data_dir / "late"
    local.write_bytes(b"late")
    storage.put_file(f"{target}/late.mp4", local, content_type="video/mp4")

    remote.move_on(minutes=16)

    assert list(storage.walk(f"media/{video_id}")) == []


def test_a_part_that_was_never_submitted_is_not_cancelled(remote: RemoteWorld) -> None:
    video_id = remote.planned()

    remote.delete(video_id)

    assert remote.waiting_cancels() == []


def test_a_paused_workers_second_remote_job_is_cancelled(
    remote: RemoteWorld,
) -> None:
    remote.service.length_s = 24 * 3600
    video_id = submitted_twice(remote)
    kept = remote.remote_job(video_id).handle
    (of_other,) = {*remote.service.jobs} - {kept}

    remote.move_on(seconds=10)

    assert remote.service.cancels == [of_other]
    assert [job.id for job in remote.service.running()] == [kept]


def wrong_cancel(remote: RemoteWorld) -> str:
    """
    Order to cancel by a backend that has nothing made elsewhere.
    """
    remote.service.submit({"key": "key-1"})
    task = NewTask(
        kind=TRANSCODE_CANCEL,
        lane=Lane.OUTBOUND,
        org_id=remote.world.env.org_id,
        subject="vid_1",
        payload={
            "job": "job_1",
            "transcoder": "ffmpeg",
            "key": "key-1",
            "handle": "job-1",
            "target": "media/vid_1/job_1/p0s1",
        },
    )
    with remote.world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    return task.id


def test_a_backend_that_makes_nothing_elsewhere_confirms_nothing(
    remote: RemoteWorld, caplog: pytest.LogCaptureFixture
) -> None:
    wrong_cancel(remote)

    for _ in range(5):
        remote.move_on(minutes=2)

    (waiting,) = remote.waiting_cancels()
    assert waiting.state is TaskState.DUE
    assert "ffmpeg has nothing made elsewhere" in waiting.error
    assert "a cancellation is not confirmed" in caplog.text


def test_an_operator_gives_a_cancellation_up(remote: RemoteWorld) -> None:
    task_id = wrong_cancel(remote)
    remote.world.run_tasks()
    cancels = remote.world.services.remote_cancels

    given_up = cancels.give_up(TaskId(task_id))

    assert given_up.state is TaskState.FAILED
    assert "operator" in given_up.error
    with pytest.raises(InvalidParametersError, match="failed"):
        cancels.give_up(TaskId(task_id))


def test_files_of_a_given_up_cancellation_are_removed_later(
    remote: RemoteWorld, caplog: pytest.LogCaptureFixture
) -> None:
    task_id, video_id = wrong_cancel(remote), "vid_1"
    uow, now = remote.world.services.uow, remote.world.clock.now()

    remote.world.services.remote_cancels.give_up(TaskId(task_id))

    with uow.read() as work:
        (purge,) = work.tasks.unended(video_id, kind=VIDEO_PURGE)
    assert purge.payload == {"job": "job_1"}
    assert purge.not_before == now + LATE_WRITERS_AFTER
    (record,) = (one for one in caplog.records if "given up" in one.message)
    said = {name: getattr(record, f"hv_{name}") for name in ("task", "transcoder")}
    assert said == {"task": task_id, "transcoder": "ffmpeg"}
    assert record.__dict__["hv_handle"] == "job-1"


def test_only_cancellations_can_be_given_up(remote: RemoteWorld) -> None:
    part = remote.part(remote.submitted())

    with pytest.raises(InvalidParametersError, match="hv tasks --kind"):
        remote.world.services.remote_cancels.give_up(part.id)

    assert remote.part(part.subject).state is TaskState.DUE


def test_a_job_that_such_a_version_has_ended_is_cancelled(remote: RemoteWorld) -> None:
    video_id = remote.submitted()
    # It knows nothing of the part, so it does not end it.
    with remote.world.services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        assert video.mark_failed(video.job_id, "It ended.")
        work.videos.save(video)
        work.commit()

    remote.move_on(seconds=10)

    assert remote.service.running() == []


def test_a_part_that_fsck_cancels_is_cancelled_elsewhere_too(
    remote: RemoteWorld,
) -> None:
    part = remote.part(remote.submitted())

    remote.world.services.fsck._cancel(part)

    assert remote.part(part.subject).state is TaskState.CANCELLED
    assert len(remote.waiting_cancels()) == 1
