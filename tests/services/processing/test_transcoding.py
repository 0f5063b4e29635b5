"""
From uploaded bytes to a published video, and what may go wrong on the way.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest

from hvcore.assembly import build
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.processing.encoding import AudioCodec, EncodingSettings, Preset
from hvcore.domain.processing.transcoding import Part, TranscodeOrder
from hvcore.domain.tasks.task import MAX_ATTEMPTS, MAX_LOSSES, Lane, NewTask, TaskState
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import (
    HvError,
    InvalidGcsPathError,
    InvalidParametersError,
    ProcessingInProgressError,
    UnavailableError,
)
from tests.services.conftest import MP4, World


def test_an_upload_that_is_processed_gets_ready(world: World) -> None:
    video_id = world.processed()
    assert world.video(video_id).state is VideoState.TRANSCODING

    world.run_tasks()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert [rung.key for rung in video.rungs] == ["480p", "720p"]
    assert f"{video.media_root}/master.m3u8" in world.files()


def test_a_family_b_upload_starts_by_itself(world: World) -> None:
    granted = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="clip.mp4"), world.wanted()
    )

    world.send(granted.grant)
    world.run_tasks()

    assert granted.grant.video_id is not None
    assert world.video(granted.grant.video_id).state is VideoState.READY


def test_many_parts_are_joined_in_order_whoever_ran_them(world: World) -> None:
    world.transcoder.parts = 7
    video_id = world.processed()

    world.run_everything()

    media = world.video(video_id).media
    assert media is not None
    assert [s.number for s in media.tracks[0].track.segments] == list(range(7))
    assert len(media.tracks[0].pieces) == 7


@pytest.mark.long
def test_the_parts_of_twelve_hours_are_joined(world: World) -> None:
    world.transcoder.parts = 721
    video_id = world.processed()

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media is not None
    assert len(video.media.tracks[0].pieces) == 721


@pytest.mark.parametrize(("workers", "expected"), [(0, 1), (5, 5), (None, 1)])
def test_a_job_is_planned_for_the_workers_that_are_there(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    workers: int | None,
    expected: int,
) -> None:
    def count(_: Lane) -> int:
        if workers is None:
            raise UnavailableError("The queue does not answer.")
        return workers

    monkeypatch.setattr(world.queue, "workers", count)
    planned: list[int] = []
    plan = world.transcoder.plan

    def note(order: TranscodeOrder) -> tuple[Part, ...]:
        planned.append(order.workers)
        return plan(order)

    monkeypatch.setattr(world.transcoder, "plan", note)
    world.processed()

    world.run_everything()

    # Once: whoever runs a part does not plan it again.
    assert planned == [expected]


def _cut(index: int, order: TranscodeOrder, bounds_s: list[float]) -> Part:
    is_last = index == len(bounds_s) - 1
    return Part(
        index=index,
        order=order,
        weight=1 / len(bounds_s),
        start_s=bounds_s[index],
        end_s=None if is_last else bounds_s[index + 1],
        has_pictures=True,
        has_sound=is_last,
    )


def test_a_part_is_run_as_it_was_planned_whatever_version_runs_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plan_with(*bounds_s: float) -> None:
        def plan(order: TranscodeOrder) -> tuple[Part, ...]:
            return tuple(_cut(n, order, [*bounds_s]) for n in range(len(bounds_s)))

        monkeypatch.setattr(world.transcoder, "plan", plan)

    made: list[Part] = []

    def note(part: Part) -> None:
        made.append(part)
        # Another version of the transcoder runs the others, and cuts differently.
        plan_with(0.0)

    plan_with(0.0, 6.0)
    world.transcoder.before_part = note
    video_id = world.processed()

    world.run_everything()

    made.sort(key=lambda part: part.index)
    assert made == [_cut(n, made[0].order, [0.0, 6.0]) for n in range(2)]
    assert world.video(video_id).state is VideoState.READY


def test_a_part_whose_task_does_not_keep_it_is_looked_up_in_the_plan(
    world: World,
) -> None:
    world.transcoder.parts = 2
    video_id = world.processed()
    with world.services.uow.read() as work:
        (plan,) = work.tasks.of_subject(video_id)
    world.services.task_runs.run(plan.id, worker="test:1", stopping=lambda: False)
    with world.services.uow.read() as work:
        parts = work.tasks.of_subject(video_id, kind="transcode.part")
    for part in parts:
        task = world.services.task_runs.take(part.id, worker="test:1")
        assert task is not None
        payload = {name: task.payload[name] for name in ("job", "part", "weight")}
        with world.services.uow.write() as work:
            assert work.tasks.put_back(task, payload=payload)
            work.commit()

    world.run_everything()

    assert len(parts) == 2
    assert world.video(video_id).state is VideoState.READY


def test_sixteen_equal_process_requests_start_one_job(world: World) -> None:
    path = world.uploaded().path
    start = threading.Barrier(16)

    def ask(_: int) -> str:
        start.wait()
        try:
            return world.services.processing.process(world.env, path, world.wanted())
        except HvError as error:
            return error.code

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(16)))

    assert answers.count("processing_in_progress") == 15
    assert sum(a.startswith("vid_") for a in answers) == 1


def test_an_unusable_source_fails_at_once_with_its_reason(world: World) -> None:
    video_id = world.processed(b"unusable")

    world.run_tasks()

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "The file is not a video."


def test_a_job_that_is_planned_without_parts_fails_with_its_reason(
    world: World,
) -> None:
    world.transcoder.parts = 0
    video_id = world.processed()

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "The transcoder planned no work for this video."


def test_a_part_that_fails_is_tried_three_times(world: World) -> None:
    video_id = world.processed(b"broken")

    world.run_everything()

    assert world.transcoder.attempts == MAX_ATTEMPTS
    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "The encoder failed."
    assert "it just did" not in str(video)


def test_a_failed_video_can_be_processed_again_with_new_wishes(world: World) -> None:
    path = world.uploaded(b"broken").path
    video_id = world.services.processing.process(world.env, path, world.wanted())
    world.run_everything()

    again = world.services.processing.process(world.env, path, world.wanted())

    assert again == video_id
    assert world.video(video_id).state is VideoState.TRANSCODING


def test_a_failed_video_can_be_retried(world: World) -> None:
    video_id = world.processed(b"unusable")
    world.run_tasks()

    world.services.processing.retry(world.caller, "org_a", video_id)

    assert world.video(video_id).state is VideoState.TRANSCODING


def test_a_path_without_bytes_cannot_be_processed(world: World) -> None:
    granted = world.services.uploads.grant(
        world.env, FileWanted(file_name="a.mp4", content_type=MP4)
    )

    for path in (granted.grant.path, "uploads/org_a/x/y", "../secrets.json", ""):
        with pytest.raises(InvalidGcsPathError):
            world.services.processing.process(world.env, path, world.wanted())


def test_the_upload_of_a_deleted_video_cannot_be_processed(world: World) -> None:
    path = world.uploaded().path
    video_id = world.services.processing.process(world.env, path, world.wanted())
    world.services.deletion.delete(world.caller, "org_a", video_id, None)

    with pytest.raises(InvalidGcsPathError):
        world.services.processing.process(world.env, path, world.wanted())


def test_a_setting_that_the_transcoder_lacks_is_refused_at_the_request(
    world: World,
) -> None:
    wanted = VideoWanted(
        settings=EncodingSettings(preset=Preset.HIGH, audio_codec=AudioCodec.AAC_HE),
        is_public=False,
    )

    with pytest.raises(InvalidParametersError, match="text") as caught:
        world.services.processing.process(world.env, world.uploaded().path, wanted)
    assert caught.value.http_status == 422


def test_deleting_stops_the_job_and_nothing_is_published(world: World) -> None:
    video_id = world.processed()

    def delete(_: Part) -> None:
        world.services.deletion.delete(world.caller, "org_a", video_id, None)

    world.transcoder.before_part = delete
    world.run_everything()
    world.clock.move(hours=1)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()

    assert world.video(video_id).state is VideoState.DELETED
    assert world.files(media_prefix(video_id)) == []
    assert world.files("uploads/") == []


def test_a_worker_that_lost_its_lease_publishes_nothing(world: World) -> None:
    video_id = world.processed()
    seen = []

    def vanish(part: Part) -> None:
        # The first attempt sleeps through its lease; the second one runs on.
        if seen:
            return
        seen.append(part)
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks(worker="test:2")

    world.transcoder.before_part = vanish
    world.run_tasks(worker="test:1")

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media is not None
    folders = {piece.folder for t in video.media.tracks for piece in t.pieces}
    assert len(folders) == 1
    kept = {path.split("/")[3] for path in world.files("media/") if ".m4s" in path}
    assert kept == folders


def test_a_worker_that_vanishes_costs_no_attempt(world: World) -> None:
    video_id = world.processed()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    for _ in range(MAX_LOSSES):
        with world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_task_that_kills_every_worker_fails_in_the_end(world: World) -> None:
    video_id = world.processed()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    for _ in range(MAX_LOSSES + 1):
        with world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "Processing was interrupted too often."


def test_a_stopping_worker_hands_its_task_back(world: World) -> None:
    video_id = world.processed()
    stopping: list[bool] = []
    world.transcoder.before_part = lambda _: stopping.append(True)
    runs = world.services.task_runs
    world.queue.consume(
        lambda task_id: runs.run(
            task_id, worker="test:1", stopping=lambda: bool(stopping)
        ),
        lanes=list(Lane),
        until=lambda: bool(stopping),
    )

    with world.services.uow.read() as work:
        part = work.tasks.of_subject(video_id, kind="transcode.part")[0]
    assert part.state in {TaskState.DUE, TaskState.QUEUED}
    assert (part.attempts, part.losses) == (0, 0)


def test_a_lost_message_is_rung_again(world: World) -> None:
    video_id = world.processed()
    world.queue.messages.clear()

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_repeated_message_changes_nothing(world: World) -> None:
    video_id = world.processed()
    world.queue.messages *= 3

    world.run_tasks()

    assert world.video(video_id).state is VideoState.READY
    assert world.transcoder.attempts == 1


def test_processing_a_ready_video_again_is_a_conflict(world: World) -> None:
    path = world.uploaded().path
    world.services.processing.process(world.env, path, world.wanted())
    world.run_tasks()

    with pytest.raises(ProcessingInProgressError, match="ready"):
        world.services.processing.process(world.env, path, world.wanted())


def test_a_worker_that_lost_its_lease_leaves_published_files_alone(
    world: World,
) -> None:
    video_id = world.processed()
    seen: list[list[str]] = []

    def vanish() -> None:
        # The first attempt sleeps through its lease; the second one publishes.
        if seen:
            return
        seen.append([])
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks(worker="test:2")
        seen.append(world.files("media/"))

    world.transcoder.before_assembling = vanish
    world.run_tasks(worker="test:1")

    assert world.video(video_id).state is VideoState.READY
    assert any(path.endswith("master.m3u8") for path in seen[1])
    assert world.files("media/") == seen[1]


def task_of_a_newer_version(world: World) -> NewTask:
    task = NewTask(
        kind="newer.kind",
        lane=Lane.LIGHT,
        org_id=world.env.org_id,
        subject="x",
    )
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    return task


def test_a_task_that_nobody_can_run_holds_up_no_other(world: World) -> None:
    unknown = task_of_a_newer_version(world)
    for _ in range(MAX_LOSSES + 1):
        with world.services.uow.write() as work:
            work.tasks.lease(unknown.id, worker="test:dead")
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
    video_id = world.processed()

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY
    with world.services.uow.read() as work:
        ended = work.tasks.find(unknown.id)
    assert ended is not None
    assert ended.state is TaskState.FAILED


def test_a_task_of_a_newer_version_waits_for_its_worker(world: World) -> None:
    unknown = task_of_a_newer_version(world)

    world.run_tasks()

    with world.services.uow.read() as work:
        waiting = work.tasks.find(unknown.id)
    assert waiting is not None
    assert waiting.state is TaskState.DUE
    assert (waiting.attempts, waiting.losses) == (0, 0)


def test_a_job_waits_while_storage_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnavailableError("The storage is full.")

    video_id = world.processed()
    with monkeypatch.context() as patch:
        patch.setattr(world.services.storage, "put_file", refuse)
        for _ in range(MAX_ATTEMPTS + 2):
            world.run_everything()
        assert world.video(video_id).state is VideoState.TRANSCODING

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_video_whose_source_is_gone_fails_with_that_reason(world: World) -> None:
    video_id = world.processed()
    (source,) = world.files("uploads/")
    (world.storage_dir / source).unlink()

    world.run_everything()

    assert world.video(video_id).failure_reason == (
        "The uploaded file is not there any more."
    )


def test_a_job_of_a_video_that_moved_on_does_nothing(world: World) -> None:
    video_id = world.processed()
    with world.services.uow.read() as work:
        (plan,) = work.tasks.of_subject(video_id)
    for kind in ("transcode.plan", "transcode.part", "transcode.assemble"):
        stale = NewTask(
            kind=kind,
            lane=Lane.LIGHT,
            org_id=world.env.org_id,
            subject=video_id,
            payload={"job": "job_earlier", "part": 0, "weight": 1.0},
        )
        with world.services.uow.write() as work:
            work.tasks.add([stale])
            work.commit()

    world.run_everything()

    assert plan.payload["job"] == world.video(video_id).job_id
    assert world.video(video_id).state is VideoState.READY
    assert world.transcoder.attempts == 1


def test_a_task_ordered_without_ringing_is_rung_by_the_next_sweep(
    world: World,
) -> None:
    path = world.uploaded().path
    overrides = {"clock": world.clock}
    with build(world.services.settings, overrides=overrides, rings=False) as tool:
        overridden = attrs.evolve(tool.processing, transcoder=world.transcoder)
        video_id = overridden.process(world.env, path, world.wanted())
    assert world.queue.messages == []

    world.services.task_runs.sweep(holder="test")
    world.run_tasks()

    assert world.video(video_id).state is VideoState.READY


def test_a_job_without_minutes_fails_with_the_reason_and_can_be_tried_again(
    world: World,
) -> None:
    first, second = world.processed(), world.processed()
    world.services.quotas.change(world.env.org_id, {"encoded_minutes_per_month": 0})

    world.run_everything()

    for video_id in (first, second):
        video = world.video(video_id)
        assert video.state is VideoState.FAILED
        assert video.failure_reason is not None
        assert "minutes of video for this month are used up" in video.failure_reason
    world.services.quotas.change(world.env.org_id, {"encoded_minutes_per_month": 1})
    world.services.processing.retry(world.caller, world.env.org_id, first)
    world.run_everything()
    assert world.video(first).state is VideoState.READY
    _, use = world.services.quotas.of(world.env.org_id)
    assert use.encoded_ms == round(world.video(first).duration_s * 1000)
    assert use.stored_bytes > len(MP4)
