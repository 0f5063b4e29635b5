"""
Bulk changes: one change of many videos, which a person has ordered.

The videos are chosen when the person is asked whether to make the change. The change
itself is made by a task, video by video.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.access.principals import Person
from hvcore.domain.folded_texts import composed
from hvcore.domain.ids import BulkChangeId, EnvId, OrgId, VideoId
from hvcore.domain.labels import LabelChanges
from hvcore.domain.limits import MAX_TAGS
from hvcore.domain.videos.video import Video, VideoChanges

MAX_BULK_VIDEOS: Final = 10_000
"""The most videos of a bulk change: a question inserts a row for each of them."""
MAX_RUNNING_BULK_CHANGES: Final = 5
"""The most bulk changes of an organization that run at a time."""
MAX_QUESTIONS: Final = 60
"""The most questions about all found videos that a person asks within an hour: each writes a row for
each video, and removes those of the last one."""
BULK_KEPT_FOR: Final = timedelta(hours=20)
"""The time for which an ended bulk change is kept: its tags are personal data, gone within a day."""
QUESTION_KEPT_FOR: Final = timedelta(hours=1)
"""The time for which the question before a bulk change can be answered."""


class BulkKind(Enum):
    """The changes that can be made to many videos at once."""

    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    ADD_TAGS = "add-tags"
    REMOVE_TAGS = "remove-tags"
    DELETE = "delete"


TAGGING: Final = frozenset({BulkKind.ADD_TAGS, BulkKind.REMOVE_TAGS})


class BulkState(Enum):
    """The states of a bulk change; ASKED until the person has confirmed it."""

    ASKED = "asked"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


class BulkEnd(Enum):
    """The reason why a bulk change was stopped before its last video."""

    NONE = ""
    BY_PERSON = "by-person"
    ROLE_LOST = "role-lost"
    FAILED = "failed"


class BulkOutcome(Enum):
    """The outcome of a bulk change for one video; WAITING until its turn has come."""

    WAITING = ""
    CHANGED = "changed"
    SAME = "same"
    GONE = "gone"
    TOO_MANY_TAGS = "too-many-tags"
    CHANGED_BY_OTHERS = "changed-by-others"
    """Not deleted: the person who was asked has not seen it as it is now."""
    REFUSED = "refused"


FAILED_OUTCOMES: Final = frozenset(
    {
        BulkOutcome.GONE,
        BulkOutcome.TOO_MANY_TAGS,
        BulkOutcome.CHANGED_BY_OTHERS,
        BulkOutcome.REFUSED,
    }
)


@attrs.frozen(kw_only=True)
class BulkChange:
    """
    Describe a bulk change of videos of an environment.

    Attributes:
        tags: The tags that are added or removed; empty for other kinds of changes.
        end: Why the bulk change was stopped; NONE unless its state is STOPPED.
        person: The person who ordered the bulk change, or who last resumed it.
        total: The number of videos that were chosen for the bulk change.
        keep_hours: For how many hours videos can be restored that the bulk change deletes.
        changed_at: When the state of the bulk change changed last.
        waits_until: Until when the bulk change waits for a rate limit of the organization or
            for an obstacle; None if it does not wait.
        obstacle: Why the bulk change cannot go on, in words for operators; "" while it can.
    """

    id: BulkChangeId
    org_id: OrgId
    env_id: EnvId
    kind: BulkKind
    tags: tuple[str, ...] = ()
    state: BulkState = BulkState.ASKED
    end: BulkEnd = BulkEnd.NONE
    person: Person
    total: int
    keep_hours: int = 0
    created_at: datetime
    changed_at: datetime
    waits_until: datetime | None = None
    obstacle: str = ""


@attrs.frozen(kw_only=True)
class BulkFailure:
    """Name a video that a bulk change could not change, and why."""

    video_id: VideoId
    outcome: BulkOutcome


@attrs.frozen(kw_only=True)
class BulkProgress:
    """
    Count the videos of a bulk change by their outcomes.

    Attributes:
        counts: The number of videos by outcome; outcomes without a video are left out.
    """

    counts: Mapping[BulkOutcome, int]

    def of(self, *outcomes: BulkOutcome) -> int:
        """Return the number of videos whose outcome is one of the given outcomes."""
        return sum(self.counts.get(outcome, 0) for outcome in outcomes)

    @property
    def settled(self) -> int:
        """The number of videos whose turn has come."""
        return sum(self.counts.values()) - self.of(BulkOutcome.WAITING)

    @property
    def failed(self) -> int:
        """The number of videos that could not be changed."""
        return self.of(*FAILED_OUTCOMES)


class TooManyTagsError(Exception):
    """A video would have more tags than a video may have."""


def video_changes(bulk: BulkChange, video: Video) -> VideoChanges:
    """
    Return the change of one field that a bulk change makes to a video in its present form.

    Raises:
        TooManyTagsError: The video would have too many tags.
    """
    return _CHANGES[bulk.kind](bulk.tags, video)


def _publish(_tags: tuple[str, ...], _video: Video) -> VideoChanges:
    return VideoChanges(is_public=True)


def _unpublish(_tags: tuple[str, ...], _video: Video) -> VideoChanges:
    return VideoChanges(is_public=False)


def _add_tags(tags: tuple[str, ...], video: Video) -> VideoChanges:
    there = set(map(composed, video.labels.tags))
    becomes = (*video.labels.tags, *(t for t in tags if composed(t) not in there))
    if len(becomes) > MAX_TAGS:
        raise TooManyTagsError
    return VideoChanges(labels=LabelChanges(tags=becomes))


def _remove_tags(tags: tuple[str, ...], video: Video) -> VideoChanges:
    removed = set(map(composed, tags))
    left = tuple(t for t in video.labels.tags if composed(t) not in removed)
    return VideoChanges(labels=LabelChanges(tags=left))


_CHANGES: Final[Mapping[BulkKind, Callable[[tuple[str, ...], Video], VideoChanges]]] = {
    BulkKind.PUBLISH: _publish,
    BulkKind.UNPUBLISH: _unpublish,
    BulkKind.ADD_TAGS: _add_tags,
    BulkKind.REMOVE_TAGS: _remove_tags,
}
