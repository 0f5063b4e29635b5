"""
The kinds of tasks, as the database and ``hv tasks`` name them.
"""

from typing import Final

UPLOAD_PURGE: Final = "upload.purge"
FETCH_GET: Final = "fetch.get"
TRANSCODE_PLAN: Final = "transcode.plan"
TRANSCODE_PART: Final = "transcode.part"
TRANSCODE_ASSEMBLE: Final = "transcode.assemble"
TRANSCODE_TIDY: Final = "transcode.tidy"
THUMBNAIL_MAKE: Final = "thumbnail.make"
VIDEO_PURGE: Final = "video.purge"
CACHE_PURGE: Final = "cache.purge"
WEBHOOK_DELIVER: Final = "webhook.deliver"

TRANSCODE_KINDS: Final = (TRANSCODE_PLAN, TRANSCODE_PART, TRANSCODE_ASSEMBLE)
"""What is cancelled when a job's video is deleted or has failed."""
