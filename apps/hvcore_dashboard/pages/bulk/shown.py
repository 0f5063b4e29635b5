"""Bulk changes with the words and names that their pages show."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.clock import Clock
from hvcore.domain.videos.bulk_changes import (
    BulkChange,
    BulkEnd,
    BulkKind,
    BulkOutcome,
    BulkProgress,
    BulkState,
)
from hvcore.errors import VideoNotFoundError
from hvcore.services.bulk.changes import BulkChanges, BulkView
from hvcore.services.videos.catalog import Catalog
from hvcore_dashboard.visits import OrganizationVisit

FIRST_NAMES: Final = 5
MOST_FAILURES: Final = 100


@attrs.frozen(kw_only=True)
class BulkWords:
    """The verbs for a kind of bulk change: as a command, while it runs, and when it is done."""

    verb: str
    running: str
    done: str
    same: str


WORDS: Final[Mapping[BulkKind, BulkWords]] = {
    BulkKind.PUBLISH: BulkWords(
        verb="Publish", running="Publishing", done="published", same="public already"
    ),
    BulkKind.UNPUBLISH: BulkWords(
        verb="Unpublish",
        running="Unpublishing",
        done="made private",
        same="private already",
    ),
    BulkKind.ADD_TAGS: BulkWords(
        verb="Add tags to",
        running="Adding tags to",
        done="tagged",
        same="tagged so already",
    ),
    BulkKind.REMOVE_TAGS: BulkWords(
        verb="Remove tags from",
        running="Removing tags from",
        done="changed",
        same="without these tags already",
    ),
    BulkKind.DELETE: BulkWords(
        verb="Delete", running="Deleting", done="deleted", same="deleted already"
    ),
}
_ENDS: Final[Mapping[BulkEnd, str]] = {
    BulkEnd.NONE: "",
    BulkEnd.BY_PERSON: "It was stopped.",
    BulkEnd.ROLE_LOST: (
        "It was stopped, because the person who asked for it has signed out, or is no "
        "editor of this organization any more."
    ),
    BulkEnd.FAILED: "It was stopped by an error of the service.",
}
_FAILURES: Final[Mapping[BulkOutcome, str]] = {
    BulkOutcome.GONE: "It was deleted meanwhile.",
    BulkOutcome.TOO_MANY_TAGS: "It would have more tags than a video may have.",
    BulkOutcome.CHANGED_BY_OTHERS: (
        "Somebody else, or a program, has changed or shared it since the question was "
        "asked. Look at it, and delete it by itself."
    ),
    BulkOutcome.REFUSED: "The service refused the change.",
}


@attrs.frozen(kw_only=True)
class ShownFailure:
    """A video that a bulk change failed to change: its id, its name if it still exists, and why."""

    video_id: str
    name: str | None
    reason: str


@attrs.frozen(kw_only=True)
class ShownBulk:
    """
    A bulk change as its page shows it.

    Attributes:
        words: The verbs for the kind of bulk change.
        names: The present names of the first of its videos.
        percent: The share of its videos that were tried already, 0 to 100.
        end: The text that says why the bulk change ended; "" if it did not end early.
        waits_until: The time until which the bulk change waits for a limit or an obstacle;
            None if it does not wait.
    """

    bulk: BulkChange
    progress: BulkProgress
    words: BulkWords
    names: Sequence[str]
    failures: Sequence[ShownFailure]
    percent: int
    end: str
    waits_until: datetime | None

    @property
    def videos(self) -> str:
        """The number of videos of the bulk change as text with a noun, such as ``220 videos``."""
        noun = "video" if self.bulk.total == 1 else "videos"
        return f"{self.bulk.total:,} {noun}"

    @property
    def is_running(self) -> bool:
        """Whether the bulk change runs, or waits for a worker."""
        return self.bulk.state is BulkState.RUNNING

    @property
    def left(self) -> int:
        """The number of videos that the bulk change has not tried yet."""
        return self.progress.of(BulkOutcome.WAITING)

    @property
    def sentence(self) -> str:
        """The outcome of the bulk change in words, such as ``220 published, 3 public already``."""
        parts = (
            (self.progress.of(BulkOutcome.CHANGED), self.words.done),
            (self.progress.of(BulkOutcome.SAME), self.words.same),
            (self.progress.failed, "not changed"),
            (self.left, "not begun"),
        )
        told = [f"{number:,} {what}" for number, what in parts if number]
        return ", ".join(told) or f"0 {self.words.done}"


@attrs.frozen(kw_only=True)
class ShownBulks:
    """Adds words and names of videos to stored bulk changes, for the pages that show them."""

    bulk_changes: BulkChanges
    catalog: Catalog
    clock: Clock

    @classmethod
    def of(cls, services: Services) -> "ShownBulks":
        """Return the reader of bulk changes that uses these services."""
        return cls(
            bulk_changes=services.bulk_changes,
            catalog=services.catalog,
            clock=services.clock,
        )

    def whole(self, here: OrganizationVisit, bulk_id: str) -> ShownBulk:
        """
        Return a bulk change with the names of videos.

        Raises:
            NotFoundError: The organization has no such bulk change.
        """
        view = self.bulk_changes.view(
            here.org_id, bulk_id, first=FIRST_NAMES, most_failures=MOST_FAILURES
        )
        names = (self._name(here, video_id) for video_id in view.first_ids)
        failures = [
            ShownFailure(
                video_id=one.video_id,
                name=self._name(here, one.video_id),
                reason=_FAILURES[one.outcome],
            )
            for one in view.failures
        ]
        shown = attrs.evolve(self.brief(view), failures=failures)
        return attrs.evolve(shown, names=[name for name in names if name is not None])

    def brief(self, view: BulkView) -> ShownBulk:
        """Return a bulk change without names of videos."""
        bulk, progress = view.bulk, view.progress
        waits = bulk.waits_until
        is_waiting = waits is not None and waits > self.clock.now()
        return ShownBulk(
            bulk=bulk,
            progress=progress,
            words=WORDS[bulk.kind],
            names=(),
            failures=(),
            percent=math.floor(100 * progress.settled / bulk.total),
            end=_ENDS[bulk.end],
            waits_until=waits if is_waiting else None,
        )

    def _name(self, here: OrganizationVisit, video_id: str) -> str | None:
        try:
            return self.catalog.details(here.caller, here.org_id, video_id).name
        except VideoNotFoundError:
            return None
