"""
Parts that are made elsewhere: what is promised of each remote job.
"""

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.tasks.kinds import (
    PART_KINDS,
    TRANSCODE_REMOTE,
    TRANSCODE_REMOTE_ASSEMBLE,
)
from hvcore.domain.tasks.task import MAX_ATTEMPTS, TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.tables import transcode_jobs
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.services.processing.remote_world import RemoteWorld
from tests.services.processing.second_jobs import submitted_twice


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
