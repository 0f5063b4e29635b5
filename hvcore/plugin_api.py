"""
The plugin API: all names that plugins may import from hvcore.

These names stay compatible within a major version; everything else in the package may
move. docs/reference/plugin-api.md says what that means.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from hvcore.aws_credentials import use_until_end
from hvcore.clock import Clock
from hvcore.deprecation import RenamedName, renamed_names
from hvcore.domain.access.keys import (
    ApiKey,
    KeyType,
    Permission,
    hash_key,
    is_key_value,
)
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.rate_limits import (
    Bucket,
    RateLimit,
    RateLimitRule,
    RateLimitState,
)
from hvcore.domain.access.roles import Role
from hvcore.domain.analytics.breakdown import (
    MAX_HOSTS,
    OTHER,
    BreakdownBy,
    BreakdownDay,
    OriginCount,
    with_few_hosts,
    with_unknown,
)
from hvcore.domain.analytics.ignored import (
    IgnoredCount,
    IgnoredPlace,
    IgnoredReason,
    IgnoredTotal,
)
from hvcore.domain.analytics.live import (
    MinuteTotal,
    SessionSeen,
    UnfollowedSessions,
)
from hvcore.domain.analytics.playback_metrics import COLUMNS as PLAYBACK_COLUMNS
from hvcore.domain.analytics.playback_metrics import (
    Aggregation,
    Measured,
    PlaybackColumn,
    PlaybackQuality,
)
from hvcore.domain.analytics.playback_quality import (
    PlaybackQualityCount,
    PlaybackQualityDay,
)
from hvcore.domain.analytics.segments import (
    BatchId,
    DateRange,
    DayCount,
    EnvironmentScope,
    EnvironmentServed,
    HeightCount,
    MinuteCount,
    Scope,
    SegmentPlace,
    ServedBatch,
    ServedCount,
    ServedTotals,
    VideoScope,
)
from hvcore.domain.analytics.video_counts import (
    DayViews,
    RankedVideos,
    VideoCount,
    VideoLength,
    VideosInTurn,
    VideoSort,
    views_of,
    watched_s,
)
from hvcore.domain.ids import EnvId, KeyId, OrgId, TaskId, VideoId, is_chosen_id
from hvcore.domain.limits import (
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_FRAME_RATE,
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    MAX_TIMESTAMP_GAP_S,
    SEGMENT_S,
)
from hvcore.domain.processing.chapters import MAX_CHAPTERS, Chapter
from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import (
    AudioTrackInfo,
    CaptionTrackInfo,
    SourceInfo,
    UnusableSourceError,
    VideoTrackInfo,
)
from hvcore.domain.processing.speech import (
    SOUND_RATE_HZ,
    SoundFile,
    SpokenCue,
    SpokenLanguage,
    SpokenWord,
    TranscriberCapabilities,
    TranscriptionError,
    TranscriptionOrder,
    UnknownLanguageError,
    UnusableSoundError,
    require_known_language,
)
from hvcore.domain.processing.transcoding import (
    AudioRendition,
    CaptionFile,
    FrameSpan,
    Lack,
    Ladder,
    MediaFile,
    Part,
    PartDone,
    PartPending,
    Rung,
    Segment,
    SoundSpan,
    Still,
    StoredObject,
    Track,
    TranscodeError,
    TranscodeOrder,
    VideoRange,
)
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.tasks.task import Lane
from hvcore.domain.videos.captions import MAX_CAPTION_TRACKS
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import (
    ConfigError,
    ConflictError,
    FieldError,
    ForbiddenError,
    HvError,
    InvalidParametersError,
    NoRoomError,
    NotFoundError,
    UnauthorizedError,
    UnavailableError,
)
from hvcore.extras import install_command, missing_module
from hvcore.hookspecs import (
    AnalyticsBackend,
    AuthBackend,
    CacheInvalidatorBackend,
    CommandBackend,
    EventSubscriberBackend,
    MiddlewareBackend,
    NoOptions,
    QueueBackend,
    RateLimitBackend,
    RoutesBackend,
    SignInBackend,
    StorageBackend,
    TranscoderBackend,
    TranscriberBackend,
    hookimpl,
    other_options,
)
from hvcore.mp4.boxes import ByteRanges, Mp4Box, Mp4Error, box_around, box_of
from hvcore.mp4.reading_budget import ReadingBudget
from hvcore.ports.analytics import (
    AnalyticsReport,
    AnalyticsSink,
    AnalyticsStore,
    BatchRefusedError,
    SupportsBackup,
    SupportsReports,
)
from hvcore.ports.auth import (
    AuthProvider,
    BearerScheme,
    Credentials,
    CredentialScheme,
    HeaderScheme,
)
from hvcore.ports.cache_invalidation import (
    CacheInvalidator,
    InvalidationOrder,
    InvalidationReason,
)
from hvcore.ports.context import BuildContext, Database, KeyBook, SignInBook
from hvcore.ports.direct_uploads import (
    PartedWrite,
    SupportsPartedWrite,
    SupportsPresignedWrite,
    SupportsStagedWrite,
    UploadedPart,
    WriteAddress,
)
from hvcore.ports.event_subscribers import EventSubscriber, SubscribedEvent
from hvcore.ports.plugin_routes import PluginRoute, RouteCall
from hvcore.ports.preparation import SupportsPrepare, SupportsUninstall
from hvcore.ports.queue import Queue
from hvcore.ports.queue_consuming import QueueOutage, hand_over
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import (
    MembershipEndedError,
    RefreshInterruptedError,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
)
from hvcore.ports.storage import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    StorageRefusedError,
    SupportsCopy,
    SupportsHide,
    SupportsLocalPath,
    SupportsObjectUrl,
    SupportsPresignedRead,
    SupportsRoomCheck,
    SupportsUploadFile,
    UnreadableObjectError,
    check_object_path,
)
from hvcore.ports.transcoder import (
    Capabilities,
    JobDeclinedError,
    NotAddressableError,
    PartTarget,
    RemoteTranscoder,
    SourceRanges,
    SupportsDeclining,
    SupportsFrames,
    SupportsSound,
    SupportsStill,
    SupportsStorageCheck,
    Transcoder,
    Workspace,
)
from hvcore.ports.transcriber import (
    SupportsCostMeasurement,
    Transcriber,
    Transcription,
)
from hvcore.ports.video_counts import CountsByVideo, VideoLengths
from hvcore.ports.web_apps import Middleware, WebApp
from hvcore.processes.child_launcher import FILTER_FD
from hvcore.processes.child_process import supervised_command
from hvcore.safe_http.deadlines import SocketDeadline
from hvcore.wire.converter import optional as optional_field
from hvcore.wire.converter import required as required_field
from hvcore.wire.kinds import FieldKind, FieldRefusedError
from hvcore.wire.kinds import Flag as FlagField
from hvcore.wire.kinds import Integer as IntegerField
from hvcore.wire.kinds import OneOf as OneOfField
from hvcore.wire.kinds import Text as TextField

VERSION: Final = (0, 1)
"""
Of this module and of hvcore.testing.

