"""
Signed playback addresses.
"""

from typing import Final

from hv_api.resources import playback
from hv_api.routing import KEY, ORG, Route
from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import InvalidExpirationError, VideoNotFoundError
from hvcore.wire import answer_schemas as answers
from hvcore.wire.query import SignedUrlParameters

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "GET",
        f"{ORG}/videos/{{publicID}}/signed-url",
        playback.SignedUrlResource,
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
        summary="Get an address that plays a private video for a time.",
        answer=answers.SIGNED_URL,
        permission=Permission.PLAYBACK_SIGN,
        bucket=Bucket.VIDEO_OPERATIONS,
        query=SignedUrlParameters,
        errors=(InvalidExpirationError, VideoNotFoundError),
    ),
)
