"""
A transcode job, once it is planned.
"""

import attrs

from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.transcoding import TranscodeOrder


@attrs.frozen(kw_only=True)
class TranscodeJob:
    """
    A job that was planned.
    """

    id: JobId
    video_id: VideoId
    order: TranscodeOrder
    parts_total: int
    parts_left: int
