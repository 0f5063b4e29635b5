"""The API routes of the captions of videos."""

from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES
from hvcore.errors import (
    ConflictError,
    InvalidParametersError,
    NotFoundError,
    VideoNotFoundError,
)
from hvcore.wire.videos import captions as wire
from hvcore_api.resources import captions
from hvcore_api.routing import KEY, ORG, Route, Special

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
            errors=(VideoNotFoundError, ConflictError),
            is_idempotent=True,
            has_optional_body=True,
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


ROUTES: Final[tuple[Route, ...]] = (
    *_of_video(f"{ORG}/videos/{{videoID}}"),
    *_of_video(f"{KEY}/videos/{{assetId}}"),
)
