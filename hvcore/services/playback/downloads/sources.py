"""Serve the source file of a video to its owner."""

from typing import Final

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import VideoNotFoundError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.services.playback.downloads.names import saved_name
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import Lifetime, PlaybackResponse, StoredFile

TYPES: Final = {
    "mp4": "video/mp4",
    "m4v": "video/mp4",
    "mov": "video/quicktime",
    "avi": "video/x-msvideo",
    "webm": "video/webm",
    "mkv": "video/x-matroska",
}
"""Content types of source files, by the endings of their names."""
_STEM: Final = "source"


def source_name(file_name: str, content_type: str | None) -> str:
    """
    Return the file name of a source in its address, such as ``source.mp4``.

    Args:
        file_name: The name that the uploading client gave the file.
        content_type: The media type that the client announced; None if it announced
            none.
    """
    ending = file_name.rpartition(".")[2].lower()
    if ending not in TYPES:
        ending = next((e for e, kind in TYPES.items() if kind == content_type), "mp4")
    return f"{_STEM}.{ending}"


def source_type(name: str) -> str | None:
    """
    Return the content type of a source by its file name in the address.

    Returns:
        None if the name is not of a source.
    """
    stem, _, ending = name.rpartition(".")
    return TYPES.get(ending) if stem == _STEM else None


def open_source(
    storage: Storage, video: Playable, name: str, content_type: str
) -> PlaybackResponse:
    """
    Return the response with the source file of a video.

    Raises:
        VideoNotFoundError: The file is gone.
    """
    try:
        info = storage.stat(video.source_path)
    except ObjectNotFoundError as exc:
        raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING) from exc
    return PlaybackResponse(
        body=StoredFile(
            storage=storage, path=video.source_path, file_bytes=info.size_bytes
        ),
        content_type=content_type,
        # Each sending has a path of its own, and is never replaced there.
        etag=f"{video.source_path.rpartition('/')[2]}-{info.size_bytes}",
        lifetime=Lifetime.PLAYLIST,
        is_public=False,
        save_as=saved_name(video.name, name, _STEM),
    )
