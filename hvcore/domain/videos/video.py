"""
A video: its facts, and what happens to it.

Source: interface, "States and transitions".
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, JobId, OrgId, PublicId, VideoId
from hvcore.domain.labels import NO_LABELS, LabelChanges, Labels
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.chapters import Chapter, arranged, within
from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import Rung
from hvcore.domain.videos.states import Trigger, VideoState, next_state
from hvcore.domain.webhooks.events import EventKind, VideoEvent


class DeletionReason(Enum):
    """The reason to delete a video (interface, "DELETE", ``reason``)."""

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
    labels: Labels = NO_LABELS
    allows_download: bool = False


@attrs.frozen(kw_only=True)
class VideoChanges:
    """The changes of an owner to a video; None leaves a field as it is."""

    name: str | None = None
    description: str | None = None
    clears_description: bool = False
    is_public: bool | None = None
    labels: LabelChanges | None = None
    allows_download: bool | None = None


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
        chapters: Of the source, or those that the owner has set.
        allows_download: Who may watch it may take it away, too.
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
    chapters: tuple[Chapter, ...] = ()
    labels: Labels = NO_LABELS
    allows_download: bool = False
    version: int = 0
    event_count: int = 0
    _events: list[VideoEvent] = attrs.field(
        factory=list, init=False, eq=False, repr=False
    )

    @property
    def duration_s(self) -> float:
        """The length of the published media; 0 before ``ready``."""
        return self.media.duration_s if self.media else 0.0

    @property
    def quota_bytes(self) -> int:
        """The bytes of its published files that count for quotas."""
        if self.state is not VideoState.READY or self.media is None:
            return 0
        return self.media.size_bytes

    @property
    def media_root(self) -> str | None:
        """Storage prefix of the current job's files."""
        return media_root(self.id, self.job_id) if self.job_id else None

    @property
    def shown_chapters(self) -> tuple[Chapter, ...]:
        """The chapters that are within the video, as far as its length is known."""
        if self.media is None:
            return self.chapters
        return within(self.chapters, self.media.duration_s)

    @property
    def changeable(self) -> Mapping[str, object]:
        """The values of all members that VideoChanges can change, as JSON has them."""
        return {
            "name": self.name,
            "description": self.description,
            "is_public": self.is_public,
            "external_id": self.labels.external_id,
            "metadata": dict(self.labels.metadata),
            "tags": self.labels.tags,
            "allows_download": self.allows_download,
        }

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The renditions that were really made, smallest first."""
        if self.media is None:
            return ()
        return tuple(t.track.rung for t in self.media.tracks if t.track.rung)

    def never_came(self, now: datetime) -> bool:
        """Return whether the bytes of this video did not come in time."""
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

    def plan_again(self, job_id: JobId, new_job_id: JobId) -> bool:
        """
        Leave the making to another job, because nobody takes the current one.

        Returns:
            False if the video has moved on.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self.job_id = new_job_id
        return True

    def mark_ready(self, job_id: JobId, media: MediaIndex) -> bool:
        """
        Publish the media that a job has made.

        Returns:
            False if the video has moved on and the job's work is not wanted.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self._move(Trigger.COMPLETE)
        self.media = media
        self._happened(EventKind.COMPLETED)
        return True

    def renew(self, replaced: JobId, job_id: JobId, media: MediaIndex) -> bool:
        """
        Publish the media of another job in place of the published media.

        Returns:
            False if that is not published any more.
        """
        if self.job_id != replaced or self.state is not VideoState.READY:
            return False
        self.job_id = job_id
        self.media = media
        self._happened(EventKind.UPDATED)
        return True

    def take_chapters(self, found: Iterable[Chapter]) -> None:
        """Take over the chapters of the source; those that the owner has set stay."""
        self.chapters = self.chapters or arranged(found)

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

    def mark_lost(self, job_id: JobId, reason: str) -> bool:
        """
        Take note that files of what is published are gone for good.

        Returns:
            False if something else is published by now.
        """
        if self.job_id != job_id or self.state is not VideoState.READY:
            return False
        self._move(Trigger.LOSE)
        self.media = None
        self.failure_reason = reason
        self._happened(EventKind.FAILED)
        return True

    def change(self, changes: VideoChanges) -> bool:
        """
        Change the fields that the owner may change at any time.

        Returns:
            False if it was like that already.

        Raises:
            InvalidParametersError: It has too much metadata then.
        """
        before = self.changeable
        if changes.labels is not None:
            self.labels = changes.labels.of(self.labels)
        if changes.name is not None:
            self.name = changes.name
        if changes.description is not None or changes.clears_description:
            self.description = changes.description
        if changes.is_public is not None:
            self.is_public = changes.is_public
        if changes.allows_download is not None:
            self.allows_download = changes.allows_download
        is_changed = self.changeable != before
        if is_changed:
            self._happened(EventKind.UPDATED)
        return is_changed

    def choose_picture(self, path: str) -> None:
        """Show the picture at a storage path from now on."""
        self.poster_path = path
        self._happened(EventKind.UPDATED)

    def forget_picture(self, path: str) -> bool:
        """
        Show the video's own picture again, because the chosen one is gone.

        Returns:
            False if another one was chosen meanwhile.
        """
        if self.poster_path != path:
            return False
        self.poster_path = None
        self._happened(EventKind.UPDATED)
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
        self._happened(EventKind.DELETED)

    def expire(self) -> None:
        """Give up waiting for the bytes; nobody needs an event of that."""
        self._move(Trigger.EXPIRE)
        self.deleted_at = self.upload_expires_at

    def take_events(self) -> list[VideoEvent]:
        """Return the events since the last call, to be written."""
        taken, self._events = self._events, []
        return taken

    def _happened(self, kind: EventKind) -> None:
        """Record an event after the change that it describes."""
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
            is_public=self.is_public,
            labels=self.labels,
        )
        self._events.append(event)

    def _move(self, trigger: Trigger) -> None:
        self.state = next_state(self.state, trigger)
