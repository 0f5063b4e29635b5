"""The facts about a source that probing finds."""

from fractions import Fraction

import attrs

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.encoding import (
    PixelFormat,
)


class UnusableSourceError(Exception):
    """
    The source cannot be made into a video, now or later.

    Its text is the ``failureReason`` that the video's owner reads: one plain
    sentence, no file names, no tool names. Never retried.
    """


@attrs.frozen(kw_only=True)
class VideoTrackInfo:
    """
    The video track of a source, as a viewer would see it.

    Attributes:
        width_px: Display width: rotation and pixel shape are applied.
        height_px: Display height, likewise.
        frame_rate: Average frames per second.
        pixel_format: What ``autoDetect`` resolves to.
        is_hdr: PQ or HLG transfer.
        is_interlaced: Fields instead of frames.
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
    One audio track of a source.

    Attributes:
        language: ISO 639 code as the source gives it, ``""`` if it is silent.
        is_default: The source marks it as the one to play.
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
    One text track of a source that can become captions.

    Attributes:
        codec: The backend's name of the format.
        language: ISO 639 code as the source gives it, ``""`` if it is silent.
        is_default: The source marks it as the one to show.
        is_forced: It translates only what a viewer of the sound would miss.
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
    The facts about a source that probing found.

    Attributes:
        duration_s: Length of the video track.
        audio: The audio tracks, the default one first.
        captions: The text tracks, in the source's order.
        chapters: As the source has them, from the start of the video.
        longest_gap_s: Between two pictures that follow each other.
        is_seekable: A decoder can begin anywhere: times rise, and the container
            has an index. Otherwise each part is decoded from the beginning.
        notes: Text of the transcoder for its workers that make the parts; nothing
            else reads it.
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
