"""
States of a video, and the triggers that change them.

Source: the interface document, "States and transitions". TRANSITIONS is the state machine
as data; code, documentation and tests share it.
"""

from enum import Enum
from typing import Final

from hvcore.domain.ids import JobId
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    InvalidParametersError,
    ProcessingInProgressError,
)


class VideoState(Enum):
    """Name the states of a video; ``AWAITING_UPLOAD`` is in no list and no count."""

    AWAITING_UPLOAD = "awaiting_upload"
    TRANSCODING = "transcoding"
    READY = "ready"
    FAILED = "failed"
    DELETED = "deleted"


class Trigger(Enum):
    """Name the triggers that move a video from one state to the next."""

    START = "start"
    COMPLETE = "complete"
    FAIL = "fail"
    RETRY = "retry"
    DELETE = "delete"
    RESTORE = "restore"
    RESTORE_FAILED = "restore_failed"
    EXPIRE = "expire"
    LOSE = "lose"


TRANSITIONS: Final = {
    (VideoState.AWAITING_UPLOAD, Trigger.START): VideoState.TRANSCODING,
    (VideoState.TRANSCODING, Trigger.COMPLETE): VideoState.READY,
    (VideoState.TRANSCODING, Trigger.FAIL): VideoState.FAILED,
    (VideoState.FAILED, Trigger.RETRY): VideoState.TRANSCODING,
    (VideoState.READY, Trigger.DELETE): VideoState.DELETED,
    (VideoState.FAILED, Trigger.DELETE): VideoState.DELETED,
    # Cancels the job.
    (VideoState.TRANSCODING, Trigger.DELETE): VideoState.DELETED,
    # Cancels the upload.
    (VideoState.AWAITING_UPLOAD, Trigger.DELETE): VideoState.DELETED,
    # Out of the bin, as the video was before.
    (VideoState.DELETED, Trigger.RESTORE): VideoState.READY,
    (VideoState.DELETED, Trigger.RESTORE_FAILED): VideoState.FAILED,
    # The grant ran out before the bytes came.
    (VideoState.AWAITING_UPLOAD, Trigger.EXPIRE): VideoState.DELETED,
    # An operator gave up files that are gone, and cannot be made again.
    (VideoState.READY, Trigger.LOSE): VideoState.FAILED,
}

LISTED_STATES: Final = (
    VideoState.TRANSCODING,
    VideoState.READY,
    VideoState.FAILED,
)


def next_state(state: VideoState, trigger: Trigger) -> VideoState:
    """
    Return the state to which a trigger moves a video.

    Raises:
        AlreadyDeletedError: The video is deleted.
        ProcessingInProgressError: The video is being processed, or was processed
            already.
        InvalidParametersError: The video is ready; there is nothing to retry.
        ConflictError: The state does not have the trigger, for any other reason.
    """
    target = TRANSITIONS.get((state, trigger))
    if target is None:
        raise _refusal(state, trigger)
    return target


def was_uploaded(state: VideoState, job_id: JobId | None) -> bool:
    """Return whether a video's bytes were uploaded; true also after the video is deleted."""
    if state is VideoState.DELETED:
        # One that was deleted before they came has never had a job.
        return job_id is not None
    return state in LISTED_STATES


def _refusal(state: VideoState, trigger: Trigger) -> Exception:
    if state is VideoState.DELETED:
        return AlreadyDeletedError()
    if trigger is Trigger.START and state is VideoState.READY:
        return ProcessingInProgressError(
            "The video was processed already and is ready; upload the file again "
            "to make another video."
        )
    if trigger in {Trigger.START, Trigger.RETRY} and state is VideoState.TRANSCODING:
        return ProcessingInProgressError()
    if trigger is Trigger.RETRY and state is VideoState.READY:
        return InvalidParametersError("The video is ready; there is nothing to retry.")
    return ConflictError(f"A video that is {state.value} cannot {trigger.value}.")
