"""
Lists of videos, their details, changes and deletion.
"""

from typing import Final

from hv_api.resources import videos
from hv_api.routing import ENV, KEY, ORG, Route
from hvcore.domain.access import Permission
from hvcore.domain.rate_limits import Bucket
from hvcore.errors import (
    AlreadyDeletedError,
    EnvironmentNotFoundError,
    InvalidPageSizeError,
    VideoNotFoundError,
)
from hvcore.wire import answer_schemas as answers
from hvcore.wire.query import ListParameters
from hvcore.wire.requests import DeleteRequest

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "GET",
        f"{ENV}/videos",
        videos.VideoList,
        summary="List an environment's videos.",
        answer=answers.VIDEO_LIST,
        permission=Permission.VIDEOS_READ,
        query=ListParameters,
        errors=(InvalidPageSizeError, EnvironmentNotFoundError),
    ),
    Route(
        "GET",
        f"{KEY}/videos",
        videos.VideoList,
        summary="List the videos of the key's environment.",
        answer=answers.VIDEO_LIST,
        permission=Permission.VIDEOS_READ,
        query=ListParameters,
        errors=(InvalidPageSizeError,),
    ),
    Route(
        "GET",
        f"{ORG}/videos/{{publicID}}/details",
        videos.Details,
        summary="Describe a video.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError,),
    ),
    Route(
        "GET",
        f"{KEY}/videos/{{assetId}}",
        videos.Video,
        summary="Describe a video.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError,),
    ),
    Route(
        "GET",
        f"{KEY}/videos/{{assetId}}/details",
        videos.Details,
        summary="Describe a video.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError,),
    ),
    Route(
        "DELETE",
        f"{ORG}/videos/{{videoID}}",
        videos.OwnedVideo,
        summary="Delete a video.",
        answer=answers.DELETION,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=DeleteRequest,
        errors=(AlreadyDeletedError, VideoNotFoundError),
        has_optional_body=True,
    ),
    Route(
        "DELETE",
        f"{KEY}/videos/{{assetId}}",
        videos.Video,
        summary="Delete a video.",
        answer=answers.DELETION,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=DeleteRequest,
        errors=(AlreadyDeletedError, VideoNotFoundError),
        has_optional_body=True,
    ),
)
