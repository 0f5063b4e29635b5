"""Disagreements of the database and the storage."""

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId, VideoId

GRACE: Final = timedelta(days=7)
"""How old is what may be removed; whoever restores an older database has as long."""
INTO_QUARANTINE: Final = "put them in quarantine; they are removed in a week"


class DamageKind(Enum):
    """The kinds of damage."""

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
        step: One sentence, said before it is done.
        carry_out: Looks again, does it if it still is right, and says what was done.
        gives_up: Afterwards something is gone for good that is not there now, either:
            only on an operator's own word.
    """

    step: str
    carry_out: Callable[[], str] = attrs.field(eq=False, repr=False)
    gives_up: bool = False


@attrs.frozen(kw_only=True)
class Damage:
    """
    A disagreement of the database and the storage, or within one of the two.

    Attributes:
        what: One sentence.
        path: Where in the storage; empty for what is in the database alone.
        org_id: None where nobody knows whose it is.
        repair: None if nothing is to be done now; ``why_not`` says why.
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
    The range of an examination for damage.

    Attributes:
        reads_bytes: Compare the bytes of every file with the checksum that was noted
            when it was made, not its size alone.
        grace: See GRACE.
    """

    org_id: str | None = None
    video_id: VideoId | None = None
    reads_bytes: bool = False
    grace: timedelta = GRACE
