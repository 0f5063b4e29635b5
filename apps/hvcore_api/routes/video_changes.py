"""The API routes that change a video, process it again, and set its poster."""

from collections.abc import Callable
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.errors import (
    ConflictError,
    InvalidParametersError,
    PreconditionFailedError,
    ProcessingInProgressError,
    QuotaExceededError,
    VideoNotFoundError,
)
from hvcore.pictures.redraw import PICTURE_FORMATS
from hvcore.wire import answer_schemas as answers
from hvcore.wire.entity_tags import ETAG, IF_MATCH
from hvcore.wire.videos import changes as wire
from hvcore_api.resources import retry, thumbnails, videos
from hvcore_api.routing import KEY, ORG, Route, Special

_PICTURE: Final = Special(
    request_types=tuple(PICTURE_FORMATS), max_body_bytes=MAX_PICTURE_BYTES
)


def _change(video: str, resource: Callable[[Services], object]) -> Route:
    return Route(
        "PATCH",
        video,
        resource,
        name="updateVideo",
        summary="Change a video's name, description, visibility or labels.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_WRITE,
        body=wire.VideoChangeRequest,
        errors=(VideoNotFoundError, ConflictError, PreconditionFailedError),
        special=Special(
            request_headers={"If-Match": IF_MATCH}, answer_headers={"ETag": ETAG}
        ),
    )


def _retry(video: str) -> Route:
    return Route(
        "POST",
        f"{video}/retry",
        retry.RetryResource,
        name="retryVideo",
        summary="Process a failed video again, with the same settings.",
        answer=answers.PROCESSED,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        errors=(
            ProcessingInProgressError,
            InvalidParametersError,
            QuotaExceededError,
            VideoNotFoundError,
        ),
    )


def _thumbnail(video: str) -> Route:
    return Route(
        "POST",
        f"{video}/thumbnail",
        thumbnails.ThumbnailResource,
        name="setThumbnail",
        summary="Choose a video's picture: a moment of it, or one that is sent.",
        answer=wire.THUMBNAIL,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.THUMBNAILS,
        body=wire.CustomThumbnailRequest,
        errors=(ConflictError, VideoNotFoundError),
        special=_PICTURE,
    )


ROUTES: Final[tuple[Route, ...]] = (
    _change(f"{ORG}/videos/{{videoID}}", videos.OwnedVideoResource),
    _change(f"{KEY}/videos/{{assetId}}", videos.VideoResource),
    _retry(f"{ORG}/videos/{{videoID}}"),
    _retry(f"{KEY}/videos/{{assetId}}"),
    _thumbnail(f"{ORG}/videos/{{videoID}}"),
    _thumbnail(f"{KEY}/videos/{{assetId}}"),
)
