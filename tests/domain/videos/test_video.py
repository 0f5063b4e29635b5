"""
The state machine of a video.
"""

from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain import ids
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.videos.states import TRANSITIONS, Trigger, VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    HvError,
    InvalidParametersError,
    ProcessingInProgressError,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MEDIA = MediaIndex(tracks=(), duration_s=7.5)


def video(state: VideoState) -> Video:
    return Video(
        id=ids.new_video_id(),
        public_id=ids.new_public_id(),
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        name="clip",
        state=state,
        is_public=False,
        settings=EncodingSettings(preset=Preset.HIGH),
        source_path="uploads/org_a/env_a/up_1/x",
        created_at=NOW,
        upload_expires_at=NOW + timedelta(hours=1),
    )


def pull(subject: Video, trigger: Trigger) -> None:
    job_id = ids.new_job_id()
    if trigger is Trigger.START:
        subject.start_processing(job_id)
    elif trigger is Trigger.RETRY:
        subject.retry(job_id)
    elif trigger is Trigger.COMPLETE:
        subject.job_id = job_id
        if not subject.mark_ready(job_id, MEDIA):
            raise ProcessingInProgressError
    elif trigger is Trigger.FAIL:
        subject.job_id = job_id
        if not subject.mark_failed(job_id, "why"):
            raise ProcessingInProgressError
    elif trigger is Trigger.DELETE:
        subject.delete(NOW)
    elif trigger is Trigger.LOSE:
        subject.job_id = job_id
        if not subject.mark_lost(job_id, "why"):
            raise ProcessingInProgressError
    else:
        subject.expire()


def refusal_of(state: VideoState, trigger: Trigger) -> type[HvError]:
    """
    Return the error of a trigger that the state does not have.
    """
    if trigger in {Trigger.COMPLETE, Trigger.FAIL, Trigger.LOSE}:
        # A job's end that is not wanted is none: the caller is told, and raises.
        return ProcessingInProgressError
    if state is VideoState.DELETED:
        return AlreadyDeletedError
    if trigger is Trigger.RETRY and state is VideoState.READY:
        return InvalidParametersError
    is_at_work = state is VideoState.TRANSCODING and trigger is not Trigger.EXPIRE
    if is_at_work or (state, trigger) == (VideoState.READY, Trigger.START):
        return ProcessingInProgressError
    return ConflictError


@pytest.mark.parametrize("trigger", Trigger)
@pytest.mark.parametrize("state", VideoState)
def test_a_video_moves_only_as_the_table_says(
    state: VideoState, trigger: Trigger
) -> None:
    subject = video(state)
    target = TRANSITIONS.get((state, trigger))

    if target is None:
        with pytest.raises(HvError) as refused:
            pull(subject, trigger)
        assert type(refused.value) is refusal_of(state, trigger)
        assert subject.state is state
    else:
        pull(subject, trigger)
        assert subject.state is target


def test_processing_a_processed_video_is_a_conflict() -> None:
    for state in (VideoState.TRANSCODING, VideoState.READY):
        with pytest.raises(ProcessingInProgressError):
            video(state).start_processing(ids.new_job_id())


def test_a_job_that_nobody_takes_leaves_its_video_to_another() -> None:
    subject = video(VideoState.AWAITING_UPLOAD)
    first, second = ids.new_job_id(), ids.new_job_id()
    subject.start_processing(first)

    assert subject.plan_again(first, second)
    assert not subject.mark_ready(first, MEDIA)
    assert not subject.plan_again(first, ids.new_job_id())
    assert subject.mark_failed(second, "why")
    assert not subject.plan_again(second, ids.new_job_id())


def test_deleting_twice_is_refused() -> None:
    subject = video(VideoState.READY)
    subject.delete(NOW)

    with pytest.raises(AlreadyDeletedError):
        subject.delete(NOW)


def test_a_ready_video_has_nothing_to_retry() -> None:
    with pytest.raises(InvalidParametersError, match="nothing to retry"):
        video(VideoState.READY).retry(ids.new_job_id())


def test_an_earlier_job_cannot_publish() -> None:
    subject = video(VideoState.FAILED)
    earlier = ids.new_job_id()
    subject.retry(ids.new_job_id())

    assert not subject.mark_ready(earlier, MEDIA)
    assert not subject.mark_failed(earlier, "why")
    assert subject.state is VideoState.TRANSCODING


def test_a_video_whose_bytes_did_not_come_in_time_never_came() -> None:
    subject = video(VideoState.AWAITING_UPLOAD)
    late = NOW + timedelta(hours=2)

    assert not subject.never_came(NOW)
    assert subject.never_came(late)
    subject.expire()
    assert subject.never_came(late)


def test_a_cancelled_upload_is_deleted_and_not_missing() -> None:
    subject = video(VideoState.AWAITING_UPLOAD)
    subject.delete(NOW)

    assert not subject.never_came(NOW + timedelta(hours=2))
