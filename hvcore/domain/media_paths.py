"""Storage paths of a video's files."""

from typing import Final

from hvcore.domain.ids import JobId, VideoId

QUARANTINE: Final = "quarantine"
"""The storage prefix of what a repair has removed, until nobody has missed it."""
_POSTERS: Final = "posters"
_CERTIFICATES: Final = "certificates"


def media_root(video_id: VideoId, job_id: JobId) -> str:
    """Return the storage prefix under which a job's files are."""
    return f"{media_prefix(video_id)}/{job_id}"


def media_prefix(video_id: VideoId) -> str:
    """Return the storage prefix of everything that was made of a video."""
    return f"media/{video_id}"


def quarantined(path: str) -> str:
    """Return the quarantine path of a storage path or prefix."""
    return f"{QUARANTINE}/{path}"


def conformance_report_path(video_id: VideoId, job_id: JobId) -> str:
    """
    Return the storage path of what the check of a job's files has found.

    Not among those files, because everything else of a failed job is removed.
    """
    return f"{media_prefix(video_id)}/{_CERTIFICATES}/{job_id}.json"


def posters_prefix(video_id: VideoId) -> str:
    """Return the storage prefix of the pictures that the owner has chosen."""
    return f"{media_prefix(video_id)}/{_POSTERS}"


def thumbnails_prefix(video_id: VideoId, poster_path: str) -> str:
    """
    Return the storage prefix of a picture's sizes; each picture has its own.

    Args:
        poster_path: Storage path of the picture, chosen or made by a job.
    """
    folder, name = poster_path.removeprefix(f"{media_prefix(video_id)}/").split("/", 1)
    of = name.removesuffix(".jpg") if folder == _POSTERS else folder
    return f"{media_prefix(video_id)}/thumbnails/{of}"
