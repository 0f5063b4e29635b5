"""Transcode jobs after planning."""

import attrs

from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.transcoding import TranscodeOrder


@attrs.frozen(kw_only=True)
class TranscodeJob:
    """
    Hold the facts about a planned transcode job.

    Attributes:
        transcoder: The name of the transcoder backend that carries out the whole job.
        chosen_because: The reason for choosing this transcoder, for operators; "" if it
            is the usual one.
    """

    id: JobId
    video_id: VideoId
    order: TranscodeOrder
    parts_total: int
    parts_left: int
    transcoder: str = ""
    chosen_because: str = ""
