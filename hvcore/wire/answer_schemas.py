"""
The JSON Schemas of the answers of :mod:`hvcore.wire.responses`.

Source: the interface document, "Resources and fields". Members that only some videos have
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
    named,
    one_of,
    record,
    words_of,
)
from hvcore.wire.videos.chapters import CHAPTER_LIST
from hvcore.wire.videos.labels import LABELS
from hvcore.wire.videos.playback import PLACE, PLAYBACK
from hvcore.wire.videos.sources import SOURCE

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
    "contentType": STRING,
    "parts": array(
        record(
            "UploadPart",
            {"partNumber": INTEGER, "size": INTEGER, "signedURL": ADDRESS},
        )
    ),
}
UPLOAD_GRANT: Final = record("UploadGrant", _GRANT, _DIRECT)
VIDEO_UPLOAD_GRANT: Final = record(
    "VideoUploadGrant",
    {**_GRANT, "assetId": VIDEO_ID, "videoID": VIDEO_ID},
    _DIRECT,
)
PROCESSED: Final = record("ProcessedVideo", {"videoID": VIDEO_ID})
SIGNED_URL: Final = record("SignedUrl", {"signed_url": ADDRESS, "expires_in": COUNT})
DELETION: Final = record(
    "Deletion",
    {
        "status": one_of("DeletedStatus", VideoState.DELETED.value),
        "deletedAt": TIMESTAMP,
        "message": STRING,
    },
    # Of a video that can be restored.
    {"restorableUntil": TIMESTAMP},
)
ENVIRONMENTS: Final = record(
    "EnvironmentList",
    {
        "environments": array(
            record(
                "Environment",
                {
                    "envID": CHOSEN_ID,
                    "orgID": CHOSEN_ID,
                    "name": STRING,
                    "kind": words_of(EnvironmentKind),
                    "createdAt": TIMESTAMP,
                },
            )
        )
    },
)
HEALTH: Final = record(
    "Health",
    {
        "status": one_of("HealthStatus", "ok", "degraded", "down"),
        "version": STRING,
        # By the name of what was looked at.
        "checks": {
            **record(
                "HealthChecks",
                dict.fromkeys(
                    ("database", "clock", "storage", "queue", "disk", "transcoder"),
                    STRING,
                ),
            ),
            "additionalProperties": STRING,
        },
        "lacks": array(STRING),
        "sandbox": STRING,
    },
)
LIVE: Final = record("Liveness", {"status": one_of("LivenessStatus", "ok")})

DURATION: Final[Schema] = {"type": "string", "pattern": "^[0-9]+:[0-5][0-9]$"}
PAGINATION: Final = record(
    "Pagination",
    {
        "total": COUNT,
        "page": COUNT,
        "pageSize": COUNT,
        "totalPages": COUNT,
        "hasNext": BOOLEAN,
        "hasPrevious": BOOLEAN,
    },
    # Of a list by what is said, if there are more than are counted.
    {"totalIsMinimum": BOOLEAN},
)
SPOKEN_HITS: Final = array(
    record(
        "SpokenHit",
        {
            "startSeconds": SECONDS,
            "language": STRING,
            "snippet": array(
                record("SnippetPart", {"text": STRING, "isMatch": BOOLEAN})
            ),
        },
    )
)
_FACTS: Final[dict[str, Schema]] = {
    "id": VIDEO_ID,
    "name": STRING,
    "duration": DURATION,
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
VIDEO_STATUS: Final = one_of("VideoStatus", *(s.value for s in LISTED_STATES))
VIDEO_LIST: Final = record(
    "VideoList",
    {
        "videos": array(
            record(
                "VideoSummary",
                {**_FACTS, "status": VIDEO_STATUS},
                {**_DESCRIPTION, **LABELS, **SOURCE, "spokenHits": SPOKEN_HITS},
            )
        ),
        "pagination": PAGINATION,
    },
)
ENCODING: Final = record(
    "Encoding",
    {
        "key": {"type": "string", "pattern": "^[0-9]+p$"},
        "shortEdgePixels": COUNT,
        "shortEdgeIsWidth": BOOLEAN,
        "videoStreamBitrate": COUNT,
        "audioStreamBitrate": COUNT,
        "audioFormat": one_of(
            "EncodingAudioFormat", *(codec.value for codec in AudioCodec), ""
        ),
        "maxFrameRate": NUMBER,
        "pixelFormat": words_of(PixelFormat),
        "rateControlMode": words_of(RateControl),
        "twoPassVBREncoding": BOOLEAN,
        "compressionRatio": words_of(Speed),
    },
)
VIDEO_DETAILS: Final = record(
    "VideoDetails",
    {
        **_FACTS,
        "publicID": VIDEO_ID,
        "status": record(
            "VideoStatusFlags",
            dict.fromkeys(("ready", "transcoding", "failed"), BOOLEAN),
        ),
        "maxEdgeLength": named(
            "MaxEdgeLength", {"type": "integer", "enum": [AUTO, *EDGE_LENGTHS]}
        ),
        "maxFrameRate": {
            "type": "number",
            "minimum": AUTO,
            "maximum": MAX_FRAME_RATE_CAP,
            "not": {"exclusiveMinimum": AUTO, "exclusiveMaximum": MIN_FRAME_RATE_CAP},
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
        **SOURCE,
        "allowDownload": BOOLEAN,
        "renditions": array(
            record(
                "Rendition",
                {"name": STRING, "contentType": STRING, "url": PLACE},
                {"language": STRING},
            )
        ),
        "progress": {"type": "integer", "minimum": 0, "maximum": 100},
        "failureReason": STRING,
        "warnings": array(STRING),
        "chapters": CHAPTER_LIST,
        "effectiveAudioCodec": words_of(AudioCodec),
    },
)
