"""
Order the purges of deleted videos, and end or undo stays in the bin, in the caller's transaction.

The transaction holds the locks of the upload grant and of the video, in that order.
"""

from datetime import timedelta
from typing import Final

from hvcore.domain.processing.remote_jobs import cancel_tasks
from hvcore.domain.tasks.kinds import (
    CAPTIONS_MAKE,
    FETCH_GET,
    THUMBNAIL_MAKE,
    THUMBNAIL_TIDY,
    TRANSCODE_KINDS,
    TRANSCODE_REPAIR,
    TRANSCODE_TIDY,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.domain.videos.video import Video
from hvcore.ports.unit_of_work import Work

LATE_WRITES_AFTER: Final = timedelta(minutes=15)
"""When the prefixes are emptied again, because a dying worker may have written late."""
_RESTING: Final = (CAPTIONS_MAKE, THUMBNAIL_MAKE, TRANSCODE_REPAIR, *TRANSCODE_KINDS)
"""Work on a video that plays, such as a renewal of lost files; it goes on when the video is
restored."""
_TIDYING: Final = (TRANSCODE_TIDY, THUMBNAIL_TIDY)
"""Removals of files that a video does not need: of a deleted one they would remove nothing."""
_ENDED: Final = (*TRANSCODE_KINDS, TRANSCODE_REPAIR, FETCH_GET, CAPTIONS_MAKE)


def end_for_good(work: Work, video: Video, grant: UploadGrant | None) -> None:
    """End the tasks and the upload grant of a deleted video, so that it cannot be restored any more."""
    video.leave_bin()
    ended = work.tasks.cancel(video.id, kinds=_ENDED)
    work.tasks.add(cancel_tasks(ended, now=work.now()))
    if grant is not None:
        # A fetch that began before there was a video is its grant's.
        work.tasks.cancel(grant.id, kinds=(FETCH_GET,))
        grant.end()
        work.grants.save(grant)


def order_purges(work: Work, video: Video) -> None:
    """
    Order the purges of a deleted video, in place of those that are ordered already.

    While the video is in the bin, its purges wait for the end of its stay, and the work on
    it rests.
    """
    work.tasks.cancel(video.id, kinds=(VIDEO_PURGE,))
    first = work.now()
    if video.bin_stay is not None:
        first = video.bin_stay.ends_at
        work.tasks.rest(video.id, kinds=(*_RESTING, *_TIDYING), until=first)
    work.tasks.add(
        NewTask(
            kind=VIDEO_PURGE,
            lane=Lane.LIGHT,
            org_id=video.org_id,
            subject=video.id,
            not_before=first + delay,
        )
        for delay in (timedelta(), LATE_WRITES_AFTER)
    )


def undo_stay(work: Work, video: Video) -> None:
    """Cancel the purges of a restored video, and let its tasks go on that rested in the bin."""
    work.tasks.cancel(video.id, kinds=(VIDEO_PURGE,))
    for kind in _RESTING:
        work.tasks.hurry(work.tasks.unended(video.id, kind=kind))
    late = work.now() + LATE_WRITES_AFTER
    work.tasks.rest(video.id, kinds=_TIDYING, until=late)
