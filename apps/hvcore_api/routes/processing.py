"""The API routes that start the processing of an uploaded file."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.errors import (
    EnvironmentNotFoundError,
    InvalidGcsPathError,
    InvalidQualityPresetError,
    ProcessingInProgressError,
    QuotaExceededError,
)
from hvcore.wire import answer_schemas as answers
from hvcore.wire.requests import ProcessRequest
from hvcore_api.resources import processing
from hvcore_api.routing import ENV, KEY, Route

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "POST",
        f"{ENV}/videos/process",
        processing.ProcessResource,
        name="processVideo",
        summary="Make a video of uploaded bytes.",
        answer=answers.PROCESSED,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=ProcessRequest,
        errors=(
            InvalidGcsPathError,
            InvalidQualityPresetError,
            ProcessingInProgressError,
            EnvironmentNotFoundError,
            QuotaExceededError,
        ),
        is_idempotent=True,
    ),
    Route(
        "POST",
        f"{KEY}/videos/process",
        processing.ProcessResource,
        name="processVideo",
        summary="Make a video of uploaded bytes.",
        answer=answers.PROCESSED,
        permission=Permission.VIDEOS_WRITE,
        bucket=Bucket.VIDEO_OPERATIONS,
        body=ProcessRequest,
        errors=(
            InvalidGcsPathError,
            InvalidQualityPresetError,
            ProcessingInProgressError,
            QuotaExceededError,
        ),
        is_idempotent=True,
    ),
)
