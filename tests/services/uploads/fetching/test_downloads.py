"""
A download is processed when somebody asks, and tried again.
"""

import pytest

from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.uploads.grants import GrantState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    InvalidGcsPathError,
    ProcessingInProgressError,
)
from tests.services.uploads.fetching.outside import Outside


def test_a_failed_fetch_is_tried_again_by_a_retry(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    video_id = outside.video()
    outside.world.run_everything()
    outside.source.gives("/clip.mp4")

    outside.world.services.processing.retry(
        outside.world.caller, outside.world.env.org_id, video_id
    )
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.fetches_of(video_id)) == 2


def test_a_retry_after_the_bytes_came_fetches_nothing(outside: Outside) -> None:
    def fail(_: object) -> None:
        raise TranscodeError("The encoder failed.")

    outside.world.transcoder.before_part = fail
    video_id = outside.video()
    outside.world.run_everything()
    assert outside.outcome(video_id) == (VideoState.FAILED, "The encoder failed.")
    outside.world.transcoder.before_part = lambda _: None

    outside.world.services.processing.retry(
        outside.world.caller, outside.world.env.org_id, video_id
    )
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.source.requests) == 1


def test_a_page_is_refused_by_its_first_bytes_whatever_else_was_to_come(
    outside: Outside,
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9999\r\n\r\n"
    outside.source.says("/page.mp4", head + b"<html>".ljust(64))
    video_id = outside.video("/page.mp4")

    outside.world.run_everything()

    state, reason = outside.outcome(video_id)
    assert state is VideoState.FAILED
    assert "web page" in (reason or "")
    assert len(outside.source.requests) == 1


def test_a_download_can_be_processed_when_it_is_there(outside: Outside) -> None:
    grant = outside.download()
    outside.world.run_tasks()
    assert outside.grant_of(grant.id).state is GrantState.UPLOADED

    video_id = outside.process(grant)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert outside.grant_of(grant.id).state is GrantState.USED


def test_a_download_can_be_processed_while_it_runs(outside: Outside) -> None:
    grant = outside.download()

    video_id = outside.process(grant)
    assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
    assert len(outside.source.requests) == 1


def test_a_download_is_processed_once(outside: Outside) -> None:
    grant = outside.download()
    outside.process(grant)

    with pytest.raises(ProcessingInProgressError):
        outside.process(grant)


def test_a_video_whose_download_fails_is_failed(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    video_id = outside.process(grant)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (
        VideoState.FAILED,
        "The source answered with status 404.",
    )


def test_processing_a_failed_download_again_fetches_again(outside: Outside) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    video_id = outside.process(grant)
    outside.world.run_everything()
    outside.source.gives("/clip.mp4")

    assert outside.process(grant) == video_id
    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_download_that_failed_before_it_was_processed_cannot_be(
    outside: Outside,
) -> None:
    outside.source.gives("/clip.mp4", status=404)
    grant = outside.download()
    outside.world.run_everything()

    with pytest.raises(InvalidGcsPathError, match="failed"):
        outside.process(grant)

    assert outside.grant_of(grant.id).source_url is None


def test_a_download_that_nobody_processes_is_removed_after_a_day(
    outside: Outside,
) -> None:
    # However long the fetch itself has waited.
    outside.download()
    outside.world.clock.move(hours=30)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()
    outside.world.clock.move(hours=23)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()
    assert len(outside.world.files("uploads/")) == 1

    outside.world.clock.move(hours=2)
    outside.world.services.uploads.expire()
    outside.world.run_tasks()

    assert outside.world.files("uploads/") == []
