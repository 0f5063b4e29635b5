"""
The state machine of a video.
"""

from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain import ids
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.videos.deletion import (
    MAX_KEEP_HOURS,
    NEVER_BINNED,
    BinStay,
    DeletionReason,
    stay_of,
)
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
    if trigger in {Trigger.START, Trigger.RETRY}:
        begin = {Trigger.START: subject.start_processing, Trigger.RETRY: subject.retry}
        begin[trigger](job_id)
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
    elif trigger is Trigger.EXPIRE:
        subject.expire()
    else:
        restore(subject, trigger)


def restore(subject: Video, trigger: Trigger) -> None:
    before = VideoState.READY if trigger is Trigger.RESTORE else VideoState.FAILED
    if subject.state is VideoState.DELETED:
        subject.bin_stay = BinStay(state=before, ends_at=NOW + timedelta(hours=1))
    subject.restore(NOW)


def bin_it(
    subject: Video, reason: DeletionReason | None = None, *, keep_hours: int
) -> None:
    stay = stay_of(subject.state, reason, NOW, keep_hours)
    subject.delete(NOW, reason, stay=stay)


def refusal_of(state: VideoState, trigger: Trigger) -> type[HvError]:
    """
    Return the error of a trigger that the state does not have.
    """
    if trigger in {Trigger.COMPLETE, Trigger.FAIL, Trigger.LOSE}:
        # A job's end that is not wanted is none: the caller is told, and raises.
        return ProcessingInProgressError
    if trigger in {Trigger.RESTORE, Trigger.RESTORE_FAILED}:
        # What is not in the bin cannot come out of it.
        return ConflictError
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


@pytest.mark.parametrize("state", [VideoState.READY, VideoState.FAILED])
def test_a_restored_video_is_as_it_was(state: VideoState) -> None:
    subject, same = video(state), video(state)
    same.id, same.public_id, same.event_count = subject.id, subject.public_id, 2

    bin_it(subject, keep_hours=MAX_KEEP_HOURS)
    subject.restore(NOW + timedelta(hours=MAX_KEEP_HOURS, seconds=-1))

    assert subject == same
    assert [event.kind.value for event in subject.take_events()] == [
        "video.deleted",
        "video.restored",
    ]


def test_a_video_whose_stay_has_ended_is_not_restored() -> None:
    subject = video(VideoState.READY)
    bin_it(subject, keep_hours=1)

    with pytest.raises(ConflictError, match="cannot be restored"):
        subject.restore(NOW + timedelta(hours=1))


@pytest.mark.parametrize("reason", sorted(NEVER_BINNED, key=lambda one: one.value))
def test_a_video_deleted_for_copyright_policy_or_by_an_admin_is_never_binned(
    reason: DeletionReason,
) -> None:
    subject = video(VideoState.READY)

    bin_it(subject, reason, keep_hours=20)

    assert subject.bin_stay is None


@pytest.mark.parametrize("state", [VideoState.TRANSCODING, VideoState.AWAITING_UPLOAD])
def test_an_unfinished_video_is_never_binned(state: VideoState) -> None:
    subject = video(state)

    bin_it(subject, keep_hours=20)

    assert subject.bin_stay is None


def test_a_stay_in_the_bin_never_becomes_longer() -> None:
    subject = video(VideoState.READY)
    bin_it(subject, keep_hours=2)

    assert not subject.shorten_stay(NOW + timedelta(hours=3))
    assert subject.shorten_stay(NOW + timedelta(hours=1))
    assert subject.bin_stay is not None
    assert subject.bin_stay.ends_at == NOW + timedelta(hours=1)


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
