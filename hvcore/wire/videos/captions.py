"""The requests and answers about captions."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_jobs import (
    AUTO,
    CaptionJob,
    CaptionJobState,
    Transcript,
)
from hvcore.domain.videos.captions import (
    LANGUAGE_PATTERN,
    MAX_LABEL_CHARS,
    MAX_LANGUAGE_CHARS,
    SUBRIP_TYPE,
    WEBVTT_TYPE,
    CaptionTrack,
)
from hvcore.wire.converter import optional
from hvcore.wire.kinds import Text, member_of
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    BOOLEAN,
    COUNT,
    STRING,
    TIMESTAMP,
    Schema,
    array,
    nullable,
    one_of,
    record,
    words_of,
)
from hvcore.wire.videos.caption_wishes import CaptionLanguages

LANGUAGE: Final[Schema] = {
    "type": "string",
    "pattern": f"^{LANGUAGE_PATTERN}$",
    "maxLength": MAX_LANGUAGE_CHARS,
}


@attrs.frozen(kw_only=True)
class CaptionParameters:
    """Declare the query parameters of a request that adds captions."""

    label: str | None = optional(
        "label",
        Text(max_chars=MAX_LABEL_CHARS),
        None,
        about="The name that viewers see; by default the language's tag.",
    )


@attrs.frozen(kw_only=True)
class CaptionGenerationRequest:
    """Declare the fields of a request for captions by machine."""

    languages: tuple[str, ...] = optional(
        "languages",
        CaptionLanguages(),
        (AUTO,),
        about="The languages that are spoken; auto for any, which is the default.",
    )


@attrs.frozen(kw_only=True)
class CaptionDefaultRequest:
    """Declare the fields of a request for the captions by machine of an environment's new videos."""

    languages: tuple[str, ...] | None = optional(
        "languages",
        CaptionLanguages(min_languages=0),
        None,
        about="The languages that are spoken, auto for any; empty for no captions, null as the service does.",
    )


class TranscriptFormat(Enum):
    """The formats of a transcript: JSON with words, text, WebVTT and SubRip."""

    JSON = "json"
    TEXT = "text"
    VTT = "vtt"
    SRT = "srt"


TRANSCRIPT_TYPES: Final = {
    TranscriptFormat.JSON: "application/json",
    TranscriptFormat.TEXT: "text/plain",
    TranscriptFormat.VTT: WEBVTT_TYPE,
    TranscriptFormat.SRT: SUBRIP_TYPE,
}


@attrs.frozen(kw_only=True)
class TranscriptParameters:
    """Declare the query parameters of a request for a transcript."""

    form: TranscriptFormat | None = optional(
        "format",
        member_of(TranscriptFormat),
        None,
        about="The format; by default that of the header Accept, or JSON.",
    )


_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_SECONDS: Final[Schema] = {"type": "number", "minimum": 0}
_JOB: Final = record(
    "CaptionJob",
    {
        "wish": STRING,
        "state": words_of(CaptionJobState),
        "language": nullable(STRING),
        "languageAssumed": BOOLEAN,
        "progress": {"type": "integer", "minimum": 0, "maximum": 100},
        "confidence": nullable(_SHARE),
        "cues": COUNT,
        "reason": nullable(STRING),
        "createdAt": TIMESTAMP,
        "changedAt": TIMESTAMP,
    },
)
CAPTIONS: Final = record(
    "CaptionList",
    {
        "captions": array(
            record(
                "Caption",
                {
                    "language": LANGUAGE,
                    "label": STRING,
                    "createdAt": TIMESTAMP,
                    "cues": COUNT,
                    "sizeBytes": COUNT,
                    "generated": BOOLEAN,
                    "confidence": nullable(_SHARE),
                    "state": one_of("CaptionState", CaptionJobState.READY.value),
                },
            )
        )
    },
    {"warnings": array(STRING), "jobs": array(_JOB)},
)
CAPTION_DEFAULT: Final = record(
    "CaptionDefault", {"languages": array(STRING), "inherited": BOOLEAN}
)
TRANSCRIPT: Final = record(
    "Transcript",
    {
        "language": STRING,
        "generated": BOOLEAN,
        "confidence": nullable(_SHARE),
        "cues": array(
            record(
                "TranscriptCue",
                {
                    "startSeconds": _SECONDS,
                    "endSeconds": _SECONDS,
                    "text": STRING,
                    "words": array(
                        record(
                            "TranscriptWord",
                            {
                                "text": STRING,
                                "startSeconds": _SECONDS,
                                "endSeconds": _SECONDS,
                                "confidence": _SHARE,
                            },
                        )
                    ),
                },
            )
        ),
    },
)


def caption_default(languages: Iterable[str], *, is_inherited: bool) -> Payload:
    """Return the JSON payload of the captions by machine that an environment's new videos get."""
    return {"languages": list(languages), "inherited": is_inherited}


def captions(
    tracks: Iterable[CaptionTrack],
    left_out: Sequence[str] = (),
    jobs: Sequence[CaptionJob] | None = None,
) -> Payload:
    """
    Return the JSON payload of the captions of a video.

    Args:
        left_out: Sentences about the parts of an uploaded file that were left out.
        jobs: The jobs that make captions of the video by machine; None where they are not
            told.
    """
    payload: dict[str, object] = {"captions": [caption(track) for track in tracks]}
    if left_out:
        payload["warnings"] = list(left_out)
    if jobs is not None:
        payload["jobs"] = [job_record(job) for job in jobs]
    return payload


def transcript(track: CaptionTrack, said: Transcript) -> Payload:
    """Return the JSON payload of a transcript with its words."""
    return {
        "language": track.language,
        "generated": track.is_generated,
        "confidence": track.confidence,
        "cues": [
            {
                **_span(cue),
                "text": cue.text,
                "words": [
                    {**_span(word), "text": word.text, "confidence": word.confidence}
                    for word in cue.words
                ],
            }
            for cue in said.cues
        ],
    }


def _span(part: SpokenCue | SpokenWord) -> dict[str, float]:
    return {"startSeconds": part.start_ms / 1000, "endSeconds": part.end_ms / 1000}


def caption(track: CaptionTrack) -> Payload:
    """Return the JSON record of the captions in a language."""
    return {
        "language": track.language,
        "label": track.label,
        "createdAt": timestamp(track.created_at),
        "cues": track.cues,
        "sizeBytes": track.size_bytes,
        "generated": track.is_generated,
        "confidence": track.confidence,
        "state": CaptionJobState.READY.value,
    }


def job_record(job: CaptionJob) -> Payload:
    """Return the JSON record of a job that makes captions by machine."""
    return {
        "wish": job.wish,
        "state": job.state.value,
        "language": job.language,
        "languageAssumed": job.is_assumed,
        "progress": job.progress,
        "confidence": job.confidence,
        "cues": job.cues,
        "reason": job.reason or None,
        "createdAt": timestamp(job.created_at),
        "changedAt": timestamp(job.changed_at),
    }
