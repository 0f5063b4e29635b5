"""
Two calls at once that change one video.
"""

from collections.abc import Callable
from uuid import uuid4

import pytest

from hvcore.domain.labels import LabelChanges, Labels
from hvcore.domain.tasks.kinds import (
    TRANSCODE_ASSEMBLE,
    TRANSCODE_PART,
    TRANSCODE_PLAN,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    HvError,
    ProcessingInProgressError,
    VideoNotFoundError,
)
from tests.services.at_once.calls import delete, edit, process, retry
from tests.services.at_once.holding import Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = pytest.mark.services


@pytest.mark.long
def test_two_edits_of_other_members_both_hold(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        tags = LabelChanges(tags=("new",))
        return edit(at, video_id, name="Ann's"), edit(at, video_id, labels=tags)

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        video = at.only_video()
        assert (video.name, video.labels.tags) == ("Ann's", ("new",))
        assert at.audited("video.change") == 2


@pytest.mark.long
def test_a_deleted_video_is_not_edited(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return edit(at, video_id, is_public=True), delete(at, video_id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        assert at.only_video().state is VideoState.DELETED
        is_edited = not isinstance(ends.first, HvError)
        assert is_edited or isinstance(ends.first, VideoNotFoundError)
        assert at.audited("video.change") == is_edited


def test_a_video_is_deleted_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return delete(at, video_id), delete(at, video_id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {AlreadyDeletedError}
        assert at.only_video().state is VideoState.DELETED
        assert at.audited("video.delete") == 1
        assert len(at.tasks(VIDEO_PURGE)) == 2


@pytest.mark.long
def test_an_upload_whose_video_is_deleted_is_not_processed_again(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.failed()
        (grant,) = at.grants()
        return delete(at, video.id), process(at, grant.path)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        assert at.only_video().state is VideoState.DELETED
        assert not at.tasks(TRANSCODE_PLAN)


@pytest.mark.long
def test_a_deleted_video_is_not_tried_again(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.failed()
        return delete(at, video.id), retry(at, video.id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        assert at.only_video().state is VideoState.DELETED
        assert not at.tasks(TRANSCODE_PLAN)
        assert at.audited("video.retry") == 2 - ends.refused - 1


@pytest.mark.long
def test_a_failed_video_has_one_job_of_two_retries(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.failed()
        return retry(at, video.id), retry(at, video.id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ProcessingInProgressError}
        assert len(at.tasks(TRANSCODE_PLAN)) == 1
        assert at.audited("video.retry") == 1


def test_an_upload_becomes_one_video_of_two_process_requests(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        path = at.uploaded().path
        return process(at, path), process(at, path)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ProcessingInProgressError}
        assert at.only_video().state is VideoState.TRANSCODING


def ran(*kinds: str) -> Callable[[Tenant], str]:
    """
    Return what makes a video whose job has come so far.
    """

    def make(at: Tenant) -> str:
        video_id = at.processed()
        for kind in kinds:
            at.run(kind)
        return video_id

    return make


@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        pytest.param(ran(), TRANSCODE_PLAN, id="plan"),
        pytest.param(ran(TRANSCODE_PLAN), TRANSCODE_PART, id="part"),
        pytest.param(
            ran(TRANSCODE_PLAN, TRANSCODE_PART),
            TRANSCODE_ASSEMBLE,
            id="assemble",
        ),
    ],
)
def test_a_video_that_is_deleted_during_its_job_ends(
    meeting: Meeting, make: Callable[[Tenant], str], kind: str
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = make(at)
        return delete(at, video_id), lambda: at.run(kind)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        assert at.only_video().state is VideoState.DELETED
        assert at.audited("video.delete") == 1
        at.run_tasks()
        assert not at.stored(f"media/{at.only_video().id}")
        with at.services.uow.read() as work:
            tasks = work.tasks.of_subject(at.only_video().id, kind=kind)
        assert {task.state for task in tasks} <= {TaskState.DONE, TaskState.CANCELLED}


@pytest.mark.long
def test_an_edit_does_not_undo_the_publishing_of_a_job(meeting: Meeting) -> None:
    make = ran(TRANSCODE_PLAN, TRANSCODE_PART)

    def pair(at: Tenant) -> Pair:
        video_id = make(at)
        return edit(at, video_id, name="Ann's"), lambda: at.run(TRANSCODE_ASSEMBLE)

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        video = at.only_video()
        assert (video.state, video.name) == (VideoState.READY, "Ann's")


@pytest.mark.long
def test_an_external_id_is_given_to_one_video(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        labels = LabelChanges(external_id=f"film-{uuid4().hex}")
        first, second = (at.processed() for _ in range(2))
        return edit(at, first, labels=labels), edit(at, second, labels=labels)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ConflictError}
        named = [video for video in at.videos() if video.labels.external_id]
        assert len(named) == 1
        assert at.audited("video.change") == 1


@pytest.mark.long
def test_an_external_id_of_a_deleted_video_is_free(meeting: Meeting) -> None:
    name = "film"

    def pair(at: Tenant) -> Pair:
        path = at.uploaded().path
        wanted = VideoWanted(
            settings=at.wanted().settings,
            is_public=False,
            labels=Labels(external_id=name),
        )
        old = at.services.processing.process(at.env, path, wanted)
        new = at.processed()
        labels = LabelChanges(external_id=name)
        return delete(at, old), edit(at, new, labels=labels)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        is_named = not isinstance(ends.second, HvError)
        assert is_named or isinstance(ends.second, ConflictError)
        listed = [one for one in at.videos() if one.state is not VideoState.DELETED]
        assert [one.labels.external_id for one in listed] == [
            name if is_named else None
        ]
