"""The requests and answers about captions."""

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from hvcore.domain.videos.captions import (
    LANGUAGE_PATTERN,
    MAX_LABEL_CHARS,
    MAX_LANGUAGE_CHARS,
    CaptionTrack,
)
from hvcore.wire.converter import optional
from hvcore.wire.kinds import Text
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import COUNT, STRING, TIMESTAMP, Schema, array, record

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
                },
            )
        )
    },
    {"warnings": array(STRING)},
)


def captions(tracks: Iterable[CaptionTrack], left_out: Sequence[str] = ()) -> Payload:
    """
    Return the JSON payload of the captions of a video.

    Args:
        left_out: Sentences about the parts of an uploaded file that were left out.
    """
    warnings = {"warnings": list(left_out)} if left_out else {}
    return warnings | {
        "captions": [
            {
                "language": track.language,
                "label": track.label,
                "createdAt": timestamp(track.created_at),
                "cues": track.cues,
                "sizeBytes": track.size_bytes,
            }
            for track in tracks
        ]
    }