The second number rises with what is added; the first, or while it is 0 the second,
with what is removed or changed.
"""

OLDEST: Final = (0, 1)
"""
The oldest version whose plugins work with this one.

It becomes VERSION with what is removed or changed, and stays with what is added. A
parameter that a port's method gets is a change, also an optional one: older backends do
not take it.
"""

RENAMED: Final[Mapping[str, RenamedName]] = {}
"""Old names that still work, with a warning."""

if not TYPE_CHECKING:
    __getattr__ = renamed_names(__name__, RENAMED)

__all__ = [
    "FILTER_FD",
    "MAX_CAPTION_TRACKS",
    "MAX_CHAPTERS",
    "MAX_HOSTS",
    "MAX_SOURCE_DURATION_S",
    "MAX_SOURCE_EDGE_PX",
    "MAX_SOURCE_FRAME_RATE",
    "MAX_SOURCE_PIXELS",
    "MAX_SOURCE_STREAMS",
    "MAX_TIMESTAMP_GAP_S",
    "OLDEST",
    "OTHER",
    "PLAYBACK_COLUMNS",
    "SEGMENT_S",
    "SOUND_RATE_HZ",
    "VERSION",
    "Aggregation",
    "AnalyticsBackend",
    "AnalyticsReport",
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
    "BearerScheme",
    "BreakdownBy",
    "BreakdownDay",
    "Bucket",
    "BuildContext",
    "ByteRanges",
    "CacheInvalidator",
    "CacheInvalidatorBackend",
    "Capabilities",
    "CaptionFile",
    "CaptionTrackInfo",
    "Chapter",
    "Clock",
    "CommandBackend",
    "ConfigError",
    "ConflictError",
    "CountsByVideo",
    "CredentialScheme",
    "Credentials",
    "Database",
    "DateRange",
    "DayCount",
    "DayViews",
    "EncodingSettings",
    "EnvId",
    "EnvironmentScope",
    "EnvironmentServed",
    "EventKind",
    "EventSubscriber",
    "EventSubscriberBackend",
    "FieldError",
    "FieldKind",
    "FieldRefusedError",
    "FlagField",
    "ForbiddenError",
    "FrameSpan",
    "HeaderScheme",
    "HeightCount",
    "HvError",
    "Identity",
    "IgnoredCount",
    "IgnoredPlace",
    "IgnoredReason",
    "IgnoredTotal",
    "IntegerField",
    "InvalidParametersError",
    "InvalidationOrder",
    "InvalidationReason",
    "JobDeclinedError",
    "KeyBook",
    "KeyId",
    "KeyType",
    "Lack",
    "Ladder",
    "Lane",
    "Measured",
    "MediaFile",
    "MediaIndex",
    "MembershipEndedError",
    "Middleware",
    "MiddlewareBackend",
    "MinuteCount",
    "MinuteTotal",
    "Mp4Box",
    "Mp4Error",
    "NoOptions",
    "NoRoomError",
    "NotAddressableError",
    "NotFoundError",
    "ObjectInfo",
    "ObjectNotFoundError",
    "OneOfField",
    "OrgId",
    "OrganizationMember",
    "OriginCount",
    "Part",
    "PartDone",
    "PartPending",
    "PartTarget",
    "PartedWrite",
    "Permission",
    "PixelFormat",
    "PlaybackColumn",
    "PlaybackQuality",
    "PlaybackQualityCount",
    "PlaybackQualityDay",
    "PluginRoute",
    "Preset",
    "Principal",
    "Queue",
    "QueueBackend",
    "QueueOutage",
    "RankedVideos",
    "RateControl",
    "RateLimit",
    "RateLimitBackend",
    "RateLimitRule",
    "RateLimitState",
    "RateLimitStore",
    "ReadingBudget",
    "RefreshInterruptedError",
    "RemoteTranscoder",
    "Role",
    "RouteCall",
    "RoutesBackend",
    "Rung",
    "Scope",
    "Segment",
    "SegmentPlace",
    "ServedBatch",
    "ServedCount",
    "ServedTotals",
    "SessionSeen",
    "SignInBackend",
    "SignInBook",
    "SignInLink",
    "SignInOutcome",
    "SignInPages",
    "SignInProvider",
    "SignInRefusedError",
    "SignInStart",
    "SocketDeadline",
    "SoundFile",
    "SoundSpan",
    "SourceInfo",
    "SourceRanges",
    "Speed",
    "SpokenCue",
    "SpokenLanguage",
    "SpokenWord",
    "Still",
    "Storage",
    "StorageBackend",
    "StorageRefusedError",
    "StoredObject",
    "SubscribedEvent",
    "SupportsBackup",
    "SupportsCopy",
    "SupportsCostMeasurement",
    "SupportsDeclining",
    "SupportsFrames",
    "SupportsHide",
    "SupportsLocalPath",
    "SupportsObjectUrl",
    "SupportsPartedWrite",
    "SupportsPrepare",
    "SupportsPresignedRead",
    "SupportsPresignedWrite",
    "SupportsReports",
    "SupportsRoomCheck",
    "SupportsSound",
    "SupportsStagedWrite",
    "SupportsStill",
    "SupportsStorageCheck",
    "SupportsUninstall",
    "SupportsUploadFile",
    "TaskId",
    "TextField",
    "Track",
    "TranscodeError",
    "TranscodeOrder",
    "Transcoder",
    "TranscoderBackend",
    "Transcriber",
    "TranscriberBackend",
    "TranscriberCapabilities",
    "Transcription",
    "TranscriptionError",
    "TranscriptionOrder",
    "UnauthorizedError",
    "UnavailableError",
    "UnfollowedSessions",
    "UnknownLanguageError",
    "UnreadableObjectError",
    "UnusableSoundError",
    "UnusableSourceError",
    "UploadedPart",
    "VideoCount",
    "VideoId",
    "VideoLength",
    "VideoLengths",
    "VideoRange",
    "VideoScope",
    "VideoSort",
    "VideoTrackInfo",
    "VideosInTurn",
    "WebApp",
    "Workspace",
    "WriteAddress",
    "box_around",
    "box_of",
    "build_ladder",
    "check_object_path",
    "hand_over",
    "hash_key",
    "hookimpl",
    "install_command",
    "is_chosen_id",
    "is_key_value",
    "missing_module",
    "optional_field",
    "other_options",
    "require_known_language",
    "required_field",
    "supervised_command",
    "use_until_end",
    "views_of",
    "watched_s",
    "with_few_hosts",
    "with_unknown",
]
