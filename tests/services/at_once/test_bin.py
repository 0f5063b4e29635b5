"""
Two calls at once about one video in the bin.
"""

import pytest

from hvcore.domain.tasks.kinds import VIDEO_PURGE
from hvcore.domain.videos.states import VideoState
from hvcore.errors import AlreadyDeletedError, ConflictError, HvError
from tests.services.at_once.calls import bin_it, delete, edit, restore
from tests.services.at_once.holding import Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = [pytest.mark.services, pytest.mark.long]


def binned(at: Tenant) -> str:
    video_id = at.ready().id
    bin_it(at, video_id)()
    return video_id


def require_one_end(at: Tenant, *, is_restored: bool) -> None:
    """
    Demand a video that plays with all its files, or one that is deleted for good.
    """
    video = at.only_video()
    assert video.bin_stay is None
    files = at.stored(f"media/{video.id}") | at.stored("uploads/")
    if is_restored:
        assert video.state is VideoState.READY
        assert video.source_path in files
        assert not at.tasks(VIDEO_PURGE)
    else:
        assert video.state is VideoState.DELETED
        assert len(at.tasks(VIDEO_PURGE)) == 2
        at.run_tasks()
        assert video.source_path not in at.stored("uploads/")


def test_a_video_is_restored_or_deleted_for_good(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = binned(at)
        return restore(at, video_id), delete(at, video_id)

    for at, ends in meeting.each(pair):
        # The deletion wins: either of the bin, or of the restored video.
        assert not isinstance(ends.second, HvError)
        is_late = isinstance(ends.first, ConflictError)
        assert is_late or not isinstance(ends.first, HvError)
        assert at.audited("video.restore") == (not is_late)
        require_one_end(at, is_restored=False)


def test_a_video_is_restored_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = binned(at)
        return restore(at, video_id), restore(at, video_id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert at.audited("video.restore") == 1
        require_one_end(at, is_restored=True)


def test_a_purge_that_comes_too_early_and_a_restore_leave_the_video_whole(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = binned(at)
        with at.services.uow.write() as work:
            work.tasks.hurry(work.tasks.unended(video_id, kind=VIDEO_PURGE))
            work.commit()
        return restore(at, video_id), lambda: at.run(VIDEO_PURGE)

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        require_one_end(at, is_restored=True)


def test_a_restore_at_the_end_of_the_stay_is_refused(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = binned(at)
        with at.services.uow.write() as work:
            video = work.videos.find(video_id, for_update=True)
            assert video is not None
            video.shorten_stay(work.now())
            work.videos.save(video)
            work.tasks.hurry(work.tasks.unended(video_id, kind=VIDEO_PURGE)[:1])
            work.commit()
        return restore(at, video_id), lambda: at.run(VIDEO_PURGE)

    # A whole purge has too many statements to be held at each.
    for at, ends in meeting.each(pair, is_symmetric=True):
        assert isinstance(ends.first, ConflictError)
        video = at.only_video()
        assert (video.state, video.bin_stay) == (VideoState.DELETED, None)


def test_an_erasure_and_a_restore_have_one_end(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = binned(at)
        video = at.video(video_id)
        erasure = at.services.erasure
        return (
            restore(at, video_id),
            lambda: erasure.erase(video, actor="service"),
        )

    for at, ends in meeting.each(pair):
        is_restored = not isinstance(ends.first, HvError)
        assert (at.only_video().name == "") is not is_restored
        require_one_end(at, is_restored=is_restored)


def test_a_video_that_two_people_delete_is_in_the_bin_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.ready().id
        return bin_it(at, video_id), bin_it(at, video_id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert at.only_video().bin_stay is not None
        assert at.audited("video.delete") == 1
        assert len(at.tasks(VIDEO_PURGE)) == 2


def test_a_restored_video_keeps_an_edit_that_came_before_its_deletion(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.ready().id
        return edit(at, video_id, name="Ann's"), bin_it(at, video_id)

    for at, ends in meeting.each(pair):
        is_edited = not isinstance(ends.first, HvError)
        restore(at, at.only_video().id)()
        assert (at.only_video().name == "Ann's") is is_edited
        assert not isinstance(ends.second, AlreadyDeletedError)
