"""The API routes of the chapters of videos."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.wire.videos import chapters as wire
from hvcore_api.resources import chapters
from hvcore_api.routing import KEY, ORG, Route, Special

_FILE: Final = Special(
    request_types=chapters.FORMATS, max_body_bytes=MAX_CHAPTER_FILE_BYTES
)


def _of_video(video: str) -> tuple[Route, ...]:
    return (
        Route(
            "GET",
            f"{video}/chapters",
            chapters.ChaptersResource,
            name="listChapters",
            summary="List a video's chapters.",
            answer=wire.CHAPTERS,
            permission=Permission.VIDEOS_READ,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError,),
        ),
        Route(
            "PUT",
            f"{video}/chapters",
            chapters.ChaptersResource,
            name="setChapters",
            summary="Set a video's chapters: a WebVTT file, a cue for each.",
            answer=wire.CHAPTERS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError,),
            special=_FILE,
        ),
        Route(
            "DELETE",
            f"{video}/chapters",
            chapters.ChaptersResource,
            name="removeChapters",
            summary="Remove a video's chapters.",
            answer=wire.CHAPTERS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError, NotFoundError),
        ),
    )


ROUTES: Final[tuple[Route, ...]] = (
    *_of_video(f"{ORG}/videos/{{videoID}}"),
    *_of_video(f"{KEY}/videos/{{assetId}}"),
)
