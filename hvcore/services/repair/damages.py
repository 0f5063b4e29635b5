"""Describe damages: disagreements between the database and the storage."""

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId, VideoId

GRACE: Final = timedelta(days=7)
"""The least age of files that may be removed; an older database must be restored by then."""
INTO_QUARANTINE: Final = "put them in quarantine; they are removed in a week"


class DamageKind(Enum):
    """The kinds of damage that a check of the database and the storage can find."""

    SEGMENTS = "segments"
    INIT_SEGMENT = "init-segment"
    POSTER = "poster"
    STORYBOARD = "storyboard"
    PLAYLIST = "playlist"
    MEDIA_INDEX = "media-index"
    CAPTIONS = "captions"
    CUSTOM_THUMBNAIL = "custom-thumbnail"
    SOURCE = "source"
    STUCK_VIDEO = "stuck-video"
    TASK_WITHOUT_VIDEO = "task-without-video"
    FOLDER_WITHOUT_VIDEO = "folder-without-video"
    DELETED_FILES = "deleted-files"
    OLD_JOB = "old-job"
    OLD_ATTEMPT = "old-attempt"
    UNUSED_FILE = "unused-file"
    LEFTOVER_UPLOAD = "leftover-upload"
    TOTALS = "totals"


@attrs.frozen(kw_only=True)
class Repair:
    """
    The way to repair a damage.

    Attributes:
        step: The repair in one sentence, told before it is carried out.
        carry_out: Checks that the damage is still there, repairs it, and returns what was
            done.
        gives_up: Whether the repair gives up data that are already lost: carried out only
            if an operator says so.
    """

    step: str
    carry_out: Callable[[], str] = attrs.field(eq=False, repr=False)
    gives_up: bool = False


@attrs.frozen(kw_only=True)
class Damage:
    """
    A disagreement of the database and the storage, or within one of the two.

    Attributes:
        what: The damage in one sentence.
        path: The storage path of the damaged data; empty if the damage is in the
            database alone.
        org_id: The organization whose data are damaged; None if it is not known.
        repair: The way to repair the damage; None if nothing is to be done now, as ``why_not``
            explains.
    """

    kind: DamageKind
    what: str
    path: str = ""
    org_id: OrgId | None = None
    video_id: VideoId | None = None
    repair: Repair | None = None
    why_not: str = ""


@attrs.frozen(kw_only=True)
class Scope:
    """
    The part of the database and the storage that is checked for damage, and how.

    Attributes:
        reads_bytes: Whether the bytes of every file are compared with the checksum that was
            noted when it was made, and not its size alone.
        grace: The least age of files that may be removed; see GRACE.
    """

    org_id: str | None = None
    video_id: VideoId | None = None
    reads_bytes: bool = False
    grace: timedelta = GRACE
