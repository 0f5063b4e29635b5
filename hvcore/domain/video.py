"""
A video: its facts and the states it goes through.

Source: interface, "States and transitions". TRANSITIONS is the state machine
as data; code, documentation and tests share it.
"""

from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.encoding import EncodingSettings
from hvcore.domain.ids import EnvId, JobId, OrgId, PublicId, VideoId
from hvcore.domain.transcoding import MediaIndex, Rung
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    InvalidParametersError,
    ProcessingInProgressError,
)


class VideoState(Enum):
    """
    Where a video stands; ``AWAITING_UPLOAD`` is in no list and no count.
    """

    AWAITING_UPLOAD = "awaiting_upload"
    TRANSCODING = "transcoding"
    READY = "ready"
    FAILED = "failed"
    DELETED = "deleted"


class Trigger(Enum):
    """
    What moves a video from one state to the next.
    """

    START = "start"
    COMPLETE = "complete"
    FAIL = "fail"
    RETRY = "retry"
    DELETE = "delete"
    EXPIRE = "expire"


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
    # The grant ran out before the bytes came.
    (VideoState.AWAITING_UPLOAD, Trigger.EXPIRE): VideoState.DELETED,
}

LISTED_STATES: Final = (
    VideoState.TRANSCODING,
    VideoState.READY,
    VideoState.FAILED,
)


class DeletionReason(Enum):
    """
    Why a video was deleted (interface, "DELETE", ``reason``).
    """

    USER_REQUEST = "user_request"
    POLICY_VIOLATION = "policy_violation"
    COPYRIGHT_CLAIM = "copyright_claim"
    EXPIRED_CONTENT = "expired_content"
    ADMIN_ACTION = "admin_action"


@attrs.frozen(kw_only=True)
class VideoWanted:
    """
    The video that a caller wants to be made of an upload.

    Attributes:
        name: None takes the file's name without its ending.
    """

    settings: EncodingSettings
    is_public: bool
    name: str | None = None
    description: str | None = None


@attrs.define(kw_only=True)
class Video:
    """
    A video of an environment.

    Attributes:
        source_path: Storage path of the uploaded bytes (``bucketPath``).
        job_id: The transcode job that may publish; a retry has a new one.
        media: What is published; set from READY on.
        failure_reason: One sentence for the owner; set while FAILED.
        progress: 0 to 100, of the running job; filled in when read.
        upload_expires_at: When an awaited upload is given up.
        version: Counts saves; a stale save is refused.
    """

    id: VideoId
    public_id: PublicId
    org_id: OrgId
    env_id: EnvId
    name: str
    description: str | None = None
    state: VideoState
    is_public: bool
    settings: EncodingSettings
    source_path: str
    created_at: datetime
    job_id: JobId | None = None
    media: MediaIndex | None = None
    failure_reason: str | None = None
    progress: int = 0
    upload_expires_at: datetime | None = None
    deleted_at: datetime | None = None
    deletion_reason: DeletionReason | None = None
    version: int = 0

    @property
    def duration_s(self) -> float:
        """
        Length of what is published; 0 before ``ready``.
        """
        return self.media.duration_s if self.media else 0.0

    @property
    def media_root(self) -> str | None:
        """
        Storage prefix of the current job's files.
        """
        return media_root(self.id, self.job_id) if self.job_id else None

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """
        The renditions that were really made, smallest first.
        """
        if self.media is None:
            return ()
        return tuple(t.track.rung for t in self.media.tracks if t.track.rung)

    def never_came(self, now: datetime) -> bool:
        """
        Tell whether the bytes of this video did not come in time.
        """
        if self.state is VideoState.AWAITING_UPLOAD:
            return self.upload_expires_at is not None and now >= self.upload_expires_at
        return (
            self.state is VideoState.DELETED
            and self.job_id is None
            and self.deleted_at == self.upload_expires_at
        )

    def start_processing(self, job_id: JobId) -> None:
        """
        Begin the first job, once the bytes are there.

        Raises:
            ProcessingInProgressError: It has begun before.
        """
        self._move(Trigger.START)
        self.job_id = job_id

    def retry(self, job_id: JobId, settings: EncodingSettings | None = None) -> None:
        """
        Begin another job after a failure, with new settings if given.

        Raises:
            ProcessingInProgressError: The video is being processed.
            InvalidParametersError: It is ready already.
        """
        self._move(Trigger.RETRY)
        self.job_id = job_id
        self.settings = settings or self.settings
        self.failure_reason = None

    def mark_ready(self, job_id: JobId, media: MediaIndex) -> bool:
        """
        Publish what a job has made.

        Returns:
            False if the video has moved on and the job's work is not wanted.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self._move(Trigger.COMPLETE)
        self.media = media
        return True

    def mark_failed(self, job_id: JobId, reason: str) -> bool:
        """
        Take note that a job has failed for good.

        Returns:
            False if the video has moved on.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self._move(Trigger.FAIL)
        self.failure_reason = reason
        return True

    def delete(self, at: datetime, reason: DeletionReason | None = None) -> None:
        """
        Hide the video from every interface.

        Raises:
            AlreadyDeletedError: It is deleted.
        """
        self._move(Trigger.DELETE)
        self.deleted_at = at
        self.deletion_reason = reason

    def expire(self) -> None:
        """
        Give up waiting for the bytes.
        """
        self._move(Trigger.EXPIRE)
        self.deleted_at = self.upload_expires_at

    def _move(self, trigger: Trigger) -> None:
        target = TRANSITIONS.get((self.state, trigger))
        if target is None:
            raise _refusal(self.state, trigger)
        self.state = target


def media_root(video_id: VideoId, job_id: JobId) -> str:
    """
    Return the storage prefix under which a job's files lie.
    """
    return f"{media_prefix(video_id)}/{job_id}"


def media_prefix(video_id: VideoId) -> str:
    """
    Return the storage prefix of everything that was made of a video.
    """
    return f"media/{video_id}"


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
