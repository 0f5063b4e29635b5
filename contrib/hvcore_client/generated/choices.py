"""
Words and numbers that the API knows.

A later service has further ones, which answers then have, too.

Written by hvcore_client_generator; do not change it by hand.
"""

from typing import Literal, TypeAlias

AudioCodec: TypeAlias = Literal["aac", "aac-he", "aac-he-v2", "mp3", "ac3", "eac3"]

BreakdownBy: TypeAlias = Literal["country", "referrer"]

CaptionJobState: TypeAlias = Literal["waiting", "running", "ready", "failed"]

CaptionState: TypeAlias = Literal["ready"]

ContentType: TypeAlias = Literal[
    "video/mp4",
    "video/quicktime",
    "video/x-msvideo",
    "video/webm",
    "video/x-matroska",
    "video/matroska",
    "video/x-m4v",
    "video/avi",
    "video/msvideo",
    "video/vnd.avi",
    "",
]

DeletedStatus: TypeAlias = Literal["deleted"]

DeletedVideoStatus: TypeAlias = Literal["failed", "ready"]

DeletionReason: TypeAlias = Literal[
    "user_request",
    "policy_violation",
    "copyright_claim",
    "expired_content",
    "admin_action",
]

EncodingAudioFormat: TypeAlias = Literal[
    "aac", "aac-he", "aac-he-v2", "mp3", "ac3", "eac3", ""
]

EnvironmentKind: TypeAlias = Literal["production", "development"]

ExportFormat: TypeAlias = Literal["json", "csv", "ndjson"]

FindingLevel: TypeAlias = Literal["MUST", "SHOULD", "WARNING"]

HealthStatus: TypeAlias = Literal["ok", "degraded", "down"]

IgnoredReason: TypeAlias = Literal[
    "init",
    "audio",
    "playlist",
    "other-file",
    "head",
    "not-modified",
    "too-few-bytes",
    "later-range",
    "broken-off",
]

KeyType: TypeAlias = Literal["environment", "full-access", "system"]

LiveRecords: TypeAlias = Literal["viewers", "minutes"]

LivenessStatus: TypeAlias = Literal["ok"]

MaxEdgeLength: TypeAlias = Literal[-1, 480, 720, 1080, 1440, 2160]

Permission: TypeAlias = Literal[
    "videos:read", "videos:write", "playback:sign", "analytics:read"
]

PixelFormat: TypeAlias = Literal[
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
]

Preset: TypeAlias = Literal["standard", "high", "ultra"]

QualityRecords: TypeAlias = Literal["reports", "sessions"]

RateControl: TypeAlias = Literal["constantBitrate", "variableBitrate"]

RecordsBy: TypeAlias = Literal["day"]

SessionsBy: TypeAlias = Literal["day", "device", "country"]

SignedUrlExpiration: TypeAlias = Literal["15m", "30m", "1h", "4h", "24h", "7d"]

SortBy: TypeAlias = Literal["created_at", "name", "duration", "status"]

SortDir: TypeAlias = Literal["asc", "desc"]

Speed: TypeAlias = Literal[
    "ultrafast",
    "superfast",
    "veryfast",
    "faster",
    "fast",
    "medium",
    "slower",
    "veryslow",
    "ultraslow",
]

ThumbnailStatus: TypeAlias = Literal["ready", "pending"]

TranscriptFormat: TypeAlias = Literal["json", "text", "vtt", "srt"]

VideoEventKind: TypeAlias = Literal[
    "video.processing.completed",
    "video.processing.failed",
    "video.processing.started",
    "video.updated",
    "video.deleted",
    "video.restored",
    "video.captions.ready",
    "video.captions.failed",
]

VideoEventStatus: TypeAlias = Literal["transcoding", "ready", "failed", "deleted"]

VideoRecords: TypeAlias = Literal["resolutions", "summary"]

VideoSort: TypeAlias = Literal["views", "watchedSeconds", "segments"]

VideoStatus: TypeAlias = Literal["transcoding", "ready", "failed"]
