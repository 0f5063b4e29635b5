"""Change a video's name, description, visibility and other properties of its owner."""

from collections.abc import Callable, Mapping

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.videos.preconditions import IfMatch
from hvcore.domain.videos.video import Video, VideoChanges
from hvcore.ports.cache_invalidation import InvalidationReason
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.changes import PlaybackChanges


@attrs.frozen(kw_only=True)
class Editing:
    """Change names, descriptions, visibility and the other properties that owners may change."""

    uow: UnitOfWork
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def change(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        changes: VideoChanges,
        *,
        if_match: IfMatch | None = None,
    ) -> Video:
        """
        Change properties of a video, and return it; the next request sees the change.

        Args:
            if_match: A condition on the video, checked when it is changed.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            PreconditionFailedError: The video does not meet ``if_match``; nothing is
                changed.
        """
        with self.uow.write() as work:
            video, is_changed = self.change_within(
                work,
                caller,
                org_id,
                video_id,
                lambda _video: changes,
                if_match=if_match,
            )
            if is_changed:
                work.commit()
        self.changes.publish()
        return video

    def change_within(  # noqa: PLR0913 - as change
        self,
        work: Work,
        caller: Principal,
        org_id: str,
        video_id: str,
        changes_of: Callable[[Video], VideoChanges],
        *,
        if_match: IfMatch | None = None,
    ) -> tuple[Video, bool]:
        """
        Change properties of a video in the caller's transaction; call ``publish`` after it.

        Args:
            changes_of: Returns the changes of the video as it is now, under its lock.

        Returns:
            The video as it is after the change, and whether anything was changed.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            PreconditionFailedError: The video does not meet ``if_match``; nothing is
                changed.
        """
        video = require_listed(
            find_authorized_video(work, caller, org_id, video_id, for_update=True)
        )
        # Under the row's lock: no other edit comes between this and the save.
        if if_match is not None:
            if_match.require(video)
        was_public, before = video.is_public, _editable(video)
        if not video.change(changes_of(video)):
            return video, False
        work.videos.save(video)
        if was_public and not video.is_public:
            self.changes.of_video(work, video, InvalidationReason.MADE_PRIVATE)
        record_by_caller(
            work,
            "video.change",
            video.id,
            org_id=video.org_id,
            name=video.name,
            public=video.is_public,
            changed=[
                name
                for name, value in _editable(video).items()
                if value != before[name]
            ],
        )
        return video, True

    def publish(self) -> None:
        """Make the processes of this machine see the changes, after their commit."""
        self.changes.publish()


def _editable(video: Video) -> Mapping[str, object]:
    """Return the properties of a video that its owner may change, by their names in the API."""
    labels = video.labels
    return {
        "name": video.name,
        "description": video.description,
        "allowPublicAccess": video.is_public,
        "allowDownload": video.allows_download,
        "tags": labels.tags,
        "metadata": labels.metadata,
        "externalID": labels.external_id,
    }
