"""
Parts that are made elsewhere: what is promised of each remote job.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import (
    PART_KINDS,
    TRANSCODE_CANCEL,
    TRANSCODE_REMOTE,
    TRANSCODE_REMOTE_ASSEMBLE,
)
from hvcore.domain.tasks.task import MAX_ATTEMPTS, Lane, NewTask, TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import InvalidParametersError
from hvcore.persistence.tables import transcode_jobs
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.services.processing.remote_world import RemoteWorld, remote_world
from tests.support.stores.object_store import s3_server


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture
def remote(tmp_path: Path, store: str) -> Iterator[RemoteWorld]:
    with remote_world(tmp_path, store) as made:
        yield made


def test_a_video_that_is_made_elsewhere_gets_ready(remote: RemoteWorld) -> None:
    video_id = remote.submitted()
    assert remote.part(video_id).state is TaskState.DUE

    remote.move_on(seconds=remote.service.length_s)

    video = remote.world.video(video_id)
    assert video.state is VideoState.READY
    assert [rung.key for rung in video.rungs] == ["480p", "720p"]
    assert len(remote.service.jobs) == 1


@pytest.mark.long
@pytest.mark.matrix
def test_120_polls_read_no_byte_of_the_source_and_none_of_what_was_made(
    remote: RemoteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    open_object = RemoteStorage.open

    def note(self: RemoteStorage, path: str, **of: object) -> object:
        opened.append(path)
        return open_object(self, path, **of)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(RemoteStorage, "open", note)
    remote.service.length_s = 4 * 3600
    videos = [remote.submitted() for _ in range(3)]

    while remote.service.polls < 3 * 120:
        remote.move_on(seconds=60)
    remote.move_on(hours=4)

    assert remote.service.source_bytes > 0
    for video_id in videos:
        assert remote.world.video(video_id).state is VideoState.READY
    assert [path for path in opened if path.startswith("uploads/")] == []
    assert [path for path in opened if "/p0s" in path] == []


def test_a_services_own_files_are_removed_once_the_video_is_published(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()
    remote.move_on(seconds=remote.service.length_s)

    media = remote.world.video(video_id).media
    assert media is not None
    storage = remote.world.services.storage
    folders = {i.path.split("/")[3] for i in storage.walk(f"media/{video_id}")}
    assert {piece.folder for t in media.tracks for piece in t.pieces} <= folders
    assert not [folder for folder in folders if folder.startswith("p0s")]


def test_progress_is_within_ten_points(remote: RemoteWorld) -> None:
    remote.service.length_s = 400
    video_id = remote.submitted()

    for elapsed_s in range(2, 400, 2):
        remote.move_on(seconds=2)
        shown = remote.world.video(video_id).progress
        assert abs(shown - 100 * elapsed_s / 400) <= 10

    # Asked for seldom enough: pauses grow.
    assert remote.service.polls < 60


def test_an_error_of_the_service_leads_to_a_second_remote_job(
    remote: RemoteWorld,
) -> None:
    remote.service.failing = 1
    video_id = remote.submitted()
    first = remote.remote_job(video_id)

    for _ in range(3):
        remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY
    (failed, second) = remote.service.jobs.values()
    assert failed.key != second.key
    assert failed.wanted["target"] != second.wanted["target"]
    assert remote.service.cancels == [first.handle]


def test_each_attempt_fails_by_itself_until_none_is_left(remote: RemoteWorld) -> None:
    remote.service.failing = 99
    video_id = remote.submitted()

    for _ in range(9):
        remote.move_on(seconds=remote.service.length_s)

    video = remote.world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "The service could not make it."
    assert len(remote.service.jobs) == MAX_ATTEMPTS


def test_an_outage_of_the_service_costs_no_attempt_and_no_remote_job(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()
    remote.service.is_down = True
    for _ in range(2 * MAX_ATTEMPTS):
        remote.move_on(minutes=2)
    assert remote.part(video_id).attempts == 0

    remote.service.is_down = False
    remote.move_on(minutes=2)

    assert remote.world.video(video_id).state is VideoState.READY
    assert len(remote.service.jobs) == 1


def test_a_deadline_that_passes_cancels_and_tries_again(remote: RemoteWorld) -> None:
    remote.service.length_s = 24 * 3600
    video_id = remote.submitted()

    remote.move_on(hours=12, minutes=1)
    remote.service.length_s = 60
    remote.move_on(seconds=5)
    remote.move_on(seconds=60)

    assert remote.world.video(video_id).state is VideoState.READY
    assert remote.service.cancels == ["job-1"]
    assert list(remote.service.jobs) == ["job-1", "job-2"]


def test_an_outage_before_a_job_is_submitted_does_not_use_up_the_deadline(
    remote: RemoteWorld,
) -> None:
    video_id = remote.planned()
    remote.service.is_down = True
    remote.world.run_tasks()
    remote.move_on(days=3)
    remote.service.is_down = False

    remote.move_on(minutes=2)
    remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY
    assert len(remote.service.jobs) == 1


def test_a_job_that_the_service_lost_is_submitted_anew(remote: RemoteWorld) -> None:
    video_id = remote.submitted()
    remote.service.jobs.clear()

    remote.move_on(seconds=5)
    remote.move_on(seconds=5)
    remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY


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


@pytest.mark.long
@pytest.mark.matrix
def test_cancelling_survives_an_outage(remote: RemoteWorld) -> None:
    videos = [remote.submitted() for _ in range(20)]
    remote.service.length_s = 10 * 24 * 3600
    remote.service.is_down = True
    for video_id in videos:
        remote.delete(video_id)
    for _ in range(60):
        remote.move_on(minutes=1)
    assert len(remote.waiting_cancels()) == 20

    remote.service.is_down = False
    next_try = min(task.not_before for task in remote.waiting_cancels())
    pause = next_try - remote.world.clock.now()
    # The first that is confirmed hurries all others.
    remote.move_on(seconds=pause.total_seconds())

    assert remote.service.running() == []
    assert len(remote.service.cancels) == 20
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


def test_a_job_goes_on_where_it_began_when_the_settings_change(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()
    changes = {
        "HV_TRANSCODER__BACKEND": "ffmpeg",
        "HV_TRANSCODER__FURTHER__FAR__URL": remote.service.url,
    }

    with remote.restarted(changes) as again:
        again.move_on(seconds=remote.service.length_s)

        assert again.world.video(video_id).state is VideoState.READY
    assert len(remote.service.jobs) == 1


def test_a_job_whose_transcoder_is_gone_waits_and_says_what_to_set(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()

    with remote.restarted({"HV_TRANSCODER__BACKEND": "ffmpeg"}) as again:
        again.move_on(seconds=remote.service.length_s)

        part = again.part(video_id)
    assert (part.state, part.attempts) == (TaskState.DUE, 0)
    assert "HV_TRANSCODER__FURTHER__FAR__URL" in part.error


def test_a_machine_without_room_leaves_the_remote_job_alone(
    remote: RemoteWorld,
) -> None:
    video_id = remote.submitted()
    work_dir = remote.world.services.transcoding.workspaces.work_dir
    kept = work_dir.rename(work_dir.with_name("kept"))
    # Nothing can be made below a file.
    work_dir.write_text("")
    for _ in range(MAX_ATTEMPTS + 1):
        remote.move_on(minutes=2)
    part = remote.part(video_id)

    work_dir.unlink()
    kept.rename(work_dir)
    remote.move_on(minutes=2)

    assert (part.state, part.attempts) == (TaskState.DUE, 0)
    assert "no room" in part.error
    assert remote.world.video(video_id).state is VideoState.READY
    assert remote.service.cancels == []
    assert len(remote.service.jobs) == 1


def submitted_twice(remote: RemoteWorld) -> str:
    """
    Have a worker pause before it submits a job until another one has submitted it.
    """
    video_id = remote.world.processed()

    def submit_by_another() -> None:
        remote.service.on_submit = lambda: None
        remote.world.clock.move(seconds=60)
        remote.world.services.task_runs.sweep(holder="test")
        remote.world.run_tasks("test:2")

    remote.service.on_submit = submit_by_another
    remote.world.run_tasks()
    return video_id


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


def test_a_second_remote_job_takes_nothing_from_the_one_that_goes_on(
    remote: RemoteWorld,
) -> None:
    video_id = submitted_twice(remote)
    storage = remote.world.services.storage
    local = remote.world.services.settings.data_dir / "made"
    local.write_bytes(b"made")
    made = f"{remote.world.video(video_id).media_root}/p0s1/made.mp4"
    storage.put_file(made, local, content_type="video/mp4")

    remote.move_on(seconds=10)

    assert len(remote.service.cancels) == 1
    assert storage.stat(made).size_bytes == 4
    remote.move_on(seconds=remote.service.length_s)
    assert remote.world.video(video_id).state is VideoState.READY


def test_a_remote_job_that_the_next_worker_finds_by_key_is_not_cancelled(
    remote: RemoteWorld,
) -> None:
    remote.service.length_s = 24 * 3600
    video_id = remote.world.processed()

    def lose_the_lease() -> None:
        remote.world.clock.move(seconds=60)
        remote.world.services.task_runs.sweep(holder="test")

    remote.service.on_submit = lose_the_lease
    remote.world.run_tasks()
    remote.world.run_tasks()
    assert remote.remote_job(video_id).handle == "job-1"

    remote.move_on(minutes=16)

    assert remote.waiting_cancels() == []
    assert remote.service.cancels == []
    assert [job.id for job in remote.service.running()] == ["job-1"]


def test_a_job_that_names_no_transcoder_remembers_who_made_it(
    remote: RemoteWorld,
) -> None:
    # As jobs of versions before were.
    video_id = remote.planned()
    with remote.world.services.engine.begin() as connection:
        connection.execute(sa.update(transcode_jobs).values(transcoder=""))

    remote.world.run_tasks()

    assert remote.remote_job(video_id).transcoder == "far"


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


def test_only_cancellations_can_be_given_up(remote: RemoteWorld) -> None:
    part = remote.part(remote.submitted())

    with pytest.raises(InvalidParametersError, match="hv tasks --kind"):
        remote.world.services.remote_cancels.give_up(part.id)

    assert remote.part(part.subject).state is TaskState.DUE


def test_a_version_that_makes_nothing_elsewhere_leaves_such_parts_to_others(
    remote: RemoteWorld,
) -> None:
    # While versions change, its workers run beside those that do.
    services = remote.world.services
    runs = services.task_runs
    new = {TRANSCODE_REMOTE, TRANSCODE_REMOTE_ASSEMBLE}
    known = {kind: one for kind, one in runs.handlers.items() if kind not in new}
    video_id = remote.planned()

    vars(services)["task_runs"] = attrs.evolve(runs, handlers=known)
    remote.world.run_tasks()
    left = remote.part(video_id)
    vars(services)["task_runs"] = runs
    for _ in range(2):
        remote.move_on(minutes=2)

    assert (left.state, left.attempts) == (TaskState.DUE, 0)
    assert remote.world.video(video_id).state is VideoState.READY
    with services.uow.read() as work:
        kinds = {task.kind for task in work.tasks.of_subject(video_id)}
    assert TRANSCODE_REMOTE_ASSEMBLE in kinds
    assert kinds & {*PART_KINDS} == {TRANSCODE_REMOTE}


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
