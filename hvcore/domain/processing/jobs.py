"""A transcode job, once it is planned."""

import attrs

from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.transcoding import TranscodeOrder


@attrs.frozen(kw_only=True)
class TranscodeJob:
    """
    A job that was planned.

    Attributes:
        transcoder: The name of the backend that makes it, to the end.
        chosen_because: Why it is this one, for operators; empty if it is the usual one.
    """

    id: JobId
    video_id: VideoId
    order: TranscodeOrder
    parts_total: int
    parts_left: int
    transcoder: str = ""
    chosen_because: str = ""
