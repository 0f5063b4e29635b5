"""Grants that end before their bytes have come: taken back or expired, then removed."""

import logging
from datetime import datetime
from typing import Final

from hvcore.domain.tasks.kinds import UPLOAD_PURGE, VIDEO_PURGE
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.expiry import (
    ERASED_AFTER,
    IN_FLIGHT_FOR,
    UNPROCESSED_RETENTION,
)
from hvcore.domain.uploads.grants import GrantState, UploadGrant
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.unit_of_work import UnitOfWork

_log = logging.getLogger(__name__)

SWEEP_BATCH: Final = 100


def take_back(uow: UnitOfWork, grant: UploadGrant, moment: datetime) -> None:
    """
    End an upload grant whose address the client never got, and the video that waits for it.

    Otherwise the announced size would count for the organization's quota for hours. If the
    database does not answer, this is only logged: the grant expires by itself then. A grant
    whose file was taken in (``USED``) stays: only the answer to that was lost.
    """
    try:
        with uow.write() as work:
            # Locks are taken in one order everywhere: grant, video.
            found = work.grants.find(grant.id, for_update=True)
            if found is None or found.state in {GrantState.ENDED, GrantState.USED}:
                return
            found.end()
            work.grants.save(found)
            video = work.videos.find(found.video_id or "", for_update=True)
            if video is not None and video.state is VideoState.AWAITING_UPLOAD:
                video.upload_expires_at = moment
                video.expire()
                work.videos.save(video)
                work.tasks.add([erasure_of(video, work.now())])
            # The store may have begun something: only its answer was lost.
            work.tasks.add([purge_of(found)])
            work.commit()
    except UnavailableError as exc:
        _log.warning(
            "a grant that nobody was told of is not taken back, and ends later",
            extra={"hv_upload": grant.id, "hv_why": exc.detail},
        )


def end_expired(uow: UnitOfWork, now: datetime) -> int:
    """
    End the grants and videos whose bytes can no longer arrive, and have them removed.

    Returns:
        How many ended; a sweep ends at most `SWEEP_BATCH` of each kind.
    """
    with uow.write() as work:
        videos = work.videos.expired(now - IN_FLIGHT_FOR, SWEEP_BATCH)
        for video in videos:
            video.expire()
            work.videos.save(video)
        grants = [
            *work.grants.unused(now - UNPROCESSED_RETENTION, SWEEP_BATCH),
            *work.grants.never_sent(now - IN_FLIGHT_FOR, SWEEP_BATCH),
        ]
        # Those of yesterday may be in both.
        grants = [*{grant.id: grant for grant in grants}.values()]
        for grant in grants:
            grant.end()
            work.grants.save(grant)
        work.tasks.add(purge_of(grant) for grant in grants)
        work.tasks.add(erasure_of(video, work.now() + ERASED_AFTER) for video in videos)
        work.commit()
    return len(videos) + len(grants)


def erasure_of(video: Video, moment: datetime) -> NewTask:
    """Return the task that erases the personal data of a video whose file never came."""
    return NewTask(
        kind=VIDEO_PURGE,
        lane=Lane.LIGHT,
        org_id=video.org_id,
        subject=video.id,
        not_before=moment,
    )


def purge_of(grant: UploadGrant) -> NewTask:
    """Return the task that removes the objects that were uploaded for a grant."""
    return NewTask(
        kind=UPLOAD_PURGE, lane=Lane.LIGHT, org_id=grant.org_id, subject=grant.path
    )
