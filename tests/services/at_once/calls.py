"""
The calls that meet, as their callers make them.
"""

from hvcore.domain.videos.video import VideoChanges
from tests.services.at_once.holding import Call
from tests.services.at_once.tenant import Tenant


def edit(at: Tenant, video_id: str, **changes: object) -> Call:
    """
    Change members of a video.
    """
    wanted = VideoChanges(**changes)  # type: ignore[arg-type]  # one value each
    return lambda: at.services.editing.change(
        at.caller, at.env.org_id, video_id, wanted
    )


def delete(at: Tenant, video_id: str) -> Call:
    """
    Delete a video.
    """
    return lambda: at.services.deletion.delete(at.caller, at.env.org_id, video_id, None)


def retry(at: Tenant, video_id: str) -> Call:
    """
    Have a failed video made once more.
    """
    return lambda: at.services.processing.retry(at.caller, at.env.org_id, video_id)


def process(at: Tenant, path: str) -> Call:
    """
    Have an upload made into a video.
    """
    return lambda: at.services.processing.process(at.env, path, at.wanted())


def bin_it(at: Tenant, video_id: str) -> Call:
    """
    Delete a video that can be restored for 20 hours.
    """
    return lambda: at.services.deletion.delete(
        at.caller, at.env.org_id, video_id, None, keep_hours=20
    )


def restore(at: Tenant, video_id: str) -> Call:
    """
    Restore a video from the bin.
    """
    return lambda: at.services.bin.restore(at.caller, at.env.org_id, video_id)
