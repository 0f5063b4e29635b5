"""
All that a plugin imports of hvcore.

What stands here keeps its meaning within a major version; everything else of
the package may move.
"""

from hvcore.child_launcher import FILTER_FD
from hvcore.child_process import supervised_command
from hvcore.clock import Clock
from hvcore.domain.access import (
    ApiKey,
    KeyType,
    Permission,
    Principal,
    hash_key,
    is_key_value,
)
from hvcore.domain.analytics import (
    BatchId,
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    Scope,
    SegmentPlace,
    ServedBatch,
    ServedCount,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.captions import MAX_CAPTION_TRACKS
from hvcore.domain.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.ids import EnvId, OrgId, TaskId, VideoId
from hvcore.domain.ladder import build_ladder
from hvcore.domain.limits import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_FRAME_RATE,
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    MAX_TIMESTAMP_GAP_S,
    SEGMENT_S,
)
from hvcore.domain.rate_limits import (
    Bucket,
    RateLimit,
    RateLimitRule,
    RateLimitState,
)
from hvcore.domain.tasks import Lane
from hvcore.domain.transcoding import (
    AudioRendition,
    AudioTrackInfo,
    CaptionFile,
    CaptionTrackInfo,
    Lack,
    Ladder,
    MediaFile,
    MediaIndex,
    Part,
    PartDone,
    PartPending,
    Rung,
    Segment,
    SourceInfo,
    Still,
    Track,
    TranscodeError,
    TranscodeOrder,
    UnusableSourceError,
    VideoRange,
    VideoTrackInfo,
)
from hvcore.errors import ConfigError, UnauthorizedError, UnavailableError
from hvcore.hookspecs import (
    AnalyticsBackend,
    AuthBackend,
    NoOptions,
    QueueBackend,
    RateLimitBackend,
    StorageBackend,
    TranscoderBackend,
    hookimpl,
    other_options,
)
from hvcore.ports.analytics import (
    AnalyticsSink,
    AnalyticsStore,
    BatchRefusedError,
)
from hvcore.ports.auth import AuthProvider, Credentials
from hvcore.ports.context import BuildContext, Database, KeyBook
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage
from hvcore.ports.transcoder import (
    Capabilities,
    SupportsStill,
    Transcoder,
    Workspace,
)

__all__ = [
    "FILTER_FD",
    "MAX_CAPTION_TRACKS",
    "MAX_SOURCE_DURATION_S",
    "MAX_SOURCE_EDGE_PX",
    "MAX_SOURCE_FRAME_RATE",
    "MAX_SOURCE_PIXELS",
    "MAX_SOURCE_STREAMS",
    "MAX_TIMESTAMP_GAP_S",
    "SEGMENT_S",
    "AnalyticsBackend",
    "AnalyticsSink",
    "AnalyticsStore",
    "ApiKey",
    "AudioCodec",
    "AudioRendition",
    "AudioTrackInfo",
    "AuthBackend",
    "AuthProvider",
    "BatchId",
    "BatchRefusedError",
    "Bucket",
    "BuildContext",
    "Capabilities",
    "CaptionFile",
    "CaptionTrackInfo",
    "Clock",
    "ConfigError",
    "Credentials",
    "Database",
    "DateRange",
    "DayCount",
    "EncodingSettings",
    "EnvId",
    "EnvironmentScope",
    "EnvironmentServed",
    "HeightCount",
    "KeyBook",
    "KeyType",
    "Lack",
    "Ladder",
    "Lane",
    "MediaFile",
    "MediaIndex",
    "NoOptions",
    "ObjectInfo",
    "ObjectNotFoundError",
    "OrgId",
    "Part",
    "PartDone",
    "PartPending",
    "Permission",
    "PixelFormat",
    "Preset",
    "Principal",
    "Queue",
    "QueueBackend",
    "RateControl",
    "RateLimit",
    "RateLimitBackend",
    "RateLimitRule",
    "RateLimitState",
    "RateLimitStore",
    "Rung",
    "Scope",
    "Segment",
    "SegmentPlace",
    "ServedBatch",
    "ServedCount",
    "ServedTotals",
    "SourceInfo",
    "Speed",
    "Still",
    "Storage",
    "StorageBackend",
    "SupportsStill",
    "TaskId",
    "Track",
    "TranscodeError",
    "TranscodeOrder",
    "Transcoder",
    "TranscoderBackend",
    "UnauthorizedError",
    "UnavailableError",
    "UnusableSourceError",
    "VideoId",
    "VideoRange",
    "VideoScope",
    "VideoTrackInfo",
    "Workspace",
    "build_ladder",
    "hash_key",
    "hookimpl",
    "is_key_value",
    "other_options",
    "supervised_command",
]
