"""
The fields of requests, as the documentation has them: types, allowed and refused values.
"""

from typing import Final

import attrs

GIB: Final = 1024**3


@attrs.frozen
class Field:
    """
    A line of a request table.

    Attributes:
        type: JSON type, or ``day`` for ``YYYY-MM-DD``.
        allowed: Values that must be taken, all of them where the table lists
            them.
        refused: Values of the right type that must not be taken.
        code: Of the refusal.
    """

    name: str
    type: str
    is_required: bool = attrs.field(default=False, kw_only=True)
    default: object = attrs.field(default=None, kw_only=True)
    allowed: tuple[object, ...] = attrs.field(default=(), kw_only=True)
    refused: tuple[object, ...] = attrs.field(default=(), kw_only=True)
    code: str = attrs.field(default="invalid_parameters", kw_only=True)


JUDGED_BY_SERVICES: Final = frozenset({"gcsPath", "videoURL", "sourceUrl"})
"""Fields whose values are refused by more than their form."""
WRONG_TYPES: Final[dict[str, tuple[object, ...]]] = {
    "string": (1, 1.5, True, [], {}, ["a"]),
    "integer": ("1", 1.5, 1.0, True, [], {}),
    "boolean": ("true", 0, 1, [], {}),
}
UNREADABLE: Final = {
    "integer": ("", "x", "1.0", "1e1", " 1", "+1", "0x1", "٣", "01", "null"),
    "boolean": ("", "1", "True", "yes"),
    "day": ("", "x", "2026-1-1", "20260101", "2026-02-30", "2026-01-01T00:00:00Z"),
}

QUALITIES: Final = ("standard", "high", "ultra")
CONTENT_TYPES: Final = (
    "video/mp4",
    "video/quicktime",
    "video/x-msvideo",
    "video/webm",
    "video/x-matroska",
    # What browsers and systems call some of them.
    "video/matroska",
    "video/x-m4v",
    "video/avi",
    "video/msvideo",
    "video/vnd.avi",
)
PIXEL_FORMATS: Final = (
    "yuv420p",
    "yuv422p",
    "yuv444p",
    "yuv420p10b",
    "yuv422p10b",
    "yuv444p10b",
    "yuv420p12b",
    "yuv422p12b",
    "yuv444p12b",
    "autoDetect",
)
SPEEDS: Final = (
    "ultrafast",
    "superfast",
    "veryfast",
    "faster",
    "fast",
    "medium",
    "slower",
    "veryslow",
    "ultraslow",
)
AUDIO_CODECS: Final = ("aac", "aac-he", "aac-he-v2", "mp3", "ac3", "eac3")

ENCODING: Final = (
    Field(
        "maxEdgeLength",
        "integer",
        default=-1,
        allowed=(-1, 480, 720, 1080, 1440, 2160),
        refused=(0, -2, 360, 481, 4320, 2**31, 2**63, 2**64),
    ),
    Field(
        "maxFrameRate",
        "integer",
        default=-1,
        allowed=(-1, 1, 24, 60, 240),
        refused=(0, -2, 241, 2**64),
    ),
    Field(
        "pixelFormat",
        "string",
        default="yuv420p",
        allowed=PIXEL_FORMATS,
        refused=("", "YUV420P", "yuv420p10le", "rgb24"),
    ),
    Field(
        "rateControlMode",
        "string",
        default="variableBitrate",
        allowed=("constantBitrate", "variableBitrate"),
        refused=("", "crf", "VariableBitrate"),
    ),
    Field("twoPassVBREncoding", "boolean", default=False, allowed=(True, False)),
    Field(
        "compressionRatio",
        "string",
        default="veryfast",
        allowed=SPEEDS,
        refused=("", "slow", "placebo", "VeryFast"),
    ),
    Field(
        "audioCodec",
        "string",
        default="aac",
        allowed=AUDIO_CODECS,
        refused=("", "opus", "AAC", "libfdk_aac"),
    ),
)
FILE_SIZE: Final = Field(
    "fileSize",
    "integer",
    allowed=(1, 10**6, 5 * GIB),
    refused=(0, -1, 5 * GIB + 1, 10**10, 2**63, 2**64),
    code="invalid_file_size",
)
CONTENT_TYPE: Final = Field(
    "contentType",
    "string",
    allowed=CONTENT_TYPES,
    refused=("video/mpeg", "VIDEO/MP4", "text/plain", "video/mp4,x", "video/mp4\r\n"),
    code="unsupported_format",
)
VIDEO_NAME: Final = Field(
    "videoName", "string", allowed=("A", "日本語 & <b>"), refused=("", "x" * 1025)
)
DESCRIPTION: Final = Field(
    "description", "string", allowed=("", "x" * 5000), refused=("x" * 5001,)
)
QUALITY: Final = Field(
    "videoQuality",
    "string",
    default="standard",
    allowed=QUALITIES,
    refused=("", "low", "HIGH"),
    code="invalid_quality_preset",
)
PUBLIC: Final = Field(
    "allowPublicAccess", "boolean", default=False, allowed=(True, False)
)

