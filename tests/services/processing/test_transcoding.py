"""
From uploaded bytes to a published video, and what may go wrong on the way.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hvcore.domain.media_paths import media_prefix
from hvcore.domain.processing.encoding import AudioCodec, EncodingSettings, Preset
from hvcore.domain.processing.transcoding import Part, TranscodeOrder
from hvcore.domain.tasks.task import MAX_ATTEMPTS, Lane, NewTask, TaskState
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


def test_a_path_without_bytes_cannot_be_processed(world: World) -> None:
    granted = world.services.uploads.grant(
        world.env, FileWanted(file_name="a.mp4", content_type=MP4)
    )

    with pytest.raises(InvalidGcsPathError, match="No bytes were uploaded"):
        world.services.processing.process(world.env, granted.grant.path, world.wanted())
    for path in ("uploads/org_a/x/y", "../secrets.json", ""):
        with pytest.raises(InvalidGcsPathError, match="not a bucketPath"):
            world.services.processing.process(world.env, path, world.wanted())


def test_the_upload_of_a_deleted_video_cannot_be_processed(world: World) -> None:
    path = world.uploaded().path
    video_id = world.services.processing.process(world.env, path, world.wanted())
    world.services.deletion.delete(world.caller, "org_a", video_id, None)

    with pytest.raises(InvalidGcsPathError, match="was deleted"):
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


def test_processing_a_ready_video_again_is_a_conflict(world: World) -> None:
    path = world.uploaded().path
    world.services.processing.process(world.env, path, world.wanted())
    world.run_tasks()

    with pytest.raises(ProcessingInProgressError, match="ready"):
        world.services.processing.process(world.env, path, world.wanted())


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
    with world.services.uow.read() as work:
        tasks = work.tasks.of_subject(video_id)
    stale_ends = {t.state for t in tasks if t.payload.get("job") == "job_earlier"}
    assert stale_ends == {TaskState.DONE}
