"""
The kinds of tasks, as the database and ``hv tasks`` name them.
"""

from typing import Final

UPLOAD_PURGE: Final = "upload.purge"
UPLOAD_TAKE: Final = "upload.take"
FETCH_GET: Final = "fetch.get"
TRANSCODE_PLAN: Final = "transcode.plan"
TRANSCODE_PART: Final = "transcode.part"
TRANSCODE_ASSEMBLE: Final = "transcode.assemble"
TRANSCODE_TIDY: Final = "transcode.tidy"
TRANSCODE_CANCEL: Final = "transcode.cancel"
THUMBNAIL_MAKE: Final = "thumbnail.make"
VIDEO_PURGE: Final = "video.purge"
CACHE_PURGE: Final = "cache.purge"
WEBHOOK_DELIVER: Final = "webhook.deliver"
SHARE_CODE_SEND: Final = "share-code.send"

TRANSCODE_KINDS: Final = (TRANSCODE_PLAN, TRANSCODE_PART, TRANSCODE_ASSEMBLE)
"""What is ended when a job's video is deleted or has failed; cancelling elsewhere goes on."""
