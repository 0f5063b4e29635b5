"""
The fields of answers, as the documentation has them.
"""

from typing import Final

LIST_ITEM: Final = {
    "id": str,
    "name": str,
    "duration": str,
    "durationSeconds": float,
    "createdAt": str,
    "thumbnailUrl": str,
    "playback": dict,
    "description": str,
    "status": str,
    "served": str,
    "allowPublicAccess": bool,
    "videoQuality": str,
}
PAGINATION: Final = {
    "total": int,
    "page": int,
    "pageSize": int,
    "totalPages": int,
    "hasNext": bool,
    "hasPrevious": bool,
}
DETAILS: Final = {
    "id": str,
    "publicID": str,
    "name": str,
    "duration": str,
    "durationSeconds": float,
    "createdAt": str,
    "thumbnailUrl": str,
    "playback": dict,
    "description": str,
    "served": str,
    "status": dict,
    "videoQuality": str,
    "allowPublicAccess": bool,
    "maxEdgeLength": int,
    "maxFrameRate": float,
    "pixelFormat": str,
    "rateControlMode": str,
    "twoPassVBREncoding": bool,
    "compressionRatio": str,
    "audioCodec": str,
    "encodings": list,
}
DETAILS_STATUS: Final = {"ready": bool, "transcoding": bool, "failed": bool}
ENCODING_ENTRY: Final = {
    "key": str,
    "shortEdgePixels": int,
    "shortEdgeIsWidth": bool,
    "videoStreamBitrate": int,
    "audioStreamBitrate": int,
    "audioFormat": str,
    "maxFrameRate": float,
    "pixelFormat": str,
    "rateControlMode": str,
    "twoPassVBREncoding": bool,
    "compressionRatio": str,
}
GRANT_A: Final = {"signedURL": str, "bucketPath": str, "expiresAt": int}
GRANT_B: Final = {**GRANT_A, "assetId": str, "videoID": str}
SIGNED_URL: Final = {"signed_url": str, "expires_in": int}
DELETION: Final = {"status": str, "deletedAt": str, "message": str}
ENVIRONMENT: Final = {
    "envID": str,
    "orgID": str,
    "name": str,
    "kind": str,
    "createdAt": str,
}
SHARE_LINK: Final = {
    "shareID": str,
    "shareURL": str,
    "deliveryURL": str,
    "expiresAt": str,
    "maxViews": int,
    "viewerEmail": str,
}
ERROR: Final = {"title": str, "status": int, "code": str, "detail": str, "errors": list}
ERROR_ITEM: Final = {"message": str, "location": str, "value": object}


USAGE_RECORD: Final = {
    "idpOrgId": str,
    "envId": str,
    "totalVideos": int,
    "totalVideoDurationSeconds": float,
    "totalSegmentsServed": int,
    "videosUploadedInPeriod": int,
    "segmentsServedInPeriod": int,
    "firstVideoUploaded": str,
    "firstVideoUploadedValid": bool,
    "lastSegmentServed": str,
    "lastSegmentServedValid": bool,
}
DAILY_RECORD: Final = {
    "deliveryDate": str,
    "segmentsServed": int,
    "uniqueVideosServed": int,
    "hdSegments": int,
    "sdSegments": int,
    "ldSegments": int,
    # Besides the documented ones; see decision 220.
    "estimatedViews": int,
    "watchedSeconds": float,
}
STORAGE: Final = {
    "totalVideos": int,
    "totalDurationSeconds": float,
    "avgVideoDuration": float,
    "ultraQualityDuration": float,
    "highQualityDuration": float,
    "standardQualityDuration": float,
}
_SERVED_BETWEEN: Final = {
    "firstServed": str,
    "firstServedValid": bool,
    "lastServed": str,
    "lastServedValid": bool,
}
VIDEO_SUMMARY: Final = {
    "vidId": str,
    "vidPublicId": str,
    "vidName": str,
    "vidNameValid": bool,
    "vidLengthSeconds": float,
    "availableResolutions": int,
    "totalSegmentsServed": int,
    "totalDaysServed": int,
    **_SERVED_BETWEEN,
    "mostPopularResolution": int,
    "mostPopularResolutionValid": bool,
}
EVENTS: Final = {
    "video.processing.completed": "ready",
    "video.processing.failed": "failed",
}
