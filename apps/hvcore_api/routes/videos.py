"""The API routes that list videos, show their details, change and delete them."""

from collections.abc import Callable
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    EnvironmentNotFoundError,
    HvError,
    InvalidPageSizeError,
    NotFoundError,
    VideoNotFoundError,
)
from hvcore.wire import answer_schemas as answers
from hvcore.wire.entity_tags import ETAG
from hvcore.wire.query import ListParameters
from hvcore.wire.requests import DeleteRequest
from hvcore.wire.videos.bin import BIN, BinParameters, DeleteParameters
from hvcore.wire.videos.conformance import CONFORMANCE
from hvcore_api.resources import bin as deleted
from hvcore_api.resources import videos
from hvcore_api.resources.conformance import ConformanceResource
from hvcore_api.routing import ENV, KEY, ORG, Route, Special


def _list(root: str, summary: str, *errors: type[HvError]) -> Route:
    return Route(
        "GET",
        f"{root}/videos",
        videos.VideoListResource,
        name="listVideos",
        summary=summary,
        answer=answers.VIDEO_LIST,
        permission=Permission.VIDEOS_READ,
        query=ListParameters,
        errors=(InvalidPageSizeError, *errors),
    )


def _details(
    path: str, resource: Callable[[Services], object], name: str = "getVideoDetails"
) -> Route:
    return Route(
        "GET",
        path,
        resource,
        name=name,
        summary="Describe a video.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError,),
        special=Special(answer_headers={"ETag": ETAG}),
    )


def _conformance(video: str) -> Route:
    return Route(
        "GET",
        f"{video}/conformance",
        ConformanceResource,
        name="getVideoConformance",
        summary="Get the findings of the check of a finished video.",
        answer=CONFORMANCE,
        permission=Permission.VIDEOS_READ,
        errors=(VideoNotFoundError, NotFoundError),
    )


def _deletion(path: str, resource: Callable[[Services], object]) -> Route:
    return Route(
        "DELETE",
        path,
        resource,
        name="deleteVideo",
        summary="Delete a video, for good or so that it can be restored for some hours.",
        answer=answers.DELETION,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=DeleteRequest,
        query=DeleteParameters,
        errors=(AlreadyDeletedError, VideoNotFoundError),
        has_optional_body=True,
    )


def _deleted(root: str, *errors: type[HvError]) -> Route:
    return Route(
        "GET",
        f"{root}/videos/deleted",
        deleted.BinResource,
        name="listDeletedVideos",
        summary="List the deleted videos that can be restored, the last deleted first.",
        answer=BIN,
        permission=Permission.VIDEOS_READ,
        query=BinParameters,
        errors=(InvalidPageSizeError, *errors),
    )


def _restore(video: str) -> Route:
    return Route(
        "POST",
        f"{video}/restore",
        deleted.RestoreResource,
        name="restoreVideo",
        summary="Restore a deleted video, with everything that it had.",
        answer=answers.VIDEO_DETAILS,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        errors=(ConflictError, VideoNotFoundError),
        special=Special(answer_headers={"ETag": ETAG}),
    )


ROUTES: Final[tuple[Route, ...]] = (
    _list(ENV, "List an environment's videos.", EnvironmentNotFoundError),
    _list(KEY, "List the videos of the key's environment."),
    _details(f"{ORG}/videos/{{publicID}}/details", videos.VideoDetailsResource),
    _details(f"{KEY}/videos/{{assetId}}", videos.VideoResource, "getVideo"),
    _details(f"{KEY}/videos/{{assetId}}/details", videos.VideoDetailsResource),
    _conformance(f"{ORG}/videos/{{videoID}}"),
    _conformance(f"{KEY}/videos/{{assetId}}"),
    _deletion(f"{ORG}/videos/{{videoID}}", videos.OwnedVideoResource),
    _deletion(f"{KEY}/videos/{{assetId}}", videos.VideoResource),
    _deleted(ENV, EnvironmentNotFoundError),
    _deleted(KEY),
    _restore(f"{ORG}/videos/{{videoID}}"),
    _restore(f"{KEY}/videos/{{assetId}}"),
)
