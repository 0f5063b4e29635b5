"""
Videos: the record of a video and the changes of its state.

Source: the interface document, "States and transitions".
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.ids import EnvId, JobId, OrgId, PublicId, VideoId
from hvcore.domain.labels import NO_LABELS, LabelChanges, Labels
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.chapters import Chapter, arranged, within
from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import Rung
from hvcore.domain.source_figures import SourceFigures
from hvcore.domain.videos.deletion import BinStay, DeletionReason
from hvcore.domain.videos.states import Trigger, VideoState, next_state
from hvcore.domain.webhooks.events import EventKind, VideoEvent
from hvcore.errors import ConflictError


@attrs.frozen(kw_only=True)
class VideoWanted:
    """
    Describe the video that a caller wants to be made of an upload.

    Attributes:
        name: The video's name; None takes the file's name without its extension.
    """

    settings: EncodingSettings
    is_public: bool
    name: str | None = None
    description: str | None = None
    labels: Labels = NO_LABELS
    allows_download: bool = False


@attrs.frozen(kw_only=True)
class VideoChanges:
    """Hold an owner's changes to a video; None leaves a field as it is."""

    name: str | None = None
    description: str | None = None
    clears_description: bool = False
    is_public: bool | None = None
    labels: LabelChanges | None = None
    allows_download: bool | None = None


NO_CHANGES: Final = VideoChanges()


