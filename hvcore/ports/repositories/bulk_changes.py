"""The repository of bulk changes of videos; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from hvcore.domain.access.principals import Person
from hvcore.domain.ids import BulkChangeId, OrgId, VideoId
from hvcore.domain.videos.bulk_changes import (
    BulkChange,
    BulkEnd,
    BulkFailure,
    BulkOutcome,
    BulkProgress,
)


class BulkChangeRepository(Protocol):
    """Store bulk changes, and the outcome for each of their videos."""

    def add(self, bulk: BulkChange, video_ids: Sequence[VideoId]) -> None:
        """Store a bulk change with its videos, in the order in which they are changed."""
        ...

    def find(self, bulk_id: str) -> BulkChange | None: ...

    def latest(self, org_id: OrgId, limit: int) -> Sequence[BulkChange]:
        """Return an organization's latest bulk changes that people have confirmed, latest first."""
        ...

    def running(self, org_id: OrgId) -> Sequence[BulkChange]:
        """Return an organization's bulk changes that are running, the latest first."""
        ...

    def count_running(self, org_id: OrgId) -> int:
        """Return the number of an organization's bulk changes that are running."""
        ...

    def start(
        self, bulk: BulkChange, person: Person, tags: tuple[str, ...], now: datetime
    ) -> bool:
        """
        Start a bulk change in a person's name.

        Return False if its state is no longer that of ``bulk``.

        One SQL statement: of any number of callers at once, one succeeds.
        """
        ...

    def end(self, bulk: BulkChange, reason: BulkEnd, now: datetime) -> bool:
        """
        End a running bulk change for a reason, NONE if all videos are done.

        Return False if it was not running.
        """
        ...

    def wait(self, bulk_id: BulkChangeId, until: datetime, obstacle: str) -> None:
        """Store until when a bulk change waits, and for which obstacle; "" is a rate limit."""
        ...

    def waiting(self, bulk_id: BulkChangeId, limit: int) -> Sequence[VideoId]:
        """Return at most ``limit`` videos of a bulk change that have no outcome yet, in their order."""
        ...

    def settle(
        self, bulk_id: BulkChangeId, video_id: VideoId, outcome: BulkOutcome
    ) -> bool:
        """
        Store the outcome for a video, if it has none yet and the bulk change runs.

        Returns:
            False if nothing was stored: then the transaction must not be committed.
        """
        ...

    def first_videos(self, bulk_id: BulkChangeId, limit: int) -> Sequence[VideoId]:
        """Return the first ``limit`` videos of a bulk change, whatever their outcome."""
        ...

    def progress(self, bulk_id: BulkChangeId) -> BulkProgress:
        """Return the number of a bulk change's videos by outcome."""
        ...

    def failures(self, bulk_id: BulkChangeId, limit: int) -> Sequence[BulkFailure]:
        """Return the first ``limit`` videos that a bulk change could not change, with the reasons."""
        ...

    def remove_questions(self, person: Person, org_id: OrgId) -> None:
        """Remove a person's bulk changes in an organization that the person has not confirmed."""
        ...

    def remove_old(self, *, asked_before: datetime, ended_before: datetime) -> None:
        """Remove bulk changes that were never confirmed, or have ended, before the given moments."""
        ...
