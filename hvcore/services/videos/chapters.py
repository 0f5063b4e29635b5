"""Set, show and remove the chapters of videos."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.chapter_file import ReadChapters
from hvcore.domain.videos.video import Video
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.conditions import Condition, require_condition
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.videos.text_reading import TextReading
from hvcore.throttling.shares import SharedCapacity


@attrs.frozen(kw_only=True)
class Chapters:
    """
    Set, show and remove the chapters of videos.

    Chapters belong to the video and not to a job: a retry of the job keeps them.

    Attributes:
        slots: Limits the files that are received at a time: captions, chapters and pictures
            together.
    """

    uow: UnitOfWork
    slots: SharedCapacity
    reading: TextReading
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def receiving(self, org_id: str) -> AbstractContextManager[None]:
        """
        Hold a slot for a chapters file while it is received and stored.

        Raises:
            UnavailableError: Too many files are being received, in all or of the
                organization.
        """
        return self.slots.take(org_id)

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[Chapter]:
        """
        Return a video's chapters, in order.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return video.shown_chapters

    def put(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        data: bytes,
        *,
        only_if: Condition[Sequence[Chapter]] | None = None,
    ) -> ReadChapters:
        """
        Set the chapters of a video from a WebVTT file, and return the chapters that are shown.

        Viewers get them from the next request on, in place of any chapters before.

        Args:
            data: A WebVTT file.
            only_if: A condition on the chapters that are replaced.

        Raises:
            InvalidParametersError: The file is no WebVTT file, or exceeds a limit.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            UnavailableError: Too many files are being read.
            PreconditionFailedError: The condition does not hold; nothing is changed.
        """
        # First: reading a file is work that only a video's owner may ask for.
        with self.uow.read() as work:
            require_listed(find_authorized_video(work, caller, org_id, video_id))
        read = self.reading.chapters(org_id, data)
        shown = self.replace(caller, org_id, video_id, read.chapters, only_if=only_if)
        return attrs.evolve(read, chapters=tuple(shown))

    def replace(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        chapters: tuple[Chapter, ...],
        *,
        only_if: Condition[Sequence[Chapter]] | None = None,
    ) -> Sequence[Chapter]:
        """
        Set the chapters of a video, in place of any before, and return those that are shown.

        Args:
            chapters: The chapters, in order and without overlaps; an empty tuple removes all.
            only_if: A condition on the chapters that are replaced.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            PreconditionFailedError: The condition does not hold; nothing is changed.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            require_condition(only_if, video.chapters)
            self._save(work, video, chapters)
        self.changes.publish()
        return video.shown_chapters

    def remove(self, caller: Principal, org_id: str, video_id: str) -> None:
        """
        Remove all chapters of a video; the next request does not find them.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no chapters.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            if not video.chapters:
                raise NotFoundError("The video has no chapters.")
            self._save(work, video, ())
        self.changes.publish()

    def _save(self, work: Work, video: Video, chapters: tuple[Chapter, ...]) -> None:
        video.chapters = chapters
        work.videos.save(video)
        record_by_caller(work, "chapters.set", video.id, org_id=video.org_id)
        work.commit()
