"""The API routes of the captions of videos."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES
from hvcore.errors import (
    ConflictError,
    EnvironmentNotFoundError,
    HvError,
    InvalidParametersError,
    NotFoundError,
    QuotaExceededError,
    VideoNotFoundError,
)
from hvcore.wire.videos import captions as wire
from hvcore_api.resources import captions
from hvcore_api.resources.caption_defaults import CaptionDefaultResource
from hvcore_api.routing import ENV, KEY, ORG, Route, Special

_FILE: Final = Special(
    request_types=tuple(captions.FORMATS), max_body_bytes=MAX_CAPTION_BYTES
)

_TEXTS: Final = Special(
    further_types=(
        wire.TRANSCRIPT_TYPES[wire.TranscriptFormat.TEXT],
        wire.TRANSCRIPT_TYPES[wire.TranscriptFormat.VTT],
        wire.TRANSCRIPT_TYPES[wire.TranscriptFormat.SRT],
    )
)


def _of_video(video: str) -> tuple[Route, ...]:
    return (
        Route(
            "GET",
            f"{video}/captions",
            captions.CaptionListResource,
            name="listCaptions",
            summary="List a video's captions.",
            answer=wire.CAPTIONS,
            permission=Permission.VIDEOS_READ,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError,),
        ),
        Route(
            "POST",
            f"{video}/captions/generate",
            captions.CaptionGenerationResource,
            name="generateCaptions",
            summary="Order captions of a video by machine.",
            answer=wire.CAPTIONS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            body=wire.CaptionGenerationRequest,
            errors=(VideoNotFoundError, ConflictError, QuotaExceededError),
            is_idempotent=True,
            has_optional_body=True,
        ),
        Route(
            "DELETE",
            f"{video}/captions/generate",
            captions.CaptionGenerationResource,
            name="cancelCaptions",
            summary="Cancel captions by machine that are being made.",
            answer=wire.CAPTIONS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError,),
        ),
        Route(
            "GET",
            f"{video}/transcript/{{language}}",
            captions.TranscriptResource,
            name="getTranscript",
            summary="Get what is said in a video: JSON with words, text, WebVTT or SubRip.",
            answer=wire.TRANSCRIPT,
            permission=Permission.VIDEOS_READ,
            bucket=Bucket.VIDEO_OPERATIONS,
            query=wire.TranscriptParameters,
            errors=(VideoNotFoundError, NotFoundError),
            special=_TEXTS,
        ),
        Route(
            "PUT",
            f"{video}/captions/{{language}}",
            captions.CaptionFileResource,
            name="setCaptions",
            summary="Set a video's captions in a language: WebVTT or SubRip.",
            answer=wire.CAPTIONS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            query=wire.CaptionParameters,
            errors=(VideoNotFoundError,),
            special=_FILE,
        ),
        Route(
            "DELETE",
            f"{video}/captions/{{language}}",
            captions.CaptionFileResource,
            name="removeCaptions",
            summary="Remove a video's captions in a language.",
            answer=wire.CAPTIONS,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=(VideoNotFoundError, NotFoundError, InvalidParametersError),
        ),
    )


def _default(root: str, *errors: type[HvError]) -> tuple[Route, ...]:
    path = f"{root}/caption-defaults"
    return (
        Route(
            "GET",
            path,
            CaptionDefaultResource,
            name="getCaptionDefaults",
            summary="Get which captions a machine makes of new videos.",
            answer=wire.CAPTION_DEFAULT,
            permission=Permission.VIDEOS_READ,
            bucket=Bucket.VIDEO_OPERATIONS,
            errors=errors,
        ),
        Route(
            "PUT",
            path,
            CaptionDefaultResource,
            name="setCaptionDefaults",
            summary="Set which captions a machine makes of new videos.",
            answer=wire.CAPTION_DEFAULT,
            permission=Permission.VIDEOS_WRITE,
            bucket=Bucket.VIDEO_OPERATIONS,
            body=wire.CaptionDefaultRequest,
            errors=errors,
        ),
    )


ROUTES: Final[tuple[Route, ...]] = (
    *_default(ENV, EnvironmentNotFoundError),
    *_default(KEY),
    *_of_video(f"{ORG}/videos/{{videoID}}"),
    *_of_video(f"{KEY}/videos/{{assetId}}"),
)
