"""
What the answers of :mod:`hvcore.wire.responses` look like, as JSON Schema.

Source: interface, "Resources and fields". Members that only some videos have
are optional; no answer has members that are not listed.
"""

from typing import Final

from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import MAX_CHOSEN_CHARS
from hvcore.domain.limits import MAX_FRAME_RATE_CAP, MIN_FRAME_RATE_CAP
from hvcore.domain.processing.encoding import (
    AUTO,
    EDGE_LENGTHS,
    AudioCodec,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.wire.schema import (
    ADDRESS,
    BOOLEAN,
    COUNT,
    INTEGER,
    NUMBER,
    STRING,
    TIMESTAMP,
    Schema,
    array,
    identifier,
    one_of,
    record,
    words_of,
)
from hvcore.wire.videos.chapters import CHAPTER_LIST
from hvcore.wire.videos.labels import LABELS
from hvcore.wire.videos.playback import PLAYBACK

CHOSEN_ID: Final[Schema] = {
    "type": "string",
    "pattern": f"^[A-Za-z0-9_-]{{1,{MAX_CHOSEN_CHARS}}}$",
}
"""An organization's or an environment's identifier."""
VIDEO_ID: Final = identifier("vid_")
SECONDS: Final[Schema] = {"type": "number", "minimum": 0}

_GRANT: Final[dict[str, Schema]] = {
    "signedURL": ADDRESS,
    "bucketPath": STRING,
    "expiresAt": INTEGER,
}
_DIRECT: Final[dict[str, Schema]] = {
    "direct": BOOLEAN,
    "parts": array(
        record({"partNumber": INTEGER, "size": INTEGER, "signedURL": ADDRESS})
    ),
}
UPLOAD_GRANT: Final = record(_GRANT, _DIRECT)
VIDEO_UPLOAD_GRANT: Final = record(
    {**_GRANT, "assetId": VIDEO_ID, "videoID": VIDEO_ID}, _DIRECT
)
PROCESSED: Final = record({"videoID": VIDEO_ID})
SIGNED_URL: Final = record({"signed_url": ADDRESS, "expires_in": COUNT})
DELETION: Final = record(
    {
        "status": one_of(VideoState.DELETED.value),
        "deletedAt": TIMESTAMP,
        "message": STRING,
    }
)
ENVIRONMENTS: Final = record(
    {
        "environments": array(
            record(
                {
                    "envID": CHOSEN_ID,
                    "orgID": CHOSEN_ID,
                    "name": STRING,
                    "kind": words_of(EnvironmentKind),
                    "createdAt": TIMESTAMP,
                }
            )
        )
    }
)
HEALTH: Final = record(
    {
        "status": one_of("ok", "degraded", "down"),
        "version": STRING,
        "checks": {
            "type": "object",
            "properties": dict.fromkeys(
                ("database", "clock", "storage", "queue", "transcoder"), STRING
            ),
            "required": ["database", "clock", "storage", "queue", "transcoder"],
            "additionalProperties": STRING,
        },
        "lacks": array(STRING),
        "sandbox": STRING,
    }
)
LIVE: Final = record({"status": one_of("ok")})

_FACTS: Final[dict[str, Schema]] = {
    "id": VIDEO_ID,
    "name": STRING,
    "duration": {"type": "string", "pattern": "^[0-9]+:[0-5][0-9]$"},
    "durationSeconds": SECONDS,
    "createdAt": TIMESTAMP,
    "thumbnailUrl": ADDRESS,
    "served": {
        "type": "string",
        "pattern": "^(?:1 view|[0-9]{1,3}(?:,[0-9]{3})* views)$",
    },
    "allowPublicAccess": BOOLEAN,
    "videoQuality": words_of(Preset),
    "playback": PLAYBACK,
}
_DESCRIPTION: Final[dict[str, Schema]] = {"description": STRING}
VIDEO_LIST: Final = record(
    {
        "videos": array(
            record(
                {**_FACTS, "status": one_of(*(s.value for s in LISTED_STATES))},
                {**_DESCRIPTION, **LABELS},
            )
        ),
        "pagination": record(
            {
                "total": COUNT,
                "page": COUNT,
                "pageSize": COUNT,
                "totalPages": COUNT,
                "hasNext": BOOLEAN,
                "hasPrevious": BOOLEAN,
            },
        ),
    }
)
ENCODING: Final = record(
    {
        "key": {"type": "string", "pattern": "^[0-9]+p$"},
        "shortEdgePixels": COUNT,
        "shortEdgeIsWidth": BOOLEAN,
        "videoStreamBitrate": COUNT,
        "audioStreamBitrate": COUNT,
        "audioFormat": one_of(*(codec.value for codec in AudioCodec), ""),
        "maxFrameRate": NUMBER,
        "pixelFormat": words_of(PixelFormat),
        "rateControlMode": words_of(RateControl),
        "twoPassVBREncoding": BOOLEAN,
        "compressionRatio": words_of(Speed),
    }
)
VIDEO_DETAILS: Final = record(
    {
        **_FACTS,
        "publicID": VIDEO_ID,
        "status": record(dict.fromkeys(("ready", "transcoding", "failed"), BOOLEAN)),
        "maxEdgeLength": {"type": "integer", "enum": [AUTO, *EDGE_LENGTHS]},
        "maxFrameRate": {
            "type": "number",
            "anyOf": [
                {"const": AUTO},
                {"minimum": MIN_FRAME_RATE_CAP, "maximum": MAX_FRAME_RATE_CAP},
            ],
        },
        "pixelFormat": words_of(PixelFormat),
        "rateControlMode": words_of(RateControl),
        "twoPassVBREncoding": BOOLEAN,
        "compressionRatio": words_of(Speed),
        "audioCodec": words_of(AudioCodec),
        "encodings": array(ENCODING),
    },
    {
        **_DESCRIPTION,
        **LABELS,
        "allowDownload": BOOLEAN,
        "renditions": array(
            record({"name": STRING, "contentType": STRING, "url": ADDRESS})
        ),
        "progress": {"type": "integer", "minimum": 0, "maximum": 100},
        "failureReason": STRING,
        "warnings": array(STRING),
        "chapters": CHAPTER_LIST,
        "effectiveAudioCodec": words_of(AudioCodec),
    },
)
