"""
What the API takes and answers.

Written by hvcore_client_generator; do not change it by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import attrs

from hvcore_client.coding import entity_tag, further, member
from hvcore_client.generated import choices


@attrs.frozen(kw_only=True)
class BreakdownOfDay:
    """``BreakdownOfDay`` of the API."""

    delivery_date: date = member("deliveryDate")
    value: str
    segments_served: int = member("segmentsServed")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class BreakdownReport:
    """``BreakdownReport`` of the API."""

    summary: BreakdownSummary
    breakdown: Sequence[BreakdownOfDay]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class BreakdownSummary:
    """``BreakdownSummary`` of the API."""

    vid_id: str = member("vidId")
    vid_public_id: str = member("vidPublicId")
    vid_name: str = member("vidName")
    vid_name_valid: bool = member("vidNameValid")
    asset_id: str = member("assetId")
    by: choices.BreakdownBy
    segments_served: int = member("segmentsServed")
    breakdown_valid: bool = member("breakdownValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Caption:
    """``Caption`` of the API."""

    language: str
    label: str
    created_at: datetime = member("createdAt")
    cues: int
    size_bytes: int = member("sizeBytes")
    generated: bool
    confidence: float | None
    state: choices.CaptionState
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CaptionDefault:
    """``CaptionDefault`` of the API."""

    languages: Sequence[str]
    inherited: bool
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CaptionDefaultRequest:
    """
    ``CaptionDefaultRequest`` of the API.

    Attributes:
        languages: The languages that are spoken, auto for any; empty for no
            captions, null as the service does.
    """

    languages: Sequence[str] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CaptionGenerationRequest:
    """
    ``CaptionGenerationRequest`` of the API.

    Attributes:
        languages: The languages that are spoken; auto for any, which is the
            default.
    """

    languages: Sequence[str] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CaptionJob:
    """``CaptionJob`` of the API."""

    wish: str
    state: choices.CaptionJobState
    language: str | None
    language_assumed: bool = member("languageAssumed")
    progress: int
    confidence: float | None
    cues: int
    reason: str | None
    created_at: datetime = member("createdAt")
    changed_at: datetime = member("changedAt")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CaptionList:
    """``CaptionList`` of the API."""

    captions: Sequence[Caption]
    warnings: Sequence[str] | None = None
    jobs: Sequence[CaptionJob] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Chapter:
    """``Chapter`` of the API."""

    start_seconds: float = member("startSeconds")
    end_seconds: float = member("endSeconds")
    title: str
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ChapterList:
    """``ChapterList`` of the API."""

    chapters: Sequence[Chapter]
    warnings: Sequence[str] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ConformanceFinding:
    """``ConformanceFinding`` of the API."""

    rule: str
    level: choices.FindingLevel
    says: str
    source: str
    file: str
    place: str
    message: str
    chosen_by: str | None = member("chosenBy", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ConformanceReport:
    """``ConformanceReport`` of the API."""

    conformant: bool
    checked_at: datetime = member("checkedAt")
    must: int
    should: int
    warnings: int
    unlisted: int
    findings: Sequence[ConformanceFinding]
    playlists: int
    segments: int
    read_bytes: int = member("readBytes")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CountExplanationReport:
    """``CountExplanationReport`` of the API."""

    explanation: ExplainedDay
    resolutions: Sequence[ExplainedResolution]
    ignored: Sequence[ExplainedReason]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CurrentViewers:
    """``CurrentViewers`` of the API."""

    current_viewers: int = member("currentViewers")
    current_viewers_valid: bool = member("currentViewersValid")
    window_seconds: int = member("windowSeconds")
    as_of: datetime = member("asOf")
    minutes_valid: bool = member("minutesValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class CustomThumbnailRequest:
    """
    ``CustomThumbnailRequest`` of the API.

    Attributes:
        timestamp_seconds: Where in the video the picture is taken.
    """

    timestamp_seconds: float = member("timestampSeconds")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class DailyUsageReport:
    """``DailyUsageReport`` of the API."""

    daily_usage: Sequence[UsageOfDay] = member("dailyUsage")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class DeleteRequest:
    """
    ``DeleteRequest`` of the API.

    Attributes:
        reason: Why it is deleted.
    """

    reason: choices.DeletionReason | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class DeletedVideo:
    """``DeletedVideo`` of the API."""

    id: str
    name: str
    status: choices.DeletedVideoStatus
    duration: str
    duration_seconds: float = member("durationSeconds")
    allow_public_access: bool = member("allowPublicAccess")
    created_at: datetime = member("createdAt")
    deleted_at: datetime = member("deletedAt")
    restorable_until: datetime = member("restorableUntil")
    reason: choices.DeletionReason | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class DeletedVideoList:
    """``DeletedVideoList`` of the API."""

    videos: Sequence[DeletedVideo]
    pagination: Pagination
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Deletion:
    """``Deletion`` of the API."""

    status: choices.DeletedStatus
    deleted_at: datetime = member("deletedAt")
    message: str
    restorable_until: datetime | None = member("restorableUntil", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class DownloadRequest:
    """
    ``DownloadRequest`` of the API.

    Attributes:
        source_url: https address from which the service fetches the file.
    """

    source_url: str = member("sourceUrl", shows=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class EdgeKey:
    """``EdgeKey`` of the API."""

    edge_key: str = member("edgeKey", shows=False)
    video_id: str = member("videoID")
    domains: Sequence[str]
    created_at: datetime = member("createdAt")
    expires_at: datetime | None = member("expiresAt")
    revoked_at: datetime | None = member("revokedAt")
    playback_url: str = member("playbackURL", shows=False)
    embed_url: str = member("embedURL", shows=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class EdgeKeyList:
    """``EdgeKeyList`` of the API."""

    edge_keys: Sequence[EdgeKey] = member("edgeKeys")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class EdgeKeyRequest:
    """
    ``EdgeKeyRequest`` of the API.

    Attributes:
        domains: The pages that may use it, such as example.com or *.example.com; by
            default every page. One text with commas will do as well.
        expires_at: When it stops playing; by default never.
    """

    domains: Sequence[str] | None = None
    expires_at: datetime | None = member("expiresAt", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Encoding:
    """``Encoding`` of the API."""

    key: str
    short_edge_pixels: int = member("shortEdgePixels")
    short_edge_is_width: bool = member("shortEdgeIsWidth")
    video_stream_bitrate: int = member("videoStreamBitrate")
    audio_stream_bitrate: int = member("audioStreamBitrate")
    audio_format: choices.EncodingAudioFormat = member("audioFormat")
    max_frame_rate: float = member("maxFrameRate")
    pixel_format: choices.PixelFormat = member("pixelFormat")
    rate_control_mode: choices.RateControl = member("rateControlMode")
    two_pass_vbr_encoding: bool = member("twoPassVBREncoding")
    compression_ratio: choices.Speed = member("compressionRatio")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Environment:
    """``Environment`` of the API."""

    env_id: str = member("envID")
    org_id: str = member("orgID")
    name: str
    kind: choices.EnvironmentKind
    created_at: datetime = member("createdAt")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class EnvironmentList:
    """``EnvironmentList`` of the API."""

    environments: Sequence[Environment]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class EnvironmentUsage:
    """``EnvironmentUsage`` of the API."""

    idp_org_id: str = member("idpOrgId")
    env_id: str = member("envId")
    total_videos: int = member("totalVideos")
    total_video_duration_seconds: float = member("totalVideoDurationSeconds")
    total_segments_served: int = member("totalSegmentsServed")
    videos_uploaded_in_period: int = member("videosUploadedInPeriod")
    segments_served_in_period: int = member("segmentsServedInPeriod")
    first_video_uploaded: str = member("firstVideoUploaded")
    first_video_uploaded_valid: bool = member("firstVideoUploadedValid")
    last_segment_served: str = member("lastSegmentServed")
    last_segment_served_valid: bool = member("lastSegmentServedValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ExplainedDay:
    """``ExplainedDay`` of the API."""

    vid_id: str = member("vidId")
    vid_public_id: str = member("vidPublicId")
    vid_name: str = member("vidName")
    vid_name_valid: bool = member("vidNameValid")
    asset_id: str = member("assetId")
    delivery_date: date = member("deliveryDate")
    accepted_requests: int = member("acceptedRequests")
    ignored_requests: int = member("ignoredRequests")
    ignored_requests_valid: bool = member("ignoredRequestsValid")
    segments_served: int = member("segmentsServed")
    vid_length_seconds: float = member("vidLengthSeconds")
    segment_seconds: int = member("segmentSeconds")
    segments_per_view: float = member("segmentsPerView")
    estimated_views: int = member("estimatedViews")
    formula: str
    calculation: str
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ExplainedReason:
    """``ExplainedReason`` of the API."""

    reason: choices.IgnoredReason
    meaning: str
    requests: int
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ExplainedResolution:
    """``ExplainedResolution`` of the API."""

    resolution_height: int = member("resolutionHeight")
    accepted_requests: int = member("acceptedRequests")
    ignored_requests: int = member("ignoredRequests")
    ignored_by_reason: Sequence[IgnoredRequests] = member("ignoredByReason")
    first_served: str = member("firstServed")
    first_served_valid: bool = member("firstServedValid")
    last_served: str = member("lastServed")
    last_served_valid: bool = member("lastServedValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class FetchVideoRequest:
    """
    ``FetchVideoRequest`` of the API.

    Attributes:
        file_name: Name of the file; shown, never part of a path.
        video_url: https address from which the service fetches the file.
        allow_public_access: Whether it plays without a token. By default ``False``.
        video_quality: Which renditions are made. By default ``standard``.
        file_size: Bytes that the file must have; at most 5 GiB.
        content_type: Type of the file; recognised by its first bytes if missing.
        video_name: Name of the video; the file's without its ending if missing.
        description: Text about the video.
        max_edge_length: Cap of the short edge in pixels. By default ``-1``.
        max_frame_rate: Cap of the frames per second. By default ``-1``.
        pixel_format: Chroma sampling and bit depth. By default ``yuv420p``.
        rate_control_mode: How the bitrate adapts to the content. By default
            ``variableBitrate``.
        two_pass_vbr_encoding: Encode twice for a steadier quality. By default
            ``False``.
        compression_ratio: Speed of the encoder; slower makes smaller files. By
            default ``veryfast``.
        audio_codec: Codec of the sound. By default ``aac``.
        generate_captions: Captions by machine: the spoken languages or auto; true
            is auto alone.
        external_id: What you call the video; no other one of the environment may
            have it.
        metadata: Keys and texts that are kept with the video; at most 4 KB.
        tags: Words by which lists are filtered.
        allow_download: Whether who may watch it may take it away, too. By default
            ``False``.
    """

    file_name: str = member("fileName")
    video_url: str = member("videoURL", shows=False)
    allow_public_access: bool | None = member("allowPublicAccess", is_required=False)
    video_quality: choices.Preset | None = member("videoQuality", is_required=False)
    file_size: int | None = member("fileSize", is_required=False)
    content_type: choices.ContentType | None = member("contentType", is_required=False)
    video_name: str | None = member("videoName", is_required=False)
    description: str | None = None
    max_edge_length: choices.MaxEdgeLength | None = member(
        "maxEdgeLength", is_required=False
    )
    max_frame_rate: int | None = member("maxFrameRate", is_required=False)
    pixel_format: choices.PixelFormat | None = member("pixelFormat", is_required=False)
    rate_control_mode: choices.RateControl | None = member(
        "rateControlMode", is_required=False
    )
    two_pass_vbr_encoding: bool | None = member("twoPassVBREncoding", is_required=False)
    compression_ratio: choices.Speed | None = member(
        "compressionRatio", is_required=False
    )
    audio_codec: choices.AudioCodec | None = member("audioCodec", is_required=False)
    generate_captions: Sequence[str] | None = member(
        "generateCaptions", is_required=False
    )
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    allow_download: bool | None = member("allowDownload", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class FetchedFile:
    """``FetchedFile`` of the API."""

    bucket_path: str = member("bucketPath")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class FetchedVideo:
    """``FetchedVideo`` of the API."""

    asset_id: str = member("assetId")
    video_id: str = member("videoID")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Health:
    """``Health`` of the API."""

    status: choices.HealthStatus
    version: str
    checks: HealthChecks
    lacks: Sequence[str]
    sandbox: str
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class HealthChecks:
    """``HealthChecks`` of the API."""

    database: str
    clock: str
    storage: str
    queue: str
    disk: str
    transcoder: str
    further_members: Mapping[str, str] = further()


@attrs.frozen(kw_only=True)
class IgnoredRequests:
    """``IgnoredRequests`` of the API."""

    reason: choices.IgnoredReason
    requests: int
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Liveness:
    """``Liveness`` of the API."""

    status: choices.LivenessStatus
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Pagination:
    """``Pagination`` of the API."""

    total: int
    page: int
    page_size: int = member("pageSize")
    total_pages: int = member("totalPages")
    has_next: bool = member("hasNext")
    has_previous: bool = member("hasPrevious")
    total_is_minimum: bool | None = member("totalIsMinimum", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Playback:
    """``Playback`` of the API."""

    playlist_url: str = member("playlistURL")
    manifest_url: str = member("manifestURL")
    embed_url: str = member("embedURL")
    thumbnail_url: str = member("thumbnailURL")
    storyboard_url: str = member("storyboardURL")
    needs_token: bool = member("needsToken")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class PlaybackQualityOfDay:
    """``PlaybackQualityOfDay`` of the API."""

    delivery_date: date = member("deliveryDate")
    reports: int
    rebuffering_reports: int = member("rebufferingReports")
    startup_reports: int = member("startupReports")
    throughput_reports: int = member("throughputReports")
    avg_throughput_kbps: float = member("avgThroughputKbps")
    min_throughput_kbps: int = member("minThroughputKbps")
    max_throughput_kbps: int = member("maxThroughputKbps")
    buffer_reports: int = member("bufferReports")
    avg_buffer_ms: float = member("avgBufferMs")
    min_buffer_ms: int = member("minBufferMs")
    max_buffer_ms: int = member("maxBufferMs")
    bitrate_reports: int = member("bitrateReports")
    avg_bitrate_kbps: float = member("avgBitrateKbps")
    min_bitrate_kbps: int = member("minBitrateKbps")
    max_bitrate_kbps: int = member("maxBitrateKbps")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class PlaybackQualityReport:
    """``PlaybackQualityReport`` of the API."""

    summary: PlaybackQualitySummary
    playback_quality: Sequence[PlaybackQualityOfDay] = member("playbackQuality")
    playback_sessions: Sequence[PlaybackSessionsOfDay] = member("playbackSessions")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class PlaybackQualitySummary:
    """``PlaybackQualitySummary`` of the API."""

    vid_id: str = member("vidId")
    vid_public_id: str = member("vidPublicId")
    vid_name: str = member("vidName")
    vid_name_valid: bool = member("vidNameValid")
    asset_id: str = member("assetId")
    reports: int
    playback_quality_valid: bool = member("playbackQualityValid")
    by: choices.SessionsBy
    sessions: int
    sessions_reported: int = member("sessionsReported")
    reported_share: float = member("reportedShare")
    playback_sessions_valid: bool = member("playbackSessionsValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class PlaybackSessionsOfDay:
    """``PlaybackSessionsOfDay`` of the API."""

    delivery_date: date = member("deliveryDate")
    value: str
    sessions: int
    sessions_reported: int = member("sessionsReported")
    reported_share: float = member("reportedShare")
    sessions_started: int = member("sessionsStarted")
    avg_startup_ms: float = member("avgStartupMs")
    median_startup_ms: float = member("medianStartupMs")
    p95_startup_ms: float = member("p95StartupMs")
    played_ms: int = member("playedMs")
    rebuffering_ms: int = member("rebufferingMs")
    rebuffering_share: float = member("rebufferingShare")
    rebufferings: int
    playback_errors: int = member("playbackErrors")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Problem:
    """
    ``Problem`` of the API.

    Attributes:
        code: For programs; the texts are for people.
    """

    title: str
    status: int
    code: str
    detail: str
    errors: Sequence[ProblemPart]
    body: Health | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ProblemPart:
    """
    ``ProblemPart`` of the API.

    Attributes:
        value: What was sent there, of any type.
    """

    message: str
    location: str
    value: Any
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ProcessRequest:
    """
    ``ProcessRequest`` of the API.

    Attributes:
        gcs_path: The `bucketPath` of an upload.
        video_quality: Which renditions are made.
        allow_public_access: Whether it plays without a token.
        video_name: Name of the video; the file's without its ending if missing.
        max_edge_length: Cap of the short edge in pixels. By default ``-1``.
        max_frame_rate: Cap of the frames per second. By default ``-1``.
        pixel_format: Chroma sampling and bit depth. By default ``yuv420p``.
        rate_control_mode: How the bitrate adapts to the content. By default
            ``variableBitrate``.
        two_pass_vbr_encoding: Encode twice for a steadier quality. By default
            ``False``.
        compression_ratio: Speed of the encoder; slower makes smaller files. By
            default ``veryfast``.
        audio_codec: Codec of the sound. By default ``aac``.
        generate_captions: Captions by machine: the spoken languages or auto; true
            is auto alone.
        description: Text about the video.
        external_id: What you call the video; no other one of the environment may
            have it.
        metadata: Keys and texts that are kept with the video; at most 4 KB.
        tags: Words by which lists are filtered.
        allow_download: Whether who may watch it may take it away, too. By default
            ``False``.
    """

    gcs_path: str = member("gcsPath")
    video_quality: choices.Preset = member("videoQuality")
    allow_public_access: bool = member("allowPublicAccess")
    video_name: str | None = member("videoName", is_required=False)
    max_edge_length: choices.MaxEdgeLength | None = member(
        "maxEdgeLength", is_required=False
    )
    max_frame_rate: int | None = member("maxFrameRate", is_required=False)
    pixel_format: choices.PixelFormat | None = member("pixelFormat", is_required=False)
    rate_control_mode: choices.RateControl | None = member(
        "rateControlMode", is_required=False
    )
    two_pass_vbr_encoding: bool | None = member("twoPassVBREncoding", is_required=False)
    compression_ratio: choices.Speed | None = member(
        "compressionRatio", is_required=False
    )
    audio_codec: choices.AudioCodec | None = member("audioCodec", is_required=False)
    generate_captions: Sequence[str] | None = member(
        "generateCaptions", is_required=False
    )
    description: str | None = None
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    allow_download: bool | None = member("allowDownload", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ProcessedVideo:
    """``ProcessedVideo`` of the API."""

    video_id: str = member("videoID")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class QuotaUse:
    """``QuotaUse`` of the API."""

    limit: int
    used: float
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class QuotaUses:
    """``QuotaUses`` of the API."""

    concurrent_encodes: QuotaUse | None = member("concurrentEncodes", is_required=False)
    encoded_minutes_per_month: QuotaUse | None = member(
        "encodedMinutesPerMonth", is_required=False
    )
    stored_bytes: QuotaUse | None = member("storedBytes", is_required=False)
    delivered_bytes_per_month: QuotaUse | None = member(
        "deliveredBytesPerMonth", is_required=False
    )
    caption_minutes_per_month: QuotaUse | None = member(
        "captionMinutesPerMonth", is_required=False
    )
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Rendition:
    """``Rendition`` of the API."""

    name: str
    content_type: str = member("contentType")
    url: str
    language: str | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ReportPagination:
    """``ReportPagination`` of the API."""

    page: int
    page_size: int = member("pageSize")
    has_next: bool = member("hasNext")
    has_previous: bool = member("hasPrevious")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ResolutionDistributionReport:
    """``ResolutionDistributionReport`` of the API."""

    distribution: Sequence[ServedResolution]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ResumableUpload:
    """``ResumableUpload`` of the API."""

    upload_url: str = member("uploadURL", shows=False)
    bucket_path: str = member("bucketPath")
    expires_at: int = member("expiresAt")
    asset_id: str = member("assetId")
    video_id: str = member("videoID")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ServedMinute:
    """``ServedMinute`` of the API."""

    minute: datetime
    segments_served: int = member("segmentsServed")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ServedResolution:
    """``ServedResolution`` of the API."""

    resolution_height: int = member("resolutionHeight")
    segments_served: int = member("segmentsServed")
    unique_videos: int = member("uniqueVideos")
    days_active: int = member("daysActive")
    first_served: str = member("firstServed")
    first_served_valid: bool = member("firstServedValid")
    last_served: str = member("lastServed")
    last_served_valid: bool = member("lastServedValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ShareLink:
    """``ShareLink`` of the API."""

    share_id: str = member("shareID")
    video_id: str = member("videoID")
    share_url: str = member("shareURL", shows=False)
    delivery_url: str = member("deliveryURL", shows=False)
    created_at: datetime = member("createdAt")
    expires_at: datetime = member("expiresAt")
    max_views: int | None = member("maxViews")
    views: int
    viewer_email: str | None = member("viewerEmail")
    revoked_at: datetime | None = member("revokedAt")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ShareLinkList:
    """``ShareLinkList`` of the API."""

    shares: Sequence[ShareLink]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ShareRequest:
    """
    ``ShareRequest`` of the API.

    Attributes:
        expiration_hours: By default ``24``.
        max_views: How many playback sessions may begin; by default any number.
        viewer_email: Only a viewer who enters the code that is sent to this address
            may watch.
    """

    expiration_hours: int | None = member("expirationHours", is_required=False)
    max_views: int | None = member("maxViews", is_required=False)
    viewer_email: str | None = member("viewerEmail", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class SignedUrl:
    """``SignedUrl`` of the API."""

    signed_url: str = member("signed_url", shows=False)
    expires_in: int
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class SnippetPart:
    """``SnippetPart`` of the API."""

    text: str
    is_match: bool = member("isMatch")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class SpokenHit:
    """``SpokenHit`` of the API."""

    start_seconds: float = member("startSeconds")
    language: str
    snippet: Sequence[SnippetPart]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class StorageReport:
    """``StorageReport`` of the API."""

    storage: StoredVideos
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class StoredVideos:
    """``StoredVideos`` of the API."""

    total_videos: int = member("totalVideos")
    total_duration_seconds: float = member("totalDurationSeconds")
    avg_video_duration: float = member("avgVideoDuration")
    ultra_quality_duration: float = member("ultraQualityDuration")
    high_quality_duration: float = member("highQualityDuration")
    standard_quality_duration: float = member("standardQualityDuration")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Thumbnail:
    """``Thumbnail`` of the API."""

    video_id: str = member("videoID")
    thumbnail_url: str = member("thumbnailUrl", shows=False)
    status: choices.ThumbnailStatus
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class Transcript:
    """``Transcript`` of the API."""

    language: str
    generated: bool
    confidence: float | None
    cues: Sequence[TranscriptCue]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class TranscriptCue:
    """``TranscriptCue`` of the API."""

    start_seconds: float = member("startSeconds")
    end_seconds: float = member("endSeconds")
    text: str
    words: Sequence[TranscriptWord]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class TranscriptWord:
    """``TranscriptWord`` of the API."""

    text: str
    start_seconds: float = member("startSeconds")
    end_seconds: float = member("endSeconds")
    confidence: float
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class UploadGrant:
    """``UploadGrant`` of the API."""

    signed_url: str = member("signedURL", shows=False)
    bucket_path: str = member("bucketPath")
    expires_at: int = member("expiresAt")
    direct: bool | None = None
    content_type: str | None = member("contentType", is_required=False)
    parts: Sequence[UploadPart] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class UploadPart:
    """``UploadPart`` of the API."""

    part_number: int = member("partNumber")
    size: int
    signed_url: str = member("signedURL", shows=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class UploadUrlRequest:
    """
    ``UploadUrlRequest`` of the API.

    Attributes:
        filename: Name of the file; shown, never part of a path.
        file_size: Bytes that will be sent; at most 5 GiB.
        content_type: Content type with which the file will be sent. By default
            ``video/mp4``.
        description: Text about the video.
        parts: Whether it may be sent in parts, over 100 MiB and where the store
            can. By default ``False``.
    """

    filename: str
    file_size: int = member("fileSize")
    content_type: choices.ContentType | None = member("contentType", is_required=False)
    description: str | None = None
    parts: bool | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class UsageOfDay:
    """``UsageOfDay`` of the API."""

    delivery_date: date = member("deliveryDate")
    segments_served: int = member("segmentsServed")
    unique_videos_served: int = member("uniqueVideosServed")
    hd_segments: int = member("hdSegments")
    sd_segments: int = member("sdSegments")
    ld_segments: int = member("ldSegments")
    estimated_views: int = member("estimatedViews")
    watched_seconds: float = member("watchedSeconds")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class UsageReport:
    """``UsageReport`` of the API."""

    usage: Sequence[EnvironmentUsage]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoChangeRequest:
    """
    ``VideoChangeRequest`` of the API.

    Attributes:
        description: null removes it.
        external_id: null removes it.
        metadata: Keys that are not named stay; null removes a key, or all of them.
        tags: In place of all tags; null removes them.
        allow_download: Whether who may watch it may take it away, too.
    """

    video_name: str | None = member("videoName", is_required=False)
    description: str | None = None
    allow_public_access: bool | None = member("allowPublicAccess", is_required=False)
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str | None] | None = None
    tags: Sequence[str] | None = None
    allow_download: bool | None = member("allowDownload", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoDetails:
    """
    ``VideoDetails`` of the API.

    Attributes:
        etag: The answer's `ETag`: a change that is sent with it is refused if
            somebody else has changed the same thing since.
    """

    id: str
    name: str
    duration: str
    duration_seconds: float = member("durationSeconds")
    created_at: datetime = member("createdAt")
    thumbnail_url: str = member("thumbnailUrl", shows=False)
    served: str
    allow_public_access: bool = member("allowPublicAccess")
    video_quality: choices.Preset = member("videoQuality")
    playback: Playback
    public_id: str = member("publicID")
    status: VideoStatusFlags
    max_edge_length: choices.MaxEdgeLength = member("maxEdgeLength")
    max_frame_rate: float = member("maxFrameRate")
    pixel_format: choices.PixelFormat = member("pixelFormat")
    rate_control_mode: choices.RateControl = member("rateControlMode")
    two_pass_vbr_encoding: bool = member("twoPassVBREncoding")
    compression_ratio: choices.Speed = member("compressionRatio")
    audio_codec: choices.AudioCodec = member("audioCodec")
    encodings: Sequence[Encoding]
    description: str | None = None
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    width: int | None = None
    height: int | None = None
    aspect_ratio: str | None = member("aspectRatio", is_required=False)
    frame_rate: float | None = member("frameRate", is_required=False)
    source_bytes: int | None = member("sourceBytes", is_required=False)
    allow_download: bool | None = member("allowDownload", is_required=False)
    renditions: Sequence[Rendition] | None = None
    progress: int | None = None
    failure_reason: str | None = member("failureReason", is_required=False)
    warnings: Sequence[str] | None = None
    chapters: Sequence[Chapter] | None = None
    effective_audio_codec: choices.AudioCodec | None = member(
        "effectiveAudioCodec", is_required=False
    )
    etag: str | None = entity_tag()
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoEvent:
    """``VideoEvent`` of the API."""

    event: choices.VideoEventKind
    status: choices.VideoEventStatus
    video_id: str = member("videoId")
    id: str
    timestamp: datetime
    org_id: str = member("orgID")
    env_id: str = member("envID")
    sequence: int
    error: str | None
    playback: Playback | None
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    duration_seconds: float | None = member("durationSeconds", is_required=False)
    width: int | None = None
    height: int | None = None
    aspect_ratio: str | None = member("aspectRatio", is_required=False)
    frame_rate: float | None = member("frameRate", is_required=False)
    source_bytes: int | None = member("sourceBytes", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoEventList:
    """``VideoEventList`` of the API."""

    events: Sequence[VideoEvent]
    cursor: str
    has_more: bool = member("hasMore")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoList:
    """``VideoList`` of the API."""

    videos: Sequence[VideoSummary]
    pagination: Pagination
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoResolution:
    """``VideoResolution`` of the API."""

    vid_id: str = member("vidId")
    vid_public_id: str = member("vidPublicId")
    vid_name: str = member("vidName")
    vid_name_valid: bool = member("vidNameValid")
    resolution_height: int = member("resolutionHeight")
    times_served: int = member("timesServed")
    days_served: int = member("daysServed")
    first_served: str = member("firstServed")
    first_served_valid: bool = member("firstServedValid")
    last_served: str = member("lastServed")
    last_served_valid: bool = member("lastServedValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoResolutionReport:
    """``VideoResolutionReport`` of the API."""

    summary: VideoResolutionSummary
    resolutions: Sequence[VideoResolution]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoResolutionSummary:
    """``VideoResolutionSummary`` of the API."""

    vid_id: str = member("vidId")
    vid_public_id: str = member("vidPublicId")
    vid_name: str = member("vidName")
    vid_name_valid: bool = member("vidNameValid")
    asset_id: str = member("assetId")
    vid_length_seconds: float = member("vidLengthSeconds")
    available_resolutions: int = member("availableResolutions")
    total_segments_served: int = member("totalSegmentsServed")
    total_days_served: int = member("totalDaysServed")
    first_served: str = member("firstServed")
    first_served_valid: bool = member("firstServedValid")
    last_served: str = member("lastServed")
    last_served_valid: bool = member("lastServedValid")
    most_popular_resolution: int = member("mostPopularResolution")
    most_popular_resolution_valid: bool = member("mostPopularResolutionValid")
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoStatusFlags:
    """``VideoStatusFlags`` of the API."""

    ready: bool
    transcoding: bool
    failed: bool
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoSummary:
    """``VideoSummary`` of the API."""

    id: str
    name: str
    duration: str
    duration_seconds: float = member("durationSeconds")
    created_at: datetime = member("createdAt")
    thumbnail_url: str = member("thumbnailUrl", shows=False)
    served: str
    allow_public_access: bool = member("allowPublicAccess")
    video_quality: choices.Preset = member("videoQuality")
    playback: Playback
    status: choices.VideoStatus
    description: str | None = None
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    width: int | None = None
    height: int | None = None
    aspect_ratio: str | None = member("aspectRatio", is_required=False)
    frame_rate: float | None = member("frameRate", is_required=False)
    source_bytes: int | None = member("sourceBytes", is_required=False)
    spoken_hits: Sequence[SpokenHit] | None = member("spokenHits", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoUploadGrant:
    """``VideoUploadGrant`` of the API."""

    signed_url: str = member("signedURL", shows=False)
    bucket_path: str = member("bucketPath")
    expires_at: int = member("expiresAt")
    asset_id: str = member("assetId")
    video_id: str = member("videoID")
    direct: bool | None = None
    content_type: str | None = member("contentType", is_required=False)
    parts: Sequence[UploadPart] | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class VideoUploadRequest:
    """
    ``VideoUploadRequest`` of the API.

    Attributes:
        file_name: Name of the file; shown, never part of a path.
        allow_public_access: Whether it plays without a token. By default ``False``.
        video_quality: Which renditions are made. By default ``standard``.
        file_size: Bytes that the file must have; at most 5 GiB.
        content_type: Type of the file; recognised by its first bytes if missing.
        video_name: Name of the video; the file's without its ending if missing.
        description: Text about the video.
        max_edge_length: Cap of the short edge in pixels. By default ``-1``.
        max_frame_rate: Cap of the frames per second. By default ``-1``.
        pixel_format: Chroma sampling and bit depth. By default ``yuv420p``.
        rate_control_mode: How the bitrate adapts to the content. By default
            ``variableBitrate``.
        two_pass_vbr_encoding: Encode twice for a steadier quality. By default
            ``False``.
        compression_ratio: Speed of the encoder; slower makes smaller files. By
            default ``veryfast``.
        audio_codec: Codec of the sound. By default ``aac``.
        generate_captions: Captions by machine: the spoken languages or auto; true
            is auto alone.
        external_id: What you call the video; no other one of the environment may
            have it.
        metadata: Keys and texts that are kept with the video; at most 4 KB.
        tags: Words by which lists are filtered.
        allow_download: Whether who may watch it may take it away, too. By default
            ``False``.
        parts: Whether it may be sent in parts, over 100 MiB and where the store
            can. By default ``False``.
    """

    file_name: str = member("fileName")
    allow_public_access: bool | None = member("allowPublicAccess", is_required=False)
    video_quality: choices.Preset | None = member("videoQuality", is_required=False)
    file_size: int | None = member("fileSize", is_required=False)
    content_type: choices.ContentType | None = member("contentType", is_required=False)
    video_name: str | None = member("videoName", is_required=False)
    description: str | None = None
    max_edge_length: choices.MaxEdgeLength | None = member(
        "maxEdgeLength", is_required=False
    )
    max_frame_rate: int | None = member("maxFrameRate", is_required=False)
    pixel_format: choices.PixelFormat | None = member("pixelFormat", is_required=False)
    rate_control_mode: choices.RateControl | None = member(
        "rateControlMode", is_required=False
    )
    two_pass_vbr_encoding: bool | None = member("twoPassVBREncoding", is_required=False)
    compression_ratio: choices.Speed | None = member(
        "compressionRatio", is_required=False
    )
    audio_codec: choices.AudioCodec | None = member("audioCodec", is_required=False)
    generate_captions: Sequence[str] | None = member(
        "generateCaptions", is_required=False
    )
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    allow_download: bool | None = member("allowDownload", is_required=False)
    parts: bool | None = None
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class ViewersReport:
    """``ViewersReport`` of the API."""

    viewers: CurrentViewers
    minutes: Sequence[ServedMinute]
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class WatchedVideo:
    """``WatchedVideo`` of the API."""

    video_id: str = member("videoID")
    video_name: str = member("videoName")
    video_name_valid: bool = member("videoNameValid")
    segments: int
    estimated_views: int = member("estimatedViews")
    watched_seconds: float = member("watchedSeconds")
    last_served: str = member("lastServed")
    last_served_valid: bool = member("lastServedValid")
    delivery_date: date | None = member("deliveryDate", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class WatchedVideosReport:
    """``WatchedVideosReport`` of the API."""

    videos: Sequence[WatchedVideo]
    pagination: ReportPagination
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class WebhookEvent:
    """``WebhookEvent`` of the API."""

    event: str
    status: str
    video_id: str = member("videoId")
    id: str
    timestamp: datetime
    org_id: str = member("orgID")
    env_id: str = member("envID")
    sequence: int
    error: str | None
    playback: Playback | None
    external_id: str | None = member("externalID", is_required=False)
    metadata: Mapping[str, str] | None = None
    tags: Sequence[str] | None = None
    duration_seconds: float | None = member("durationSeconds", is_required=False)
    width: int | None = None
    height: int | None = None
    aspect_ratio: str | None = member("aspectRatio", is_required=False)
    frame_rate: float | None = member("frameRate", is_required=False)
    source_bytes: int | None = member("sourceBytes", is_required=False)
    further_members: Mapping[str, Any] = further()


@attrs.frozen(kw_only=True)
class WhoAmI:
    """``WhoAmI`` of the API."""

    org_id: str | None = member("orgID")
    env_id: str | None = member("envID")
    kind: choices.EnvironmentKind | None
    key_id: str = member("keyID")
    key_type: choices.KeyType = member("keyType")
    name: str
    permissions: Sequence[choices.Permission]
    expires_at: datetime | None = member("expiresAt")
    quotas: QuotaUses
    further_members: Mapping[str, Any] = further()
