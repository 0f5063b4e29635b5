"""
A fetch waits for room, within the quota.
"""

from collections import namedtuple
from datetime import timedelta

import pytest

from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    UnavailableError,
)
from hvcore.incoming import disk_space
from tests.services.uploads.fetching.outside import Outside
from tests.support.network.outbound import MP4


def test_a_fetch_waits_while_the_disk_is_nearly_full(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil has it
    video_id = outside.video()
    with monkeypatch.context() as patch:
        patch.setattr(
            disk_space.shutil, "disk_usage", lambda _: usage(10**12, 0, 10**9)
        )
        for _ in range(MAX_ATTEMPTS + 2):
            outside.world.run_everything()
        assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_fetch_waits_while_storage_is_away(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UnavailableError("The storage is full.")

    video_id, began_at = outside.video(), outside.world.clock.now()
    with monkeypatch.context() as patch:
        patch.setattr(outside.world.services.storage, "put_file", refuse)
        for _ in range(MAX_ATTEMPTS + 2):
            outside.world.run_everything()
        assert outside.outcome(video_id) == (VideoState.TRANSCODING, None)
        # The source's owner pays for each download in vain.
        lasted = outside.world.clock.now() - began_at
        assert lasted >= MAX_ATTEMPTS * timedelta(minutes=10)

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)


def test_a_file_that_the_quota_has_no_room_for_fails_with_the_reason(
    outside: Outside,
) -> None:
    video_id = outside.video()
    outside.world.services.quotas.change(
        outside.world.env.org_id, {"stored_bytes": len(MP4) - 1}
    )

    outside.world.run_everything()

    state, reason = outside.outcome(video_id)
    assert state is VideoState.FAILED
    assert reason is not None
    assert "storedBytes" in reason
    assert outside.world.files("uploads/") == []
    # Trying again would be no use.
    (task,) = outside.fetches_of(video_id)
    assert task.attempts == 0


def test_a_file_that_fills_the_quota_is_kept(outside: Outside) -> None:
    video_id = outside.video()
    outside.world.services.quotas.change(
        outside.world.env.org_id, {"stored_bytes": len(MP4)}
    )

    outside.world.run_everything()

    assert outside.outcome(video_id) == (VideoState.READY, None)
