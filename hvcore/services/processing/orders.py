"""
Order the tasks that make a video: fetching its source, planning its job.
"""

from hvcore.domain.tasks.kinds import FETCH_GET, TRANSCODE_PLAN
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.grants import UploadGrant
from hvcore.domain.videos.video import Video
from hvcore.ports.unit_of_work import Work


def order_job(work: Work, video: Video) -> None:
    """
    Order the planning of a video's current job.
    """
    work.tasks.add(
        [
            NewTask(
                kind=TRANSCODE_PLAN,
                lane=Lane.PLAN,
                org_id=video.org_id,
                subject=video.id,
                payload={"job": video.job_id},
            )
        ]
    )


def order_fetch(work: Work, grant: UploadGrant) -> None:
    """
    Order the fetching of a grant's bytes.

    The task names the grant and not the address, which may hold secrets.
    """
    work.tasks.add(
        [
            NewTask(
                kind=FETCH_GET,
                lane=Lane.OUTBOUND,
                org_id=grant.org_id,
                subject=grant.video_id or grant.id,
                payload={"grant": grant.id},
            )
        ]
    )
