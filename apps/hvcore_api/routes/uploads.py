"""The API routes of upload URLs, fetches from a URL, and resumable uploads."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.uploads.resumable import UnsupportedVersionError
from hvcore.errors import (
    EnvironmentNotFoundError,
    InvalidFileSizeError,
    InvalidGcsPathError,
    InvalidQualityPresetError,
    PayloadTooLargeError,
    QuotaExceededError,
    UnsupportedFormatError,
    VideoNotFoundError,
)
from hvcore.wire import answer_schemas as answers
from hvcore.wire.requests import UploadUrlRequest, VideoUploadRequest
from hvcore.wire.uploads import fetching as fetch
from hvcore.wire.uploads import resumable as tus
from hvcore_api.resources import fetching, resumable, uploads
from hvcore_api.routing import ENV, KEY, Route, Special

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "POST",
        f"{ENV}/videos/upload-url",
        uploads.UploadUrlResource,
        name="createUploadUrl",
        summary="Get an address to send a file to.",
        answer=answers.UPLOAD_GRANT,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.UPLOAD_URL,
        body=UploadUrlRequest,
        errors=(
            InvalidFileSizeError,
            UnsupportedFormatError,
            EnvironmentNotFoundError,
            QuotaExceededError,
        ),
        is_idempotent=True,
    ),
    Route(
        "POST",
        f"{KEY}/videos/upload-url",
        uploads.VideoUploadUrlResource,
        name="createUploadUrl",
        summary="Get an address to send a file to, which is processed on arrival.",
        answer=answers.VIDEO_UPLOAD_GRANT,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.UPLOAD_URL,
        body=VideoUploadRequest,
        errors=(
            InvalidFileSizeError,
            UnsupportedFormatError,
            InvalidQualityPresetError,
            QuotaExceededError,
        ),
        is_idempotent=True,
    ),
    Route(
        "POST",
        f"{KEY}/videos/{{assetId}}/upload-complete",
        uploads.UploadCompleteResource,
        name="completeUpload",
        summary="Process an upload at once that was sent straight to the store.",
        answer=answers.PROCESSED,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        errors=(InvalidGcsPathError, VideoNotFoundError),
    ),
    Route(
        "POST",
        f"{KEY}/videos/upload",
        fetching.VideoUploadResource,
        name="createVideoFromUrl",
        summary="Make a video of the file at an address.",
        answer=fetch.FETCHED_VIDEO,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=fetch.FetchVideoRequest,
        errors=(
            InvalidFileSizeError,
            UnsupportedFormatError,
            InvalidQualityPresetError,
            QuotaExceededError,
        ),
        is_idempotent=True,
    ),
    Route(
        "POST",
        f"{KEY}/videos/download",
        fetching.DownloadResource,
        name="downloadFile",
        summary="Fetch the file at an address, to be processed.",
        answer=fetch.FETCHED_FILE,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=fetch.DownloadRequest,
        errors=(QuotaExceededError,),
        is_idempotent=True,
    ),
    Route(
        "POST",
        f"{KEY}/uploads",
        resumable.TusCreationResource,
        name="createResumableUpload",
        summary="Create a resumable upload (tus 1.0), which is processed on arrival.",
        answer=tus.RESUMABLE_UPLOAD,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.UPLOAD_URL,
        errors=(
            UnsupportedVersionError,
            InvalidFileSizeError,
            UnsupportedFormatError,
            InvalidQualityPresetError,
            PayloadTooLargeError,
            QuotaExceededError,
        ),
        is_idempotent=True,
        special=Special(
            request_headers=tus.REQUEST_HEADERS,
            required_headers=("Tus-Resumable", "Upload-Length", "Upload-Metadata"),
            refused_headers=tus.REFUSED_HEADERS,
            header_fields=VideoUploadRequest,
            status=201,
            answer_headers=tus.ANSWER_HEADERS,
        ),
    ),
    Route(
        "OPTIONS",
        f"{KEY}/uploads",
        resumable.TusCreationResource,
        name="getResumableUploadOptions",
        summary="Ask what resumable uploads can do.",
        is_open=True,
        special=Special(status=204),
    ),
)
