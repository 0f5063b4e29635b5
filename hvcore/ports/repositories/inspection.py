"""The inspection port: the whole database, page by page, for who compares it with something."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import attrs

from hvcore.domain.ids import OrgId, VideoId
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.states import VideoState


@attrs.frozen(kw_only=True)
class VideoOutline:
    """The state of a video, which tells whether its files are wanted."""

    id: VideoId
    org_id: OrgId
    state: VideoState
    deleted_at: datetime | None


@attrs.frozen(kw_only=True)
class WrongTotal:
    """
    A stored total that is not the sum of what it stands for.

    Attributes:
        of: What is counted, such as ``stored bytes``.
        recorded: None if it is not there.
    """

    org_id: OrgId
    of: str
    recorded: int | None
    counted: int


class Inspection(Protocol):
    """Everything as of now; thread-safe. Each call may raise UnavailableError."""

    def listed_videos(
        self, *, after: str, limit: int, org_id: str | None
    ) -> Sequence[VideoId]:
        """
        Return the next videos that owners see, by id.

        Args:
            after: The last one of the page before; empty for the first page.
        """
        ...

    def outlines(self, video_ids: Collection[str]) -> Mapping[str, VideoOutline]:
        """Return the outlines of some videos, deleted or not, as far as they exist."""
        ...

    def tasks_without_video(self, *, org_id: str | None, limit: int) -> Sequence[Task]:
        """Return tasks that have not ended, about videos that there are not."""
        ...

    def wrong_totals(self, *, org_id: str | None) -> Sequence[WrongTotal]:
        """Return the totals of organizations that are wrong at one moment."""
        ...
