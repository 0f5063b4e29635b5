"""
The operations of the API: what each call sends, and what is made of its answer.

Written by hvcore_client_generator; do not change it by hand.
"""

from typing import Any, Final

from hvcore_client.generated import models
from hvcore_client.operation import Operation, Paging

CREATE_UPLOAD_URL_IN_ENVIRONMENT: Final[Operation[models.UploadGrant]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/environments/{env_id}/videos/upload-url",
    answer=models.UploadGrant,
    body={
        "filename": "filename",
        "file_size": "fileSize",
        "content_type": "contentType",
        "description": "description",
        "parts": "parts",
    },
    needs_body=True,
    takes_idempotency_key=True,
)
CREATE_UPLOAD_URL: Final[Operation[models.VideoUploadGrant]] = Operation(
    method="POST",
    path="/v1/videos/upload-url",
    answer=models.VideoUploadGrant,
    body={
        "file_name": "fileName",
        "allow_public_access": "allowPublicAccess",
        "video_quality": "videoQuality",
        "file_size": "fileSize",
        "content_type": "contentType",
        "video_name": "videoName",
        "description": "description",
        "max_edge_length": "maxEdgeLength",
        "max_frame_rate": "maxFrameRate",
        "pixel_format": "pixelFormat",
        "rate_control_mode": "rateControlMode",
        "two_pass_vbr_encoding": "twoPassVBREncoding",
        "compression_ratio": "compressionRatio",
        "audio_codec": "audioCodec",
        "generate_captions": "generateCaptions",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
        "parts": "parts",
    },
    needs_body=True,
    takes_idempotency_key=True,
)
COMPLETE_UPLOAD: Final[Operation[models.ProcessedVideo]] = Operation(
    method="POST",
    path="/v1/videos/{video_id}/upload-complete",
    answer=models.ProcessedVideo,
)
CREATE_VIDEO_FROM_URL: Final[Operation[models.FetchedVideo]] = Operation(
    method="POST",
    path="/v1/videos/upload",
    answer=models.FetchedVideo,
    body={
        "file_name": "fileName",
        "video_url": "videoURL",
        "allow_public_access": "allowPublicAccess",
        "video_quality": "videoQuality",
        "file_size": "fileSize",
        "content_type": "contentType",
        "video_name": "videoName",
        "description": "description",
        "max_edge_length": "maxEdgeLength",
        "max_frame_rate": "maxFrameRate",
        "pixel_format": "pixelFormat",
        "rate_control_mode": "rateControlMode",
        "two_pass_vbr_encoding": "twoPassVBREncoding",
        "compression_ratio": "compressionRatio",
        "audio_codec": "audioCodec",
        "generate_captions": "generateCaptions",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
    },
    needs_body=True,
    takes_idempotency_key=True,
)
DOWNLOAD_FILE: Final[Operation[models.FetchedFile]] = Operation(
    method="POST",
    path="/v1/videos/download",
    answer=models.FetchedFile,
    body={"source_url": "sourceUrl"},
    needs_body=True,
    takes_idempotency_key=True,
)
CREATE_RESUMABLE_UPLOAD: Final[Operation[models.ResumableUpload]] = Operation(
    method="POST",
    path="/v1/uploads",
    answer=models.ResumableUpload,
    headers={"upload_length": "Upload-Length", "upload_metadata": "Upload-Metadata"},
    fixed_headers={"Tus-Resumable": "1.0.0"},
    takes_idempotency_key=True,
)
GET_RESUMABLE_UPLOAD_OPTIONS: Final[Operation[None]] = Operation(
    method="OPTIONS", path="/v1/uploads", answer=None, needs_key=False
)
PROCESS_VIDEO_IN_ENVIRONMENT: Final[Operation[models.ProcessedVideo]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/environments/{env_id}/videos/process",
    answer=models.ProcessedVideo,
    body={
        "gcs_path": "gcsPath",
        "video_quality": "videoQuality",
        "allow_public_access": "allowPublicAccess",
        "video_name": "videoName",
        "max_edge_length": "maxEdgeLength",
        "max_frame_rate": "maxFrameRate",
        "pixel_format": "pixelFormat",
        "rate_control_mode": "rateControlMode",
        "two_pass_vbr_encoding": "twoPassVBREncoding",
        "compression_ratio": "compressionRatio",
        "audio_codec": "audioCodec",
        "generate_captions": "generateCaptions",
        "description": "description",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
    },
    needs_body=True,
    takes_idempotency_key=True,
)
PROCESS_VIDEO: Final[Operation[models.ProcessedVideo]] = Operation(
    method="POST",
    path="/v1/videos/process",
    answer=models.ProcessedVideo,
    body={
        "gcs_path": "gcsPath",
        "video_quality": "videoQuality",
        "allow_public_access": "allowPublicAccess",
        "video_name": "videoName",
        "max_edge_length": "maxEdgeLength",
        "max_frame_rate": "maxFrameRate",
        "pixel_format": "pixelFormat",
        "rate_control_mode": "rateControlMode",
        "two_pass_vbr_encoding": "twoPassVBREncoding",
        "compression_ratio": "compressionRatio",
        "audio_codec": "audioCodec",
        "generate_captions": "generateCaptions",
        "description": "description",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
    },
    needs_body=True,
    takes_idempotency_key=True,
)
LIST_VIDEOS_IN_ENVIRONMENT: Final[Operation[models.VideoList]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/videos",
    answer=models.VideoList,
    query={
        "page": "page",
        "page_size": "pageSize",
        "sort_by": "sortBy",
        "sort_dir": "sortDir",
        "status": "status",
        "search": "search",
        "from_": "from",
        "to": "to",
        "external_id": "externalID",
        "tag": "tag",
        "metadata": "metadata",
        "allow_public_access": "allowPublicAccess",
        "spoken": "spoken",
    },
    paging=Paging(by_cursor=False, items="videos"),
)
LIST_VIDEOS: Final[Operation[models.VideoList]] = Operation(
    method="GET",
    path="/v1/videos",
    answer=models.VideoList,
    query={
        "page": "page",
        "page_size": "pageSize",
        "sort_by": "sortBy",
        "sort_dir": "sortDir",
        "status": "status",
        "search": "search",
        "from_": "from",
        "to": "to",
        "external_id": "externalID",
        "tag": "tag",
        "metadata": "metadata",
        "allow_public_access": "allowPublicAccess",
        "spoken": "spoken",
    },
    paging=Paging(by_cursor=False, items="videos"),
)
GET_VIDEO_DETAILS_IN_ORGANIZATION: Final[Operation[models.VideoDetails]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/details",
    answer=models.VideoDetails,
)
GET_VIDEO: Final[Operation[models.VideoDetails]] = Operation(
    method="GET", path="/v1/videos/{video_id}", answer=models.VideoDetails
)
DELETE_VIDEO: Final[Operation[models.Deletion]] = Operation(
    method="DELETE",
    path="/v1/videos/{video_id}",
    answer=models.Deletion,
    query={"keep_hours": "keepHours"},
    body={"reason": "reason"},
)
UPDATE_VIDEO: Final[Operation[models.VideoDetails]] = Operation(
    method="PATCH",
    path="/v1/videos/{video_id}",
    answer=models.VideoDetails,
    headers={"if_match": "If-Match"},
    body={
        "video_name": "videoName",
        "description": "description",
        "allow_public_access": "allowPublicAccess",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
    },
    needs_body=True,
    sends_null=True,
)
GET_VIDEO_DETAILS: Final[Operation[models.VideoDetails]] = Operation(
    method="GET", path="/v1/videos/{video_id}/details", answer=models.VideoDetails
)
GET_VIDEO_CONFORMANCE_IN_ORGANIZATION: Final[Operation[models.ConformanceReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/videos/{video_id}/conformance",
        answer=models.ConformanceReport,
    )
)
GET_VIDEO_CONFORMANCE: Final[Operation[models.ConformanceReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/conformance",
    answer=models.ConformanceReport,
)
DELETE_VIDEO_IN_ORGANIZATION: Final[Operation[models.Deletion]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}",
    answer=models.Deletion,
    query={"keep_hours": "keepHours"},
    body={"reason": "reason"},
)
UPDATE_VIDEO_IN_ORGANIZATION: Final[Operation[models.VideoDetails]] = Operation(
    method="PATCH",
    path="/v1/api/{org_id}/videos/{video_id}",
    answer=models.VideoDetails,
    headers={"if_match": "If-Match"},
    body={
        "video_name": "videoName",
        "description": "description",
        "allow_public_access": "allowPublicAccess",
        "external_id": "externalID",
        "metadata": "metadata",
        "tags": "tags",
        "allow_download": "allowDownload",
    },
    needs_body=True,
    sends_null=True,
)
LIST_DELETED_VIDEOS_IN_ENVIRONMENT: Final[Operation[models.DeletedVideoList]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/environments/{env_id}/videos/deleted",
        answer=models.DeletedVideoList,
        query={"page": "page", "page_size": "pageSize"},
        paging=Paging(by_cursor=False, items="videos"),
    )
)
LIST_DELETED_VIDEOS: Final[Operation[models.DeletedVideoList]] = Operation(
    method="GET",
    path="/v1/videos/deleted",
    answer=models.DeletedVideoList,
    query={"page": "page", "page_size": "pageSize"},
    paging=Paging(by_cursor=False, items="videos"),
)
RESTORE_VIDEO_IN_ORGANIZATION: Final[Operation[models.VideoDetails]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/restore",
    answer=models.VideoDetails,
)
RESTORE_VIDEO: Final[Operation[models.VideoDetails]] = Operation(
    method="POST", path="/v1/videos/{video_id}/restore", answer=models.VideoDetails
)
RETRY_VIDEO_IN_ORGANIZATION: Final[Operation[models.ProcessedVideo]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/retry",
    answer=models.ProcessedVideo,
)
RETRY_VIDEO: Final[Operation[models.ProcessedVideo]] = Operation(
    method="POST", path="/v1/videos/{video_id}/retry", answer=models.ProcessedVideo
)
SET_THUMBNAIL_IN_ORGANIZATION: Final[Operation[models.Thumbnail]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/thumbnail",
    answer=models.Thumbnail,
    body={"timestamp_seconds": "timestampSeconds"},
    needs_body=True,
    content_types=("image/jpeg", "image/png"),
)
SET_THUMBNAIL: Final[Operation[models.Thumbnail]] = Operation(
    method="POST",
    path="/v1/videos/{video_id}/thumbnail",
    answer=models.Thumbnail,
    body={"timestamp_seconds": "timestampSeconds"},
    needs_body=True,
    content_types=("image/jpeg", "image/png"),
)
GET_CAPTION_DEFAULTS_IN_ENVIRONMENT: Final[Operation[models.CaptionDefault]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/environments/{env_id}/caption-defaults",
        answer=models.CaptionDefault,
    )
)
SET_CAPTION_DEFAULTS_IN_ENVIRONMENT: Final[Operation[models.CaptionDefault]] = (
    Operation(
        method="PUT",
        path="/v1/api/{org_id}/environments/{env_id}/caption-defaults",
        answer=models.CaptionDefault,
        body={"languages": "languages"},
        needs_body=True,
    )
)
GET_CAPTION_DEFAULTS: Final[Operation[models.CaptionDefault]] = Operation(
    method="GET", path="/v1/caption-defaults", answer=models.CaptionDefault
)
SET_CAPTION_DEFAULTS: Final[Operation[models.CaptionDefault]] = Operation(
    method="PUT",
    path="/v1/caption-defaults",
    answer=models.CaptionDefault,
    body={"languages": "languages"},
    needs_body=True,
)
LIST_CAPTIONS_IN_ORGANIZATION: Final[Operation[models.CaptionList]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/captions",
    answer=models.CaptionList,
)
GENERATE_CAPTIONS_IN_ORGANIZATION: Final[Operation[models.CaptionList]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/captions/generate",
    answer=models.CaptionList,
    body={"languages": "languages"},
    takes_idempotency_key=True,
)
CANCEL_CAPTIONS_IN_ORGANIZATION: Final[Operation[models.CaptionList]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}/captions/generate",
    answer=models.CaptionList,
)
GET_TRANSCRIPT_IN_ORGANIZATION: Final[Operation[models.Transcript]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/transcript/{language}",
    answer=models.Transcript,
    query={"format": "format"},
)
SET_CAPTIONS_IN_ORGANIZATION: Final[Operation[models.CaptionList]] = Operation(
    method="PUT",
    path="/v1/api/{org_id}/videos/{video_id}/captions/{language}",
    answer=models.CaptionList,
    query={"label": "label"},
    content_types=(
        "text/vtt",
        "application/x-subrip",
        "text/plain",
        "application/octet-stream",
    ),
)
REMOVE_CAPTIONS_IN_ORGANIZATION: Final[Operation[models.CaptionList]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}/captions/{language}",
    answer=models.CaptionList,
)
LIST_CAPTIONS: Final[Operation[models.CaptionList]] = Operation(
    method="GET", path="/v1/videos/{video_id}/captions", answer=models.CaptionList
)
GENERATE_CAPTIONS: Final[Operation[models.CaptionList]] = Operation(
    method="POST",
    path="/v1/videos/{video_id}/captions/generate",
    answer=models.CaptionList,
    body={"languages": "languages"},
    takes_idempotency_key=True,
)
CANCEL_CAPTIONS: Final[Operation[models.CaptionList]] = Operation(
    method="DELETE",
    path="/v1/videos/{video_id}/captions/generate",
    answer=models.CaptionList,
)
GET_TRANSCRIPT: Final[Operation[models.Transcript]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/transcript/{language}",
    answer=models.Transcript,
    query={"format": "format"},
)
SET_CAPTIONS: Final[Operation[models.CaptionList]] = Operation(
    method="PUT",
    path="/v1/videos/{video_id}/captions/{language}",
    answer=models.CaptionList,
    query={"label": "label"},
    content_types=(
        "text/vtt",
        "application/x-subrip",
        "text/plain",
        "application/octet-stream",
    ),
)
REMOVE_CAPTIONS: Final[Operation[models.CaptionList]] = Operation(
    method="DELETE",
    path="/v1/videos/{video_id}/captions/{language}",
    answer=models.CaptionList,
)
LIST_CHAPTERS_IN_ORGANIZATION: Final[Operation[models.ChapterList]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/chapters",
    answer=models.ChapterList,
)
SET_CHAPTERS_IN_ORGANIZATION: Final[Operation[models.ChapterList]] = Operation(
    method="PUT",
    path="/v1/api/{org_id}/videos/{video_id}/chapters",
    answer=models.ChapterList,
    content_types=("text/vtt", "text/plain", "application/octet-stream"),
)
REMOVE_CHAPTERS_IN_ORGANIZATION: Final[Operation[models.ChapterList]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}/chapters",
    answer=models.ChapterList,
)
LIST_CHAPTERS: Final[Operation[models.ChapterList]] = Operation(
    method="GET", path="/v1/videos/{video_id}/chapters", answer=models.ChapterList
)
SET_CHAPTERS: Final[Operation[models.ChapterList]] = Operation(
    method="PUT",
    path="/v1/videos/{video_id}/chapters",
    answer=models.ChapterList,
    content_types=("text/vtt", "text/plain", "application/octet-stream"),
)
REMOVE_CHAPTERS: Final[Operation[models.ChapterList]] = Operation(
    method="DELETE", path="/v1/videos/{video_id}/chapters", answer=models.ChapterList
)
GET_SIGNED_URL_IN_ORGANIZATION: Final[Operation[models.SignedUrl]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/signed-url",
    answer=models.SignedUrl,
    query={"expiration": "expiration", "domains": "domains"},
)
GET_SIGNED_URL: Final[Operation[models.SignedUrl]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/signed-url",
    answer=models.SignedUrl,
    query={"expiration": "expiration", "domains": "domains"},
)
GET_SOURCE_URL_IN_ORGANIZATION: Final[Operation[models.SignedUrl]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/source",
    answer=models.SignedUrl,
    query={"expiration": "expiration"},
)
GET_SOURCE_URL: Final[Operation[models.SignedUrl]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/source",
    answer=models.SignedUrl,
    query={"expiration": "expiration"},
)
LIST_EDGE_KEYS_IN_ORGANIZATION: Final[Operation[models.EdgeKeyList]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/edge-keys",
    answer=models.EdgeKeyList,
)
CREATE_EDGE_KEY_IN_ORGANIZATION: Final[Operation[models.EdgeKey]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/edge-keys",
    answer=models.EdgeKey,
    body={"domains": "domains", "expires_at": "expiresAt"},
    takes_idempotency_key=True,
)
REVOKE_VIDEO_EDGE_KEY_IN_ORGANIZATION: Final[Operation[models.EdgeKey]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}/edge-keys/{edge_key}",
    answer=models.EdgeKey,
)
CREATE_SHARE_LINK_IN_ORGANIZATION: Final[Operation[models.ShareLink]] = Operation(
    method="POST",
    path="/v1/api/{org_id}/videos/{video_id}/share",
    answer=models.ShareLink,
    body={
        "expiration_hours": "expirationHours",
        "max_views": "maxViews",
        "viewer_email": "viewerEmail",
    },
    takes_idempotency_key=True,
)
LIST_SHARE_LINKS_IN_ORGANIZATION: Final[Operation[models.ShareLinkList]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/shares",
    answer=models.ShareLinkList,
)
REVOKE_SHARE_LINK_IN_ORGANIZATION: Final[Operation[models.ShareLink]] = Operation(
    method="DELETE",
    path="/v1/api/{org_id}/videos/{video_id}/shares/{share_id}",
    answer=models.ShareLink,
)
GET_EDGE_KEY_IN_ORGANIZATION: Final[Operation[models.EdgeKey]] = Operation(
    method="GET", path="/v1/api/{org_id}/edge-keys/{edge_key}", answer=models.EdgeKey
)
REVOKE_EDGE_KEY_IN_ORGANIZATION: Final[Operation[models.EdgeKey]] = Operation(
    method="DELETE", path="/v1/api/{org_id}/edge-keys/{edge_key}", answer=models.EdgeKey
)
LIST_EDGE_KEYS: Final[Operation[models.EdgeKeyList]] = Operation(
    method="GET", path="/v1/videos/{video_id}/edge-keys", answer=models.EdgeKeyList
)
CREATE_EDGE_KEY: Final[Operation[models.EdgeKey]] = Operation(
    method="POST",
    path="/v1/videos/{video_id}/edge-keys",
    answer=models.EdgeKey,
    body={"domains": "domains", "expires_at": "expiresAt"},
    takes_idempotency_key=True,
)
REVOKE_VIDEO_EDGE_KEY: Final[Operation[models.EdgeKey]] = Operation(
    method="DELETE",
    path="/v1/videos/{video_id}/edge-keys/{edge_key}",
    answer=models.EdgeKey,
)
CREATE_SHARE_LINK: Final[Operation[models.ShareLink]] = Operation(
    method="POST",
    path="/v1/videos/{video_id}/share",
    answer=models.ShareLink,
    body={
        "expiration_hours": "expirationHours",
        "max_views": "maxViews",
        "viewer_email": "viewerEmail",
    },
    takes_idempotency_key=True,
)
LIST_SHARE_LINKS: Final[Operation[models.ShareLinkList]] = Operation(
    method="GET", path="/v1/videos/{video_id}/shares", answer=models.ShareLinkList
)
REVOKE_SHARE_LINK: Final[Operation[models.ShareLink]] = Operation(
    method="DELETE",
    path="/v1/videos/{video_id}/shares/{share_id}",
    answer=models.ShareLink,
)
GET_EDGE_KEY: Final[Operation[models.EdgeKey]] = Operation(
    method="GET", path="/v1/edge-keys/{edge_key}", answer=models.EdgeKey
)
REVOKE_EDGE_KEY: Final[Operation[models.EdgeKey]] = Operation(
    method="DELETE", path="/v1/edge-keys/{edge_key}", answer=models.EdgeKey
)
GET_USAGE_IN_ORGANIZATION: Final[Operation[models.UsageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/analytics/usage",
    answer=models.UsageReport,
    query={"period_days": "periodDays", "format": "format"},
)
GET_USAGE_IN_ENVIRONMENT: Final[Operation[models.UsageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/analytics/usage",
    answer=models.UsageReport,
    query={"period_days": "periodDays", "format": "format"},
)
GET_USAGE: Final[Operation[models.UsageReport]] = Operation(
    method="GET",
    path="/v1/analytics/usage",
    answer=models.UsageReport,
    query={"period_days": "periodDays", "format": "format"},
)
GET_DAILY_USAGE_IN_ORGANIZATION: Final[Operation[models.DailyUsageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/analytics/daily",
    answer=models.DailyUsageReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "fill": "fill",
        "format": "format",
    },
)
GET_DAILY_USAGE_IN_ENVIRONMENT: Final[Operation[models.DailyUsageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/analytics/daily",
    answer=models.DailyUsageReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "fill": "fill",
        "format": "format",
    },
)
GET_DAILY_USAGE: Final[Operation[models.DailyUsageReport]] = Operation(
    method="GET",
    path="/v1/analytics/daily",
    answer=models.DailyUsageReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "fill": "fill",
        "format": "format",
    },
)
LIST_WATCHED_VIDEOS_IN_ORGANIZATION: Final[Operation[models.WatchedVideosReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/analytics/videos",
        answer=models.WatchedVideosReport,
        query={
            "start_date": "startDate",
            "end_date": "endDate",
            "sort_by": "sortBy",
            "sort_dir": "sortDir",
            "page": "page",
            "page_size": "pageSize",
            "by": "by",
            "format": "format",
        },
        paging=Paging(by_cursor=False, items="videos"),
    )
)
LIST_WATCHED_VIDEOS_IN_ENVIRONMENT: Final[Operation[models.WatchedVideosReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/environments/{env_id}/analytics/videos",
        answer=models.WatchedVideosReport,
        query={
            "start_date": "startDate",
            "end_date": "endDate",
            "sort_by": "sortBy",
            "sort_dir": "sortDir",
            "page": "page",
            "page_size": "pageSize",
            "by": "by",
            "format": "format",
        },
        paging=Paging(by_cursor=False, items="videos"),
    )
)
LIST_WATCHED_VIDEOS: Final[Operation[models.WatchedVideosReport]] = Operation(
    method="GET",
    path="/v1/analytics/videos",
    answer=models.WatchedVideosReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "sort_by": "sortBy",
        "sort_dir": "sortDir",
        "page": "page",
        "page_size": "pageSize",
        "by": "by",
        "format": "format",
    },
    paging=Paging(by_cursor=False, items="videos"),
)
GET_VIDEO_DAILY_USAGE_IN_ORGANIZATION: Final[Operation[models.DailyUsageReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/videos/{video_id}/analytics/daily",
        answer=models.DailyUsageReport,
        query={
            "start_date": "startDate",
            "end_date": "endDate",
            "fill": "fill",
            "format": "format",
        },
    )
)
GET_VIDEO_DAILY_USAGE: Final[Operation[models.DailyUsageReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/daily",
    answer=models.DailyUsageReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "fill": "fill",
        "format": "format",
    },
)
GET_STORAGE_USAGE_IN_ORGANIZATION: Final[Operation[models.StorageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/analytics/storage",
    answer=models.StorageReport,
    query={"format": "format"},
)
GET_STORAGE_USAGE_IN_ENVIRONMENT: Final[Operation[models.StorageReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/analytics/storage",
    answer=models.StorageReport,
    query={"format": "format"},
)
GET_STORAGE_USAGE: Final[Operation[models.StorageReport]] = Operation(
    method="GET",
    path="/v1/analytics/storage",
    answer=models.StorageReport,
    query={"format": "format"},
)
GET_RESOLUTION_DISTRIBUTION_IN_ORGANIZATION: Final[
    Operation[models.ResolutionDistributionReport]
] = Operation(
    method="GET",
    path="/v1/api/{org_id}/analytics/resolution-distribution",
    answer=models.ResolutionDistributionReport,
    query={"start_date": "startDate", "end_date": "endDate", "format": "format"},
)
GET_RESOLUTION_DISTRIBUTION_IN_ENVIRONMENT: Final[
    Operation[models.ResolutionDistributionReport]
] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/analytics/resolution-distribution",
    answer=models.ResolutionDistributionReport,
    query={"start_date": "startDate", "end_date": "endDate", "format": "format"},
)
GET_RESOLUTION_DISTRIBUTION: Final[Operation[models.ResolutionDistributionReport]] = (
    Operation(
        method="GET",
        path="/v1/analytics/resolution-distribution",
        answer=models.ResolutionDistributionReport,
        query={"start_date": "startDate", "end_date": "endDate", "format": "format"},
    )
)
GET_VIDEO_RESOLUTIONS_IN_ORGANIZATION: Final[
    Operation[models.VideoResolutionReport]
] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/analytics/resolution",
    answer=models.VideoResolutionReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "format": "format",
        "records": "records",
    },
)
GET_VIDEO_RESOLUTIONS: Final[Operation[models.VideoResolutionReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/resolution",
    answer=models.VideoResolutionReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "format": "format",
        "records": "records",
    },
)
EXPLAIN_VIDEO_COUNT_IN_ORGANIZATION: Final[Operation[models.CountExplanationReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/videos/{video_id}/analytics/explain",
        answer=models.CountExplanationReport,
        query={"date": "date", "format": "format"},
    )
)
EXPLAIN_VIDEO_COUNT: Final[Operation[models.CountExplanationReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/explain",
    answer=models.CountExplanationReport,
    query={"date": "date", "format": "format"},
)
GET_VIDEO_PLAYBACK_QUALITY_IN_ORGANIZATION: Final[
    Operation[models.PlaybackQualityReport]
] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/analytics/playback-quality",
    answer=models.PlaybackQualityReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "by": "by",
        "format": "format",
        "records": "records",
    },
)
GET_VIDEO_PLAYBACK_QUALITY: Final[Operation[models.PlaybackQualityReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/playback-quality",
    answer=models.PlaybackQualityReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "by": "by",
        "format": "format",
        "records": "records",
    },
)
GET_VIDEO_BREAKDOWN_IN_ORGANIZATION: Final[Operation[models.BreakdownReport]] = (
    Operation(
        method="GET",
        path="/v1/api/{org_id}/videos/{video_id}/analytics/breakdown",
        answer=models.BreakdownReport,
        query={
            "start_date": "startDate",
            "end_date": "endDate",
            "by": "by",
            "format": "format",
        },
    )
)
GET_VIDEO_BREAKDOWN: Final[Operation[models.BreakdownReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/breakdown",
    answer=models.BreakdownReport,
    query={
        "start_date": "startDate",
        "end_date": "endDate",
        "by": "by",
        "format": "format",
    },
)
GET_VIEWERS_IN_ORGANIZATION: Final[Operation[models.ViewersReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/analytics/viewers",
    answer=models.ViewersReport,
    query={"format": "format", "records": "records"},
)
GET_VIEWERS_IN_ENVIRONMENT: Final[Operation[models.ViewersReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/environments/{env_id}/analytics/viewers",
    answer=models.ViewersReport,
    query={"format": "format", "records": "records"},
)
GET_VIEWERS: Final[Operation[models.ViewersReport]] = Operation(
    method="GET",
    path="/v1/analytics/viewers",
    answer=models.ViewersReport,
    query={"format": "format", "records": "records"},
)
GET_VIDEO_VIEWERS_IN_ORGANIZATION: Final[Operation[models.ViewersReport]] = Operation(
    method="GET",
    path="/v1/api/{org_id}/videos/{video_id}/analytics/viewers",
    answer=models.ViewersReport,
    query={"format": "format", "records": "records"},
)
GET_VIDEO_VIEWERS: Final[Operation[models.ViewersReport]] = Operation(
    method="GET",
    path="/v1/videos/{video_id}/analytics/viewers",
    answer=models.ViewersReport,
    query={"format": "format", "records": "records"},
)
LIST_EVENTS: Final[Operation[models.VideoEventList]] = Operation(
    method="GET",
    path="/v1/events",
    answer=models.VideoEventList,
    query={"after": "after", "limit": "limit", "event": "event"},
    paging=Paging(by_cursor=True, items="events"),
)
GET_HEALTH: Final[Operation[models.Health]] = Operation(
    method="GET", path="/health", answer=models.Health, needs_key=False
)
GET_LIVENESS: Final[Operation[models.Liveness]] = Operation(
    method="GET", path="/health/live", answer=models.Liveness, needs_key=False
)
GET_READINESS: Final[Operation[models.Liveness]] = Operation(
    method="GET", path="/health/ready", answer=models.Liveness, needs_key=False
)
LIST_ENVIRONMENTS_IN_ORGANIZATION: Final[Operation[models.EnvironmentList]] = Operation(
    method="GET", path="/v1/api/{org_id}/environments", answer=models.EnvironmentList
)
GET_WHO_AM_I: Final[Operation[models.WhoAmI]] = Operation(
    method="GET", path="/v1/whoami", answer=models.WhoAmI
)
GET_OPEN_API_DOCUMENT: Final[Operation[dict[str, Any]]] = Operation(
    method="GET",
    path="/v1/openapi.json",
    answer=dict,
    is_enveloped=False,
    needs_key=False,
)
