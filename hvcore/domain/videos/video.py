"""
A video: its facts and the states it goes through.

Source: interface, "States and transitions". TRANSITIONS is the state machine
as data; code, documentation and tests share it.
"""

from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, JobId, OrgId, PublicId, VideoId
from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.transcoding import MediaIndex, Rung
from hvcore.domain.webhooks.events import EventKind, VideoEvent
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


_POSTERS: Final = "posters"
_CERTIFICATES: Final = "certificates"


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


@attrs.frozen(kw_only=True)
class VideoChanges:
    """
    What an owner changes about a video; None leaves it as it is.
    """

    name: str | None = None
    description: str | None = None
    clears_description: bool = False
    is_public: bool | None = None


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
        poster_path: Storage path of the picture that the owner has chosen.
        version: Counts saves; a stale save is refused.
        event_count: How many events this video has had.
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
    poster_path: str | None = None
    version: int = 0
    event_count: int = 0
    _events: list[VideoEvent] = attrs.field(
        factory=list, init=False, eq=False, repr=False
    )

    @property
    def duration_s(self) -> float:
        """
        Length of what is published; 0 before ``ready``.
        """
        return self.media.duration_s if self.media else 0.0

    @property
    def kept_bytes(self) -> int:
        """
        What its published files have; nothing that is deleted counts as kept.
        """
        if self.state is not VideoState.READY or self.media is None:
            return 0
        return self.media.size_bytes

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
        self._happened(EventKind.STARTED)

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
        self._happened(EventKind.STARTED)

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
        self._happened(EventKind.COMPLETED)
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
        self._happened(EventKind.FAILED)
        return True

    def change(self, changes: VideoChanges) -> bool:
        """
        Change what the owner may change at any time.

        Returns:
            False if it was like that already.
        """
        before = (self.name, self.description, self.is_public)
        if changes.name is not None:
            self.name = changes.name
        if changes.description is not None or changes.clears_description:
            self.description = changes.description
        if changes.is_public is not None:
            self.is_public = changes.is_public
        is_changed = (self.name, self.description, self.is_public) != before
        if is_changed:
            self._happened(EventKind.UPDATED)
        return is_changed

    def choose_picture(self, path: str) -> None:
        """
        Show the picture at a storage path from now on.
        """
        self.poster_path = path
        self._happened(EventKind.UPDATED)

    def delete(self, at: datetime, reason: DeletionReason | None = None) -> None:
        """
        Hide the video from every interface.

        Raises:
            AlreadyDeletedError: It is deleted.
        """
        self._move(Trigger.DELETE)
        self.deleted_at = at
        self.deletion_reason = reason
        self._happened(EventKind.DELETED)

    def expire(self) -> None:
        """
        Give up waiting for the bytes; nobody needs an event of that.
        """
        self._move(Trigger.EXPIRE)
        self.deleted_at = self.upload_expires_at

    def take_events(self) -> list[VideoEvent]:
        """
        Hand over what has happened since the last call, to be written.
        """
        taken, self._events = self._events, []
        return taken

    def _happened(self, kind: EventKind) -> None:
        """
        Record an event, once the change that it tells of is made.
        """
        self.event_count += 1
        has_failed = self.state is VideoState.FAILED
        event = VideoEvent(
            kind=kind,
            org_id=self.org_id,
            env_id=self.env_id,
            video_id=self.id,
            sequence=self.event_count,
            status=self.state.value,
            error=self.failure_reason if has_failed else None,
        )
        self._events.append(event)

    def _move(self, trigger: Trigger) -> None:
        target = TRANSITIONS.get((self.state, trigger))
        if target is None:
            raise _refusal(self.state, trigger)
        self.state = target


def was_uploaded(state: VideoState, job_id: JobId | None) -> bool:
    """
    Tell whether a video's bytes have come, which stays true when it is deleted.
    """
    if state is VideoState.DELETED:
        # One that was deleted before they came has never had a job.
        return job_id is not None
    return state in LISTED_STATES


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


def certificate_path(video_id: VideoId, job_id: JobId) -> str:
    """
    Return the storage path of what the check of a job's files has found.

    Not among those files: of a job that failed nothing else is kept.
    """
    return f"{certificates_prefix(video_id)}/{job_id}.json"


def certificates_prefix(video_id: VideoId) -> str:
    """
    Return the storage prefix of what the checks of all jobs have found.
    """
    return f"{media_prefix(video_id)}/{_CERTIFICATES}"


def posters_prefix(video_id: VideoId) -> str:
    """
    Return the storage prefix of the pictures that the owner has chosen.
    """
    return f"{media_prefix(video_id)}/{_POSTERS}"


def thumbnails_prefix(video_id: VideoId, poster_path: str) -> str:
    """
    Return the storage prefix of a picture's sizes; each picture has its own.

    Args:
        poster_path: Storage path of the picture, chosen or made by a job.
    """
    folder, name = poster_path.removeprefix(f"{media_prefix(video_id)}/").split("/", 1)
    of = name.removesuffix(".jpg") if folder == _POSTERS else folder
    return f"{media_prefix(video_id)}/thumbnails/{of}"


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
