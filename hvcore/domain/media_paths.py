"""Storage paths of a video's files: media, posters, thumbnails and reports."""

from typing import Final

from hvcore.domain.ids import JobId, VideoId

QUARANTINE: Final = "quarantine"
"""The storage prefix of what a repair has removed, until nobody has missed it."""
MOMENTS: Final = "moments"
"""The folder of pictures at moments, below a video's."""
_POSTERS: Final = "posters"
_CERTIFICATES: Final = "certificates"


def media_root(video_id: VideoId, job_id: JobId) -> str:
    """Return the storage prefix of the media files that a transcode job makes."""
    return f"{media_prefix(video_id)}/{job_id}"


def media_prefix(video_id: VideoId) -> str:
    """Return the storage prefix of all files that were made of a video, by any job."""
    return f"media/{video_id}"


def quarantined(path: str) -> str:
    """Return the path in the quarantine that corresponds to a storage path or prefix."""
    return f"{QUARANTINE}/{path}"


def conformance_report_path(video_id: VideoId, job_id: JobId) -> str:
    """
    Return the storage path of the conformance report about a job's files.

    The report lies beside the job's files, because those of a failed job are removed.
    """
    return f"{media_prefix(video_id)}/{_CERTIFICATES}/{job_id}.json"


def posters_prefix(video_id: VideoId) -> str:
    """Return the storage prefix of the posters that a video's owner has uploaded."""
    return f"{media_prefix(video_id)}/{_POSTERS}"


def thumbnails_prefix(video_id: VideoId, poster_path: str) -> str:
    """
    Return the storage prefix of the thumbnails, in all sizes, of one poster of a video.

    Args:
        poster_path: The storage path of the poster, which the owner chose or a job
            made.
    """
    folder, name = poster_path.removeprefix(f"{media_prefix(video_id)}/").split("/", 1)
    of = name.removesuffix(".jpg") if folder == _POSTERS else folder
    return f"{media_prefix(video_id)}/thumbnails/{of}"


def moments_prefix(video_id: VideoId, media_root: str) -> str:
    """
    Return the storage prefix of the pictures at moments that were made of a job's files.

    Args:
        media_root: The storage prefix of the job's files, as media_root returns it.
    """
    job = media_root.removeprefix(f"{media_prefix(video_id)}/")
    return f"{media_prefix(video_id)}/{MOMENTS}/{job}"
