"""The kinds of tasks, as the database and ``hv tasks`` name them."""

from typing import Final

UPLOAD_PURGE: Final = "upload.purge"
UPLOAD_TAKE: Final = "upload.take"
FETCH_GET: Final = "fetch.get"
TRANSCODE_PLAN: Final = "transcode.plan"
TRANSCODE_PART: Final = "transcode.part"
TRANSCODE_REMOTE: Final = "transcode.remote"
"""A part that is made elsewhere. Versions that cannot do that leave it to others."""
TRANSCODE_ASSEMBLE: Final = "transcode.assemble"
TRANSCODE_REMOTE_ASSEMBLE: Final = "transcode.remote-assemble"
"""The end of a job whose parts are TRANSCODE_REMOTE."""
TRANSCODE_REPAIR: Final = "transcode.mend"
"""A part once more, for files of it that are gone."""
TRANSCODE_TIDY: Final = "transcode.tidy"
TRANSCODE_CANCEL: Final = "transcode.cancel"
THUMBNAIL_MAKE: Final = "thumbnail.make"
THUMBNAIL_TIDY: Final = "thumbnail.tidy"
"""A picture that was replaced, to be removed once nobody reads it any more."""
VIDEO_PURGE: Final = "video.purge"
CACHE_INVALIDATION: Final = "cache.purge"
WEBHOOK_DELIVER: Final = "webhook.deliver"
SUBSCRIBER_TELL: Final = "subscriber.tell"
SHARE_CODE_SEND: Final = "share-code.send"
SHARE_LINK_SEND: Final = "share-link.send"
SIGN_IN_MAIL_SEND: Final = "sign-in-mail.send"
BULK_CHANGE: Final = "bulk.change"
"""A slice of a bulk change of videos; see services.bulk."""
CAPTIONS_MAKE: Final = "captions.make"
"""A window of captions that are made by machine; see services.captions."""

PART_KINDS: Final = (TRANSCODE_PART, TRANSCODE_REMOTE)
TRANSCODE_KINDS: Final = (
    TRANSCODE_PLAN,
    *PART_KINDS,
    TRANSCODE_ASSEMBLE,
    TRANSCODE_REMOTE_ASSEMBLE,
)
"""What is ended when a job's video is deleted or has failed; cancelling elsewhere goes on."""
