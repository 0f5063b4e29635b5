"""The API routes of signed playback addresses."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import ConflictError, InvalidExpirationError, VideoNotFoundError
from hvcore.wire import answer_schemas as answers
from hvcore.wire.query import SignedUrlParameters, SourceParameters
from hvcore_api.resources import playback
from hvcore_api.routing import KEY, ORG, Route


def _source(video: str) -> Route:
    return Route(
        "GET",
        f"{video}/source",
        playback.SourceResource,
        name="getSourceUrl",
        summary="Get an address of the file that a video was made of, for a time.",
        answer=answers.SIGNED_URL,
        permission=Permission.VIDEOS_READ,
        bucket=Bucket.VIDEO_OPERATIONS,
        query=SourceParameters,
        errors=(InvalidExpirationError, ConflictError, VideoNotFoundError),
    )


ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "GET",
        f"{ORG}/videos/{{publicID}}/signed-url",
        playback.SignedUrlResource,
        name="getSignedUrl",
        summary="Get an address that plays a private video for a time.",
        answer=answers.SIGNED_URL,
        permission=Permission.PLAYBACK_SIGN,
        bucket=Bucket.VIDEO_OPERATIONS,
        query=SignedUrlParameters,
        errors=(InvalidExpirationError, VideoNotFoundError),
    ),
    Route(
        "GET",
        f"{KEY}/videos/{{assetId}}/signed-url",
        playback.SignedUrlResource,
        name="getSignedUrl",
        summary="Get an address that plays a private video for a time.",
        answer=answers.SIGNED_URL,
        permission=Permission.PLAYBACK_SIGN,
        bucket=Bucket.VIDEO_OPERATIONS,
        query=SignedUrlParameters,
        errors=(InvalidExpirationError, VideoNotFoundError),
    ),
    _source(f"{ORG}/videos/{{videoID}}"),
    _source(f"{KEY}/videos/{{assetId}}"),
)
