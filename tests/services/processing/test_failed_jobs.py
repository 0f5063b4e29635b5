"""
Jobs that fail with a reason, and what their owners may do then.
"""

from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import MP4, World


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


def test_a_video_whose_source_is_gone_fails_with_that_reason(world: World) -> None:
    video_id = world.processed()
    (source,) = world.files("uploads/")
    (world.storage_dir / source).unlink()

    world.run_everything()

    assert world.video(video_id).failure_reason == (
        "The uploaded file is not there any more."
    )


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