FILE_NAME: Final = Field(
    "fileName",
    "string",
    is_required=True,
    allowed=("a.mp4", "ö ✓.mov"),
    refused=("", "a\0.mp4"),
)
UPLOAD_URL_A: Final = (
    attrs.evolve(FILE_NAME, name="filename"),
    attrs.evolve(FILE_SIZE, is_required=True),
    attrs.evolve(CONTENT_TYPE, default="video/mp4"),
    DESCRIPTION,
)
UPLOAD_URL_B: Final = (
    FILE_NAME,
    PUBLIC,
    QUALITY,
    FILE_SIZE,
    CONTENT_TYPE,
    VIDEO_NAME,
    DESCRIPTION,
    *ENCODING,
)
UPLOAD: Final = (
    FILE_NAME,
    Field(
        "videoURL",
        "string",
        is_required=True,
        allowed=("https://93.184.215.14/a.mp4",),
        refused=(
            *("", "x", "http://93.184.215.14/", "ftp://example.com/a", "https://"),
            "https://a.example/" + "a" * 4096,
        ),
    ),
    *UPLOAD_URL_B[1:],
)
DOWNLOAD: Final = (attrs.evolve(UPLOAD[1], name="sourceUrl"),)
PROCESS: Final = (
    Field(
        "gcsPath",
        "string",
        is_required=True,
        refused=("", "nothing", "../etc/passwd", "/", "a\0b"),
        code="invalid_gcs_path",
    ),
    attrs.evolve(QUALITY, is_required=True, default=None),
    attrs.evolve(PUBLIC, is_required=True, default=None),
    VIDEO_NAME,
    *ENCODING,
    DESCRIPTION,
)
DELETE: Final = (
    Field(
        "reason",
        "string",
        allowed=(
            "user_request",
            "policy_violation",
            "copyright_claim",
            "expired_content",
            "admin_action",
        ),
        refused=("", "because", "User_Request"),
    ),
)
CHANGE: Final = (
    VIDEO_NAME,
    DESCRIPTION,
    Field("allowPublicAccess", "boolean", allowed=(True, False)),
)
SHARE: Final = (
    Field(
        "expirationHours",
        "integer",
        default=24,
        allowed=(1, 24, 720),
        refused=(0, -1, 721, 2**64),
    ),
    Field("maxViews", "integer", allowed=(1, 1000), refused=(0, -1, 2**64)),
    Field(
        "viewerEmail",
        "string",
        allowed=("a@example.com",),
        refused=("", "a", "@", "a@b", "a@b@c.de", "a@example.com\r\nBcc: x@y.zz"),
    ),
)

LIST_QUERY: Final = (
    Field("page", "integer", default=1, allowed=(1, 2, 10**6), refused=(0, -1, 2**64)),
    Field(
        "pageSize",
        "integer",
        default=20,
        allowed=(1, 20, 100),
        refused=(0, -1, 101, 2**64),
        code="invalid_page_size",
    ),
    Field(
        "sortBy",
        "string",
        default="created_at",
        allowed=("created_at", "name", "duration", "status"),
        refused=("", "createdAt", "id", "1; drop table videos"),
    ),
    Field(
        "sortDir",
        "string",
        default="desc",
        allowed=("asc", "desc"),
        refused=("", "ASC", "down"),
    ),
    Field(
        "status",
        "string",
        allowed=("transcoding", "ready", "failed"),
        refused=("", "deleted", "READY", "awaiting_upload"),
    ),
    Field(
        "search",
        "string",
        allowed=("clip", "", "%", "_", "'", "é"),
        refused=("x" * 1025, "\0"),
    ),
    Field(
        "spoken",
        "string",
        allowed=("budget", "", '"', "*", "NEAR(a b)", "a" * 200),
        refused=("a" * 201,),
    ),
    Field("from", "day", allowed=("2026-01-01", "2024-02-29")),
    Field("to", "day", allowed=("2026-01-01", "9999-12-31")),
)
SIGNED_URL_QUERY: Final = (
    Field(
        "expiration",
        "string",
        default="1h",
        allowed=("15m", "30m", "1h", "4h", "24h", "7d"),
        refused=("", "8d", "1H", "3600", "168h", "0m"),
        code="invalid_expiration",
    ),
    Field(
        "domains",
        "string",
        allowed=("example.com", "a.example,*.b.example"),
        refused=("", "https://example.com", "a b", "*", "a.example,"),
    ),
)
EXPIRATIONS_S: Final = {
    "15m": 900,
    "30m": 1800,
    "1h": 3600,
    "4h": 14400,
    "24h": 86400,
    "7d": 604800,
}
DAYS_QUERY: Final = (
    # "Empty means all-time."
    Field("startDate", "day", allowed=("2026-01-01", "")),
    Field("endDate", "day", allowed=("2026-01-02", "")),
)
USAGE_QUERY: Final = (
    Field(
        "periodDays",
        "integer",
        default=30,
        allowed=(1, 30, 365),
        refused=(0, -1, 366, 2**64),
    ),
)
