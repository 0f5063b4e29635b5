"""Facts about a source beyond those that the core needs."""

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
    The rules that turn a picture's numbers into colours, by ffmpeg's names.

    Attributes:
        matrix: ``""`` where the source does not say.
        transfer: Likewise.
        primaries: Likewise.
        is_usual: The numbers are of Y'CbCr in the limited range, as in nearly
            all videos.
    """

    matrix: str = ""
    transfer: str = ""
    primaries: str = ""
    is_usual: bool = False

    @property
    def is_hdr(self) -> bool:
        """True for PQ and HLG."""
        return self.transfer in ("smpte2084", "arib-std-b67")


@attrs.frozen(kw_only=True)
class VideoStream:
    """
    The video stream as the container and its headers describe it.

    Attributes:
        geometry: The way from the decoded picture to the one that is shown.
        nominal_rate: The smallest rate that has a place for every picture;
            0 where unknown.
        average_rate: Pictures by duration, by the headers; 0 where unknown.
        may_have_fields: Any of its pictures may be two fields.
        reordered_fields: How many packets a picture may have that come in another
            order than they are shown; 0 for codecs without such pictures.
        declared_s: Duration by the headers; 0 where unknown.
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
    The streams of a source that are of use.

    Attributes:
        container: ffmpeg's name of the demuxer.
        start_s: The time with which these begin, which becomes 0.
        audio: The default track first.
        own_mixes: By the index of a track, the filters that mix it, where ffmpeg
            knows no rule.
        captions: The text tracks, in the file's order.
        chapters: From the start of the video.
        has_other_subtitles: It has subtitles that are pictures, or of a format
            that cannot be read.
        lacks_tracks: The file has others, which cannot be opened and of which one may
            begin earlier.
        warnings: For the video's details: what is left out of it.
        steps_s: By the index of a track, how much later each further recording in the
            file is shown than the one before it; see joins.
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
        Return the streams of a source of which these were copied.

        Args:
            indexes: For each index in the copy, the one in the source.
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
