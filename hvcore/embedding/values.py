"""The values that the host program gets."""

from datetime import datetime

import attrs

from hvcore.domain.videos.states import VideoState


@attrs.frozen(kw_only=True)
class Upload:
    """
    Permission to send one file, from which a video is made.

    Attributes:
        video_id: Of the video, which awaits the file.
        address: Where the file is sent with PUT; it is a secret until it has expired.
        expires_at: Until then; in UTC.
    """

    video_id: str
    address: str = attrs.field(repr=False)
    expires_at: datetime


@attrs.frozen(kw_only=True)
class EmbeddedVideo:
    """
    A video, as it was when it was asked for.

    Attributes:
        progress_percent: Of the job that makes it, 0 to 99 while the state is
            PROCESSING; else 0.
        duration_s: Length of what is published; 0 until it is ready.
        failure_reason: One sentence for its owner, while it is failed.
    """

    id: str
    name: str
    description: str | None
    state: VideoState
    is_public: bool
    created_at: datetime
    progress_percent: int
    duration_s: float
    failure_reason: str | None
