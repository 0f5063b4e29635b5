"""The inspection port: read the whole database page by page, to compare it with something."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import attrs

from hvcore.domain.ids import OrgId, VideoId
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.states import VideoState


@attrs.frozen(kw_only=True)
class VideoOutline:
    """Hold the facts about a video that tell a check which of its stored files are needed."""

    id: VideoId
    org_id: OrgId
    state: VideoState
    deleted_at: datetime | None


@attrs.frozen(kw_only=True)
class WrongTotal:
    """
    Describe a stored total that differs from the sum of the rows that it stands for.

    Attributes:
        of: The name of the total, such as ``stored bytes``.
        recorded: The stored total; None if it is missing.
    """

    org_id: OrgId
    of: str
    recorded: int | None
    counted: int


class Inspection(Protocol):
    """
    Read all of the database as it is at present; thread-safe.

    Each call may raise UnavailableError.
    """

    def listed_videos(
        self, *, after: str, limit: int, org_id: str | None
    ) -> Sequence[VideoId]:
        """
        Return the next page of videos that owners see, ordered by id.

        Args:
            after: The last video id of the page before; "" for the first page.
        """
        ...

    def outlines(self, video_ids: Collection[str]) -> Mapping[str, VideoOutline]:
        """Return the outlines of videos, deleted or not; unknown ids are left out."""
        ...

    def tasks_without_video(self, *, org_id: str | None, limit: int) -> Sequence[Task]:
        """Return the tasks that have not ended and whose video does not exist."""
        ...

    def wrong_totals(self, *, org_id: str | None) -> Sequence[WrongTotal]:
        """
        Return the stored totals that differ from the sums of their rows, all read in one snapshot.

        Args:
            org_id: The organization whose totals are checked; None for all
                organizations.
        """
        ...
