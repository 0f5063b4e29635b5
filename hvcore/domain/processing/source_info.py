"""Source facts: what probing finds out about a source."""

from fractions import Fraction

import attrs

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.encoding import (
    PixelFormat,
)
from hvcore.domain.source_figures import SourceFigures, rounded_rate


class UnusableSourceError(Exception):
    """
    Say that a source cannot be made into a video, now or later.

    The error's text is the ``failureReason`` that the video's owner reads: one plain
    sentence, no file names, no tool names. The job is never retried.
    """


@attrs.frozen(kw_only=True)
class VideoTrackInfo:
    """
    Describe the video track of a source, as a viewer would see it.

    Attributes:
        width_px: The display width, after rotation and with square pixels.
        height_px: The display height, after rotation and with square pixels.
        frame_rate: The average number of frames per second.
        pixel_format: The pixel format that ``autoDetect`` stands for.
        is_hdr: Whether the transfer function is PQ or HLG.
        is_interlaced: Whether the video is stored as fields instead of whole frames.
    """

    stream_index: int
    width_px: int
    height_px: int
    frame_rate: Fraction
    pixel_format: PixelFormat
    codec: str = ""
    is_hdr: bool = False
    is_interlaced: bool = False


@attrs.frozen(kw_only=True)
class AudioTrackInfo:
    """
    Describe one audio track of a source.

    Attributes:
        language: The ISO 639 code that the source gives; "" if it gives none.
        is_default: Whether the source marks the track as the one to play.
    """

    stream_index: int
    channels: int
    sample_rate_hz: int
    codec: str = ""
    language: str = ""
    title: str = ""
    is_default: bool = False


@attrs.frozen(kw_only=True)
class CaptionTrackInfo:
    """
    Describe one text track of a source that can become captions.

    Attributes:
        codec: The transcoder backend's name of the text format.
        language: The ISO 639 code that the source gives; "" if it gives none.
        is_default: Whether the source marks the track as the one to show.
        is_forced: Whether the track translates only signs and foreign speech, for
            viewers who understand the rest.
    """

    stream_index: int
    codec: str
    language: str = ""
    title: str = ""
    is_default: bool = False
    is_forced: bool = False


@attrs.frozen(kw_only=True)
class SourceInfo:
    """
    Hold the facts about a source that probing found.

    Attributes:
        duration_s: The length of the video track.
        audio: The audio tracks, the default one first.
        captions: The text tracks, in the source's order.
        chapters: The chapters of the source, with times from the start of the video.
        longest_gap_s: The longest time in seconds between two consecutive frames.
        is_seekable: Whether a decoder can begin anywhere: times rise, and the container
            has an index. Otherwise each part is decoded from the beginning.
        notes: A text that the transcoder writes for its own workers that make the
            parts; nothing else reads it.
    """

    duration_s: float
    size_bytes: int
    container: str
    video: VideoTrackInfo
    audio: tuple[AudioTrackInfo, ...] = ()
    captions: tuple[CaptionTrackInfo, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    longest_gap_s: float = 0.0
    is_seekable: bool = False
    notes: str = ""

    @property
    def figures(self) -> SourceFigures:
        """The size of the file, and the size and frame rate of the video track."""
        return SourceFigures(
            width_px=self.video.width_px,
            height_px=self.video.height_px,
            frame_rate=rounded_rate(self.video.frame_rate),
            size_bytes=self.size_bytes,
        )
