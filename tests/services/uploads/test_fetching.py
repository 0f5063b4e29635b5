"""
What is fetched becomes a video, once.
"""

import pytest

from hvcore.domain import limits
from hvcore.domain.tasks.kinds import FETCH_GET as FETCH_KIND
from hvcore.domain.tasks.task import Lane
from hvcore.domain.uploads.grants import FileWanted, GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ForbiddenError,
    InvalidParametersError,
)
from hvcore.services.uploads.fetching import file_name_of
from tests.services.uploads.fetching.outside import Outside
from tests.support.network.outbound import MP4


def test_a_fetched_file_becomes_a_video(outside: Outside) -> None:
    video_id = outside.video()
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)

    outside.world.run_everything()

    video = outside.world.video(video_id)
    assert video.state is VideoState.READY
    (source,) = outside.world.files("uploads/")
    assert source == video.source_path
    assert (outside.world.storage_dir / source).read_bytes() == MP4


def test_a_fetch_runs_in_its_own_lane_and_is_planned_when_the_bytes_are_there(
    outside: Outside,
) -> None:
    video_id = outside.video()

    with outside.world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    assert (task.kind, task.lane) == (FETCH_KIND, Lane.OUTBOUND)


def test_a_video_is_named_as_for_an_upload(outside: Outside) -> None:
    file = FileWanted(file_name="My holiday.mov")

    assert outside.world.video(outside.video(file=file)).name == "My holiday"


def test_the_address_is_kept_nowhere_when_the_bytes_are_there(
    outside: Outside,
) -> None:
    video_id = outside.video()
    path = outside.world.video(video_id).source_path
    assert outside.grant_of(path).source_url == outside.url()

    outside.world.run_everything()

    grant = outside.grant_of(path)
    assert grant.state is GrantState.USED
    assert grant.source_url is None


def test_a_ready_video_is_not_fetched_again(outside: Outside) -> None:
    video_id = outside.video()
    outside.world.run_everything()

    with pytest.raises(InvalidParametersError, match="nothing to retry"):
        outside.world.services.processing.retry(
            outside.world.caller, outside.world.env.org_id, video_id
        )


def test_a_file_to_fetch_cannot_be_sent(outside: Outside) -> None:
    grant = outside.download()

    with pytest.raises(ForbiddenError, match="not valid any more"):
        outside.world.services.uploads.open_upload(grant.id)
    with pytest.raises(ForbiddenError, match="not valid any more"):
        outside.world.send(grant)


def test_a_worker_that_keeps_vanishing_fails_the_video(outside: Outside) -> None:
    video_id = outside.video()
    (task,) = outside.fetches_of(video_id)
    for _ in range(21):
        with outside.world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        outside.world.clock.move(seconds=60)
        outside.world.services.task_runs.sweep(holder="test")

    assert outside.world.video(video_id).state is VideoState.FAILED


def test_a_message_that_comes_twice_fetches_once(outside: Outside) -> None:
    outside.video()
    outside.world.queue.messages *= 3

    outside.world.run_everything()

    assert len(outside.source.requests) == 1


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://a.test/b/clip.mp4", "clip.mp4"),
        ("https://a.test/b/my%20clip.mp4?token=x#y", "my clip.mp4"),
        ("https://a.test/", "download"),
        ("https://a.test", "download"),
        ("https://a.test?x=/clip.mp4", "download"),
        ("https://a.test/%00%0a", "download"),
        ("https://a.test/" + "a" * 3000, "a" * limits.MAX_NAME_CHARS),
    ],
)
def test_a_download_is_named_by_the_end_of_its_path(url: str, name: str) -> None:
    assert file_name_of(url) == name
