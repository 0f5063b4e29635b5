"""Describe the streams of a source in more detail than the core needs."""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from hvcore.plugin_api import (
    AudioTrackInfo,
    CaptionTrackInfo,
    Chapter,
    PixelFormat,
)
from hvcore_transcoder_ffmpeg.probe.geometry import Geometry


@attrs.frozen(kw_only=True)
class Colour:
    """
    Hold the rules that turn a picture's numbers into colours, by ffmpeg's names.

    Attributes:
        matrix: The colour matrix; ``""`` if the source does not tell it.
        transfer: The transfer function; ``""`` if the source does not tell it.
        primaries: The colour primaries; ``""`` if the source does not tell them.
        is_usual: Whether the numbers are Y'CbCr in the limited range, as in nearly all
            videos.
    """

    matrix: str = ""
    transfer: str = ""
    primaries: str = ""
    is_usual: bool = False

    @property
    def is_hdr(self) -> bool:
        """True if the transfer function is PQ or HLG."""
        return self.transfer in ("smpte2084", "arib-std-b67")


@attrs.frozen(kw_only=True)
class VideoStream:
    """
    Describe the video stream of a source, by its container and headers.

    Attributes:
        geometry: The crop, pixel shape and rotation between decoded and shown pictures.
        nominal_rate: The smallest frame rate that has a place for every picture; 0 if it
            is unknown.
        average_rate: The number of pictures by the duration, as the headers tell both; 0
            if it is unknown.
        may_have_fields: Whether any of the pictures may consist of two fields.
        reordered_fields: The most packets of a picture (one, or one for each field), if
            packets may come in another order than they are shown; else 0.
        declared_s: The duration in the headers; 0 if it is unknown.
    """

    index: int
    codec: str
    geometry: Geometry
    pixel_format: PixelFormat
    colour: Colour
    nominal_rate: Fraction
    average_rate: Fraction
    is_interlaced: bool
    may_have_fields: bool
    reordered_fields: int
    declared_s: float


@attrs.frozen(kw_only=True)
class Streams:
    """
    Hold the streams of a source from which renditions and captions are made.

    Attributes:
        container: ffmpeg's name of the demuxer.
        start_s: The time of the source with which these streams begin; it becomes 0.
        audio: The audio tracks, the default track first.
        own_mixes: The filters that mix an audio track's channels, by the track's index,
            for tracks that ffmpeg cannot mix.
        captions: The text tracks, in the file's order.
        chapters: The chapters, with times from the start of the video.
        has_other_subtitles: Whether the source has subtitles that are pictures, or of a
            format that cannot be read.
        lacks_tracks: Whether the file has further tracks that cannot be opened; one of
            them may begin earlier than these streams.
        warnings: Sentences for the video's details about tracks that are left out.
        steps_s: By the index of a track, how many seconds its times are put forward at
            each join of two recordings in the file (see ``joins``).
    """

    container: str
    start_s: float
    video: VideoStream
    audio: tuple[AudioTrackInfo, ...]
    own_mixes: dict[int, str] = attrs.field(factory=dict)
    captions: tuple[CaptionTrackInfo, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    has_other_subtitles: bool = False
    lacks_tracks: bool = False
    warnings: tuple[str, ...] = ()
    steps_s: dict[int, tuple[float, ...]] = attrs.field(factory=dict)

    def of_copy(self, indexes: Sequence[int]) -> "Streams":
        """
        Return the same streams with their indexes in the source, of which this is a copy.

        Args:
            indexes: The index in the source for each index in the copy.
        """
        return attrs.evolve(
            self,
            lacks_tracks=True,
            video=attrs.evolve(self.video, index=indexes[self.video.index]),
            audio=tuple(
                attrs.evolve(track, stream_index=indexes[track.stream_index])
                for track in self.audio
            ),
            own_mixes={indexes[index]: mix for index, mix in self.own_mixes.items()},
            captions=tuple(
                attrs.evolve(track, stream_index=indexes[track.stream_index])
                for track in self.captions
            ),
        )