@attrs.define(kw_only=True)
class Video:
    """
    Describe a video of an environment.

    Attributes:
        source_path: The storage path of the uploaded bytes (``bucketPath``).
        job_id: The transcode job whose files may be published; a retry has a new job.
        media: The published files; set from READY on.
        failure_reason: One sentence for the owner; set while the video is FAILED.
        progress: The progress of the running job, 0 to 100; computed when the video is
            read.
        upload_expires_at: When the service stops waiting for the upload.
        bin_stay: The stay of the deleted video in the bin, during which it can be restored;
            None for other videos.
        poster_path: The storage path of the picture that the owner has chosen.
        chapters: The chapters of the source, or those that the owner has set.
        allows_download: Whether viewers may also download the video.
        version: The number of times that the video was saved; a save of an older
            version is refused.
        event_count: The number of events that the video has had.
        source: The source's size in bytes, width, height and frame rate. None where the
            video was not read for an answer or an event, and before it is probed.
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
    bin_stay: BinStay | None = None
    poster_path: str | None = None
    chapters: tuple[Chapter, ...] = ()
    labels: Labels = NO_LABELS
    allows_download: bool = False
    version: int = 0
    event_count: int = 0
    source: SourceFigures | None = None
    _events: list[VideoEvent] = attrs.field(
        factory=list, init=False, eq=False, repr=False
    )

    @property
    def duration_s(self) -> float:
        """The length of the published media in seconds; 0 before ``ready``."""
        return self.media.duration_s if self.media else 0.0

    @property
    def quota_bytes(self) -> int:
        """The bytes of the published files that count as stored for quotas."""
        state = self.state if self.bin_stay is None else self.bin_stay.state
        if state is not VideoState.READY or self.media is None:
            return 0
        return self.media.size_bytes

    @property
    def media_root(self) -> str | None:
        """The storage prefix of the current job's files; None before the first job."""
        return media_root(self.id, self.job_id) if self.job_id else None

    @property
    def shown_chapters(self) -> tuple[Chapter, ...]:
        """The chapters, cut at the end of the video if its length is known."""
        if self.media is None:
            return self.chapters
        return within(self.chapters, self.media.duration_s)

    @property
    def changeable(self) -> Mapping[str, object]:
        """The values of all fields that an owner can change, as plain JSON values."""
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
        """The video rungs that were really made, smallest first."""
        if self.media is None:
            return ()
        return tuple(t.track.rung for t in self.media.tracks if t.track.rung)

    def never_came(self, now: datetime) -> bool:
        """Return whether the video's upload did not arrive in time."""
        if self.state is VideoState.AWAITING_UPLOAD:
            return self.upload_expires_at is not None and now >= self.upload_expires_at
        return (
            self.state is VideoState.DELETED
            and self.job_id is None
            and self.deleted_at == self.upload_expires_at
        )

    def start_processing(self, job_id: JobId) -> None:
        """
        Begin the first transcode job, after the upload has arrived.

        Raises:
            ProcessingInProgressError: Processing has begun before.
        """
        self._move(Trigger.START)
        self.job_id = job_id
        self._happened(EventKind.STARTED)

    def retry(self, job_id: JobId, settings: EncodingSettings | None = None) -> None:
        """
        Begin another transcode job after a failure, with new settings if given.

        Raises:
            ProcessingInProgressError: The video is being processed.
            InvalidParametersError: The video is ready already.
        """
        self._move(Trigger.RETRY)
        self.job_id = job_id
        self.settings = settings or self.settings
        self.failure_reason = None
        self._happened(EventKind.STARTED)

    def plan_again(self, job_id: JobId, new_job_id: JobId) -> bool:
        """
        Replace the current transcode job by another, because no transcoder takes it.

        Returns:
            False if the job is not the video's current one any more; nothing changes.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self.job_id = new_job_id
        return True

    def mark_ready(self, job_id: JobId, media: MediaIndex) -> bool:
        """
        Publish the media that a transcode job has made.

        Returns:
            False if the job is not the video's current one any more; nothing is published.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self._move(Trigger.COMPLETE)
        self.media = media
        self._happened(EventKind.COMPLETED)
        return True

    def renew(self, replaced: JobId, job_id: JobId, media: MediaIndex) -> bool:
        """
        Replace the published media by the media of another transcode job.

        Returns:
            False if the replaced job's media is not published any more; nothing changes.
        """
        if self.job_id != replaced or self.state is not VideoState.READY:
            return False
        self.job_id = job_id
        self.media = media
        self._happened(EventKind.UPDATED)
        return True

    def take_chapters(self, found: Iterable[Chapter]) -> None:
        """Set the chapters of the source, unless the video has chapters already."""
        self.chapters = self.chapters or arranged(found)

    def mark_failed(self, job_id: JobId, reason: str) -> bool:
        """
        Set the video to FAILED, because a transcode job has failed for good.

        Args:
            job_id: The job that has failed.
            reason: One sentence for the video's owner.

        Returns:
            False if the job is not the video's current one any more; nothing changes.
        """
        if self.job_id != job_id or self.state is not VideoState.TRANSCODING:
            return False
        self._move(Trigger.FAIL)
        self.failure_reason = reason
        self._happened(EventKind.FAILED)
        return True

    def mark_lost(self, job_id: JobId, reason: str) -> bool:
        """
        Set the video to FAILED, because published files are lost for good.

        Args:
            job_id: The job whose published files are lost.
            reason: One sentence for the video's owner.

        Returns:
            False if another job's files are published by now; nothing changes.
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
        Apply an owner's changes to the video.

        Returns:
            False if the changes make no difference.

        Raises:
            InvalidParametersError: The video would have too much metadata.
        """
        is_changed = self._apply(changes)
        if is_changed:
            self._happened(EventKind.UPDATED)
        return is_changed

    def set_anew(self, wanted: VideoWanted, texts: VideoChanges) -> bool:
        """
        Replace the settings and the visibility before the upload is complete; no event is made.

        Args:
            texts: Further changes of the owner.

        Returns:
            False if nothing is different.

        Raises:
            InvalidParametersError: The video would have too much metadata.
        """
        before = self.settings
        self.settings = wanted.settings
        is_changed = self._apply(attrs.evolve(texts, is_public=wanted.is_public))
        return is_changed or self.settings != before

    def choose_picture(self, path: str) -> None:
        """Set the video's poster to the picture at a storage path."""
        self.poster_path = path
        self._happened(EventKind.UPDATED)

    def forget_picture(self, path: str) -> bool:
        """
        Set the poster back to the video's own picture, because the chosen one is gone.

        Returns:
            False if the owner has chosen another picture since.
        """
        if self.poster_path != path:
            return False
        self.poster_path = None
        self._happened(EventKind.UPDATED)
        return True

    def delete(
        self,
        at: datetime,
        reason: DeletionReason | None = None,
        *,
        stay: BinStay | None = None,
    ) -> None:
        """
        Mark the video as deleted, which hides it from every interface.

        Args:
            stay: The stay in the bin, as ``stay_of`` gives it; None if there is none.

        Raises:
            AlreadyDeletedError: The video is deleted already.
        """
        self._move(Trigger.DELETE)
        self.deleted_at = at
        self.deletion_reason = reason
        self.bin_stay = stay
        self._happened(EventKind.DELETED)

    def is_restorable(self, now: datetime) -> bool:
        """Return whether the video is in the bin, and its stay there has not ended."""
        return self.bin_stay is not None and now < self.bin_stay.ends_at

    def shorten_stay(self, ends_at: datetime) -> bool:
        """
        Let the stay in the bin end sooner; a stay never becomes longer.

        Returns:
            False if the stay ends by then anyway; nothing changes.
        """
        if self.bin_stay is None or self.bin_stay.ends_at <= ends_at:
            return False
        self.bin_stay = BinStay(state=self.bin_stay.state, ends_at=ends_at)
        return True

    def leave_bin(self) -> None:
        """End the stay in the bin: the deleted video cannot be restored any more."""
        self.bin_stay = None

    def restore(self, now: datetime) -> None:
        """
        Take the video out of the bin, as it was before it was deleted.

        Raises:
            ConflictError: The video is not in the bin, or its stay there has ended.
        """
        stay = self.bin_stay
        if stay is None or not self.is_restorable(now):
            raise ConflictError(
                "The video cannot be restored: its files are being removed, or are gone."
            )
        was_ready = stay.state is VideoState.READY
        self._move(Trigger.RESTORE if was_ready else Trigger.RESTORE_FAILED)
        self.deleted_at = self.deletion_reason = self.bin_stay = None
        self._happened(EventKind.RESTORED)

    def captions_ended(self, reason: str | None) -> None:
        """
        Record that captions by machine are ready or have failed.

        Args:
            reason: Why they have failed, in a sentence for the owner; None if they are ready.
        """
        if reason is None:
            self._happened(EventKind.CAPTIONS_READY)
        else:
            self._happened(EventKind.CAPTIONS_FAILED, error=reason)

    def expire(self) -> None:
        """Mark the video as deleted because its upload never arrived; this makes no event."""
        self._move(Trigger.EXPIRE)
        self.deleted_at = self.upload_expires_at

    def take_events(self) -> list[VideoEvent]:
        """Return the video's events since the last call, which the caller stores."""
        taken, self._events = self._events, []
        return taken

    def _apply(self, changes: VideoChanges) -> bool:
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
        return self.changeable != before

    def _happened(self, kind: EventKind, *, error: str | None = None) -> None:
        """Record an event after the change that it describes."""
        self.event_count += 1
        has_failed = self.state is VideoState.FAILED
        is_completed = kind is EventKind.COMPLETED
        event = VideoEvent(
            kind=kind,
            org_id=self.org_id,
            env_id=self.env_id,
            video_id=self.id,
            sequence=self.event_count,
            status=self.state.value,
            error=self.failure_reason if has_failed else error,
            is_public=self.is_public,
            labels=self.labels,
            source=self.source if is_completed else None,
            duration_s=self.duration_s if is_completed else None,
        )
        self._events.append(event)

    def _move(self, trigger: Trigger) -> None:
        self.state = next_state(self.state, trigger)
