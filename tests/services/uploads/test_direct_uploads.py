"""
Files that callers send straight to the object store.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore import metrics
from hvcore.domain.tasks.kinds import UPLOAD_TAKE
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.uploads.direct import LATE_PURGE_AFTER
from hvcore.domain.uploads.grants import FileWanted, GrantState, UploadGranted
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ConfigError,
    ForbiddenError,
    InvalidGcsPathError,
    ProcessingInProgressError,
    QuotaExceededError,
    VideoNotFoundError,
)
from hvcore.services.processing.attempt_files import AttemptFiles
from tests.metrics.readings import Growth
from tests.services.conftest import MP4, World, make_world
from tests.services.uploads.direct import (
    DATA,
    content,
    direct_world,
    granted,
    granted_video,
    new_bucket_of,
    objects,
    put,
)


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


@pytest.fixture
def any_file(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    """
    A service whose addresses are the store's whatever they bind.
    """
    with direct_world(tmp_path, swift, bucket, mode="on") as made:
        yield made


def state(world: World, granted: UploadGranted) -> GrantState:
    with world.services.uow.read() as work:
        grant = work.grants.find(granted.grant.id)
    assert grant is not None
    return grant.state


def complete(world: World, granted: UploadGranted) -> None:
    world.services.direct_uploads.complete(
        world.caller, world.env.org_id, granted.grant.video_id or ""
    )


def look(world: World) -> None:
    """
    Let the time pass after which somebody looks.
    """
    world.clock.move(seconds=10)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


def used_bytes(world: World) -> int:
    return world.services.quotas.of_one(world.env.org_id).use.stored_bytes


def test_the_address_is_the_stores_own(world: World, swift: str) -> None:
    answer = granted(world)

    assert answer.is_direct
    assert answer.signed_url.startswith(f"{swift}/")
    assert answer.grant.path in answer.signed_url
    assert state(world, answer) is GrantState.DIRECT


@pytest.mark.parametrize(
    "file",
    [
        FileWanted(file_name="a"),
        FileWanted(file_name="a", content_type=MP4),
        FileWanted(file_name="a", size_bytes=5),
        FileWanted(file_name="a", content_type=MP4, size_bytes=5, tus_metadata="x"),
    ],
)
def test_a_file_that_no_address_can_bind_comes_through_the_service(
    world: World, file: FileWanted
) -> None:
    answer = world.services.uploads.grant_video(world.env, file, world.wanted())

    assert not answer.is_direct
    assert answer.signed_url.startswith("http://127.0.0.1:8081/upload/")


def test_a_storage_that_signs_nothing_takes_uploads_as_ever(tmp_path: Path) -> None:
    with make_world(tmp_path, {"HV_UPLOADS__DIRECT": "auto"}) as world:
        assert not granted(world).is_direct


def test_a_storage_that_signs_nothing_cannot_be_made_to(tmp_path: Path) -> None:
    with (
        make_world(tmp_path, {"HV_UPLOADS__DIRECT": "on"}) as world,
        pytest.raises(ConfigError, match=r"uploads\.direct"),
    ):
        _ = world.services.uploads


def test_our_own_address_takes_nothing_of_it(world: World) -> None:
    with pytest.raises(ForbiddenError):
        world.services.uploads.open_upload(granted(world).grant.id)


def test_a_sent_file_is_processed_when_it_is_asked_for(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted(world)
    assert put(answer) == 200

    video_id = world.services.processing.process(
        world.env, answer.grant.path, world.wanted()
    )
    assert world.video(video_id).state is VideoState.TRANSCODING
    metrics.switch_on()
    taken = Growth(
        {"hv_uploads_total": {"outcome": "stored"}, "hv_upload_bytes_total": {}}
    )
    world.run_everything()

    assert world.video(video_id).state is VideoState.READY
    assert state(world, answer) is GrantState.USED
    assert taken.of_all() == {
        "hv_uploads_total": 1,
        "hv_upload_bytes_total": len(DATA),
    }
    (source,) = objects(swift, bucket, answer.grant.path)
    assert source == world.video(video_id).source_path
    assert content(swift, bucket, source) == DATA


def test_nothing_is_processed_before_it_was_sent(world: World) -> None:
    answer = granted(world)

    with pytest.raises(InvalidGcsPathError, match="No bytes"):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())
    assert state(world, answer) is GrantState.DIRECT


def test_a_sent_file_is_processed_once(world: World) -> None:
    answer = granted(world)
    put(answer)
    world.services.processing.process(world.env, answer.grant.path, world.wanted())

    with pytest.raises(ProcessingInProgressError):
        world.services.processing.process(world.env, answer.grant.path, world.wanted())


def test_processing_starts_by_itself_once_the_bytes_are_there(
    world: World, swift: str, bucket: str
) -> None:
    answer = granted_video(world)
    look(world)
    assert world.video(answer.grant.video_id or "").state is VideoState.AWAITING_UPLOAD

    put(answer)
    world.run_everything()

    video = world.video(answer.grant.video_id or "")
    assert video.state is VideoState.READY
    assert content(swift, bucket, video.source_path) == DATA
    assert objects(swift, bucket, answer.grant.path) == [video.source_path]


def test_processing_starts_at_once_when_the_sender_says_so(world: World) -> None:
    answer = granted_video(world)
    with pytest.raises(InvalidGcsPathError, match="No bytes"):
        complete(world, answer)

    put(answer)
    complete(world, answer)
    complete(world, answer)
    world.run_tasks()

    assert world.video(answer.grant.video_id or "").state is VideoState.READY
    complete(world, answer)


def test_a_process_request_also_sets_name_and_visibility(world: World) -> None:
    answer = granted_video(world)
    put(answer)
    wanted = attrs.evolve(world.wanted(), is_public=True, name="Another")

    video_id = world.services.processing.process(world.env, answer.grant.path, wanted)

    video = world.video(video_id)
    assert (video.is_public, video.name) == (True, "Another")


def test_a_foreign_or_deleted_video_cannot_be_completed(world: World) -> None:
    answer = granted_video(world)
    put(answer)

    with pytest.raises(VideoNotFoundError):
        world.services.direct_uploads.complete(
            world.caller, "org_other", answer.grant.video_id or ""
        )
    world.services.deletion.delete(
        world.caller, world.env.org_id, answer.grant.video_id or "", None
    )
    with pytest.raises(VideoNotFoundError):
        complete(world, answer)


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


def test_uploads_to_the_store_have_their_room_from_the_start(world: World) -> None:
    world.services.quotas.change(world.env.org_id, {"stored_bytes": 2 * len(DATA)})
    first, second = granted_video(world), granted(world)
    with pytest.raises(QuotaExceededError):
        granted_video(world)

    put(first)
    complete(world, first)
    look(world)
    assert world.video(first.grant.video_id or "").source_path != first.grant.path
    assert used_bytes(world) >= 2 * len(DATA)
    with pytest.raises(QuotaExceededError):
        granted(world)

    world.services.deletion.delete(
        world.caller, world.env.org_id, first.grant.video_id or "", None
    )
    assert used_bytes(world) == len(DATA)
    granted(world)
    assert state(world, second) is GrantState.DIRECT


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


def test_no_byte_of_it_passes_through_the_upload_folder(world: World) -> None:
    answer = granted_video(world)
    put(answer)
    world.run_everything()

    incoming = world.services.uploads.incoming_dir()
    assert list(incoming.iterdir()) == []
