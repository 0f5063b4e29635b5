"""
Direct uploads that the store or the service refuses, and their retries.
"""

import pytest

from hvcore import metrics
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    InvalidGcsPathError,
)
from tests.metrics.readings import Growth
from tests.services.conftest import MP4, World
from tests.services.uploads.direct import (
    DATA,
    granted,
    granted_video,
    objects,
    put,
)
from tests.services.uploads.direct_uploads.direct_steps import used_bytes


@pytest.mark.parametrize(
    ("data", "content_type"), [(DATA + b"x", MP4), (DATA, "video/webm")]
)
def test_an_upload_that_was_not_granted_is_refused_by_the_store(
    world: World, data: bytes, content_type: str
) -> None:
    assert put(granted(world), data, content_type) == 403


def test_a_type_is_signed_by_the_name_that_it_was_given(world: World) -> None:
    file = FileWanted(
        file_name="a.mkv", content_type="video/matroska", size_bytes=len(DATA)
    )
    answer = world.services.uploads.grant_video(world.env, file, world.wanted())
    assert answer.is_direct

    assert put(answer, DATA, "video/matroska") == 200

    world.run_everything()
    assert world.video(answer.grant.video_id or "").state is VideoState.READY


def test_bytes_that_were_sent_without_a_type_are_taken(any_file: World) -> None:
    world = any_file
    answer = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="a"), world.wanted()
    )
    assert put(answer, DATA, "application/octet-stream") == 200

    world.run_everything()

    assert world.video(answer.grant.video_id or "").state is VideoState.READY


@pytest.mark.parametrize(
    ("data", "content_type", "reason"),
    [(DATA, "text/html", "Content-Type text/html"), (b"", MP4, "0 bytes")],
)
def test_an_upload_that_the_store_could_not_refuse_fails_with_its_reason(
    any_file: World, data: bytes, content_type: str, reason: str
) -> None:
    world = any_file
    answer = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="a"), world.wanted()
    )
    assert answer.is_direct
    assert put(answer, data, content_type) == 200
    metrics.switch_on()
    refused = Growth({"hv_uploads_total": {"outcome": "refused"}})

    world.run_everything()

    assert refused.of_all() == {"hv_uploads_total": 1}
    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert reason in (video.failure_reason or "")
    assert list(world.services.storage.walk(answer.grant.path)) == []


def test_a_file_of_another_size_is_refused_when_it_is_to_be_processed(
    any_file: World, swift: str, bucket: str
) -> None:
    world = any_file
    answer = granted(world)
    # As a store does that does not look at lengths.
    storage = world.services.storage
    with (world.storage_dir.parent / "other").open("wb+") as file:
        file.write(b"short")
        file.seek(0)
        storage.write(f"{answer.grant.path}/arrival", file, content_type=MP4)

    with pytest.raises(InvalidGcsPathError, match=f"5 bytes, and {len(DATA)}"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())
    assert objects(swift, bucket) == []
    put(answer)
    world.services.processing.process(world.env, answer.grant.path, world.wanted())


def test_a_failed_upload_can_be_sent_and_tried_again(any_file: World) -> None:
    world = any_file
    answer = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="a"), world.wanted()
    )
    put(answer, DATA, "text/html")
    world.run_everything()
    video_id = answer.grant.video_id or ""

    put(answer, DATA, MP4)
    world.services.processing.retry(world.caller, world.env.org_id, video_id)
    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_retry_of_what_was_not_sent_again_says_so(any_file: World) -> None:
    world = any_file
    answer = world.services.uploads.grant_video(
        world.env, FileWanted(file_name="a"), world.wanted()
    )
    put(answer, DATA, "text/html")
    world.run_everything()
    video_id = answer.grant.video_id or ""

    world.services.processing.retry(world.caller, world.env.org_id, video_id)
    world.run_everything()

    assert world.video(video_id).state is VideoState.FAILED
    assert "upload the file again" in (world.video(video_id).failure_reason or "")


def test_a_file_over_the_quota_fails_and_is_not_counted(world: World) -> None:
    answer = granted_video(world)
    put(answer)
    world.services.quotas.change(world.env.org_id, {"stored_bytes": len(DATA) - 1})

    world.run_everything()

    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.FAILED
    assert "stored" in (video.failure_reason or "")
    world.clock.move(hours=8)
    world.run_everything()
    world.services.uploads.expire()
    assert used_bytes(world) == 0
