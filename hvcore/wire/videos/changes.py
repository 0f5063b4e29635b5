"""The requests and answers about changes of a video's fields and of its thumbnail."""

from typing import Final

import attrs

from hvcore.domain.limits import MAX_SOURCE_DURATION_S
from hvcore.domain.videos.video import VideoChanges
from hvcore.wire.answer_schemas import VIDEO_ID
from hvcore.wire.converter import Null, clearable, group, optional, required
from hvcore.wire.kinds import Flag
from hvcore.wire.links.formats import Seconds
from hvcore.wire.requests import DESCRIPTION, DOWNLOADS, NAME
from hvcore.wire.responses import Payload
from hvcore.wire.schema import ADDRESS, one_of, record
from hvcore.wire.videos.labels import LabelChangeFields


@attrs.frozen(kw_only=True)
class VideoChangeRequest:
    """Declare the fields of a request that changes a video."""

    name: str | None = optional("videoName", NAME, None)
    description: str | Null | None = clearable(
        "description", DESCRIPTION, about="null removes it."
    )
    is_public: bool | None = optional("allowPublicAccess", Flag(), None)
    labels: LabelChangeFields = group(LabelChangeFields)
    allows_download: bool | None = optional(
        "allowDownload", Flag(), None, about=DOWNLOADS
    )

    def changes(self) -> VideoChanges:
        is_cleared = self.description is Null.NULL
        text = self.description if isinstance(self.description, str) else None
        return VideoChanges(
            name=self.name,
            description=text,
            clears_description=is_cleared,
            is_public=self.is_public,
            labels=self.labels.changes(),
            allows_download=self.allows_download,
        )


@attrs.frozen(kw_only=True)
class CustomThumbnailRequest:
    """Declare the fields of a request that chooses a video's thumbnail without uploading a picture."""

    at_s: float = required(
        "timestampSeconds",
        Seconds(maximum=MAX_SOURCE_DURATION_S),
        about="Where in the video the picture is taken.",
    )


THUMBNAIL: Final = record(
    "Thumbnail",
    {
        "videoID": VIDEO_ID,
        "thumbnailUrl": ADDRESS,
        "status": one_of("ThumbnailStatus", "ready", "pending"),
    },
)


def thumbnail(video_id: str, *, thumbnail_url: str, is_ready: bool) -> Payload:
    """
    Return the JSON payload of a chosen thumbnail.

    Args:
        is_ready: Whether the thumbnail can be loaded now; else it is being made.
    """
    return {
        "videoID": video_id,
        "thumbnailUrl": thumbnail_url,
        "status": "ready" if is_ready else "pending",
    }
