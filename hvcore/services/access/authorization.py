"""
Check whether a caller may use the video that a path names.

Source: the interface document, "Authentication"; every service that takes a video's id
finds the video through :func:`find_authorized_video`.
"""

from hvcore.domain.access.principals import Principal
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ForbiddenError,
    VideoNotFoundError,
)
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.unit_of_work import Work


def find_authorized_video(
    work: Work,
    caller: Principal,
    org_id: str,
    video_id: str,
    *,
    for_update: bool = False,
) -> Video:
    """
    Return the video that a path names, if the caller may use it.

    Deleted videos and videos that await their file are returned, too. A video of another
    organization looks exactly like a missing one.

    Args:
        for_update: Whether the video's row stays locked until the transaction ends.

    Raises:
        VideoNotFoundError: The organization has no such video.
        ForbiddenError: The video is outside the environment of the caller's API key.
    """
    video = work.videos.find(video_id, for_update=for_update)
    return authorize_video(video, caller, org_id)


def authorize_video(video: Video | None, caller: Principal, org_id: str) -> Video:
    """
    Return the given video, if the caller may use it.

    Raises:
        VideoNotFoundError: The video is None, or of another organization.
        ForbiddenError: The video is outside the environment of the caller's API key.
    """
    if video is None or video.org_id != org_id:
        raise VideoNotFoundError
    if not caller.may_use_env(video.env_id):
        raise ForbiddenError("This key belongs to another environment.")
    return video


def require_listed(video: Video) -> Video:
    """
    Return the given video, unless it is deleted or still awaits its file.

    Raises:
        VideoNotFoundError: It is deleted or awaits its file.
    """
    if video.state in {VideoState.DELETED, VideoState.AWAITING_UPLOAD}:
        raise VideoNotFoundError
    return video


def listed_video(
    videos: VideoCatalog, caller: Principal, org_id: str, video_id: str
) -> Video:
    """
    Return the video that a path names, if the caller may use it; needs no transaction.

    Raises:
        VideoNotFoundError: The organization has no such video, it is deleted, or its
            file has not come yet.
        ForbiddenError: The video is outside the environment of the caller's API key.
    """
    return require_listed(authorize_video(videos.find(video_id), caller, org_id))
