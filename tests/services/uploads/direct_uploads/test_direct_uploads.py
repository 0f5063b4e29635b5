"""
Files that callers send straight to the object store.
"""

from pathlib import Path

import attrs
import pytest

from hvcore import metrics
from hvcore.domain.uploads.grants import FileWanted, GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ConfigError,
    ForbiddenError,
    InvalidGcsPathError,
    ProcessingInProgressError,
    QuotaExceededError,
    VideoNotFoundError,
)
from tests.metrics.readings import Growth
from tests.services.conftest import MP4, World, make_world
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
    state,
    used_bytes,
)


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
    with pytest.raises(ForbiddenError, match="not valid any more"):
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


def test_uploads_to_the_store_have_their_room_from_the_start(world: World) -> None:
    world.services.quotas.change(world.env.org_id, {"stored_bytes": 2 * len(DATA)})
    first, second = granted_video(world), granted(world)
    with pytest.raises(QuotaExceededError, match="storedBytes"):
        granted_video(world)

    put(first)
    complete(world, first)
    look(world)
    assert world.video(first.grant.video_id or "").source_path != first.grant.path
    assert used_bytes(world) >= 2 * len(DATA)
    with pytest.raises(QuotaExceededError, match="storedBytes"):
        granted(world)

    world.services.deletion.delete(
        world.caller, world.env.org_id, first.grant.video_id or "", None
    )
    assert used_bytes(world) == len(DATA)
    granted(world)
    assert state(world, second) is GrantState.DIRECT


def test_no_byte_of_it_passes_through_the_upload_folder(world: World) -> None:
    answer = granted_video(world)
    put(answer)
    world.run_everything()

    incoming = world.services.uploads.incoming_dir()
    assert list(incoming.iterdir()) == []
