"""
What goes into a transcode job and what comes out of it.

These are the values that the core and a transcoder backend exchange. They are
stored as JSON between tasks, so they hold plain data only.
"""

from enum import Enum
from fractions import Fraction

import attrs

from hvcore.domain.processing.encoding import (
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    RateControl,
    Speed,
)


class UnusableSourceError(Exception):
    """
    The source cannot be made into a video, now or later.

    Its text is the ``failureReason`` that the video's owner reads: one plain
    sentence, no file names, no tool names. Never retried.
    """


class TranscodeError(Exception):
    """
    An attempt failed for a reason that another attempt may not have.

    Args:
        reason: One plain sentence for the video's owner, used if every
            attempt fails.
        log: The tool's last words, for the operator's log only.
    """

    def __init__(self, reason: str, *, log: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log


@attrs.frozen(kw_only=True)
class Lack:
    """
    Something that other machines can do, and this one cannot.

    Attributes:
        what: One sentence without secrets: ``/health`` shows it to everybody.
        mend: What an operator does about it.
        is_refused: Requests that ask for it are refused; otherwise videos show
            it, and only then.
    """

    what: str
    mend: str
    is_refused: bool = False


@attrs.frozen(kw_only=True)
class Capabilities:
    """
    What a transcoder can carry out on this machine.

    Attributes:
        name: The backend and its engine's version, such as ``ffmpeg 5.1.9``.
        problems: What is missing or outdated and how to mend it, a sentence
            each, for ``hv doctor``; ``/health`` tells them if it is not usable.
        lacks: What would be nice to have; nothing is wrong without it.
        usable: False if nothing can be transcoded at all.
        sandbox: How its programs are confined, such as ``bwrap``; empty if unknown.
    """

    name: str
    pixel_formats: frozenset[PixelFormat]
    audio_codecs: frozenset[AudioCodec]
    speeds: frozenset[Speed]
    problems: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()
    usable: bool = True
    sandbox: str = ""


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
    What probing found out about a source.

    Attributes:
        duration_s: Length of the video track.
        audio: The audio tracks, the default one first.
        captions: The text tracks, in the source's order.
        longest_gap_s: Between two pictures that follow each other.
        is_seekable: A decoder can begin anywhere: times rise, and the container
            has an index. Otherwise each part is decoded from the beginning.
        notes: What the transcoder wants to know again when it makes the parts;
            nobody else reads it.
    """

    duration_s: float
    size_bytes: int
    container: str
    video: VideoTrackInfo
    audio: tuple[AudioTrackInfo, ...] = ()
    captions: tuple[CaptionTrackInfo, ...] = ()
    longest_gap_s: float = 0.0
    is_seekable: bool = False
    notes: str = ""


@attrs.frozen(kw_only=True)
class Rung:
    """
    One step of the ladder: a video rendition to make.

    Attributes:
        key: Short edge and ``p``, such as ``720p``.
        width_px: Even; the shape of the source is kept.
        height_px: Even.
        video_kbps: Target of the rate control, kbit/s.
        frame_rate: Constant frames per second of the rendition.
    """

    key: str
    short_edge_px: int
    width_px: int
    height_px: int
    video_kbps: int
    frame_rate: Fraction
    pixel_format: PixelFormat
    rate_control: RateControl
    two_pass: bool
    speed: Speed


@attrs.frozen(kw_only=True)
class AudioRendition:
    """
    One audio rendition to make from one track of the source.

    Attributes:
        name: Folder and playlist name: ``audio``, then ``audio-1``, …
        kbps: Bitrate of the whole rendition.
        channels: 1 or 2 where it is downmixed; more only for ac3 and eac3.
    """

    name: str
    stream_index: int
    codec: AudioCodec
    kbps: int
    channels: int
    language: str = ""
    title: str = ""
    is_default: bool = False


@attrs.frozen(kw_only=True)
class Ladder:
    """
    Everything that a job makes: rungs from the smallest to the largest.
    """

    rungs: tuple[Rung, ...]
    audio: tuple[AudioRendition, ...]


@attrs.frozen(kw_only=True)
class TranscodeOrder:
    """
    A job for a transcoder.

    Attributes:
        workers: How many workers could share it when it was planned.
        still_interval_s: A still is wanted at each multiple of it, from 0 on;
            0 wants none.
    """

    source: SourceInfo
    settings: EncodingSettings
    ladder: Ladder
    segment_s: int
    workers: int = 1
    still_interval_s: int = 0


@attrs.frozen(kw_only=True)
class Part:
    """
    A piece of a job that one worker does in one go.

    Attributes:
        index: From 0, its place in the plan.
        weight: Its share of the job's work; the weights of a plan add up to 1.
        start_s: Where in the source it begins, a multiple of the segment.
        end_s: Where it ends, exclusive; None is the source's end.
        has_pictures: It makes the rungs, the stills and a poster.
        has_sound: It makes the audio renditions and the captions, always of
            the whole source: sound that is cut clicks at the joints.
    """

    index: int
    order: TranscodeOrder
    weight: float = 1.0
    start_s: float = 0.0
    end_s: float | None = None
    has_pictures: bool = True
    has_sound: bool = True


class VideoRange(Enum):
    """
    How much light the numbers of pictures stand for (RFC 8216bis, 4.4.6.2).
    """

    SDR = "SDR"
    HLG = "HLG"
    PQ = "PQ"


@attrs.frozen(kw_only=True)
class MediaFile:
    """
    A published file, as it was measured when it was made.
    """

    size_bytes: int
    sha256: str


@attrs.frozen(kw_only=True)
class Segment:
    """
    One media segment.

    Attributes:
        number: From 0, counted over the whole track.
        duration_s: Sum of its samples' durations.
        first_picture_bytes: From the file's beginning to the end of its first
            picture, which can be decoded alone; None where that is unknown,
            and for audio.
    """

    number: int
    duration_s: float
    file: MediaFile
    first_picture_bytes: int | None = None


@attrs.frozen(kw_only=True)
class Track:
    """
    A rendition as it was made: one init segment, then media segments.

    Its files are ``<name>/init.m4s`` and ``<name>/<number>.m4s`` in the
    folder that made them.

    Attributes:
        name: ``video/720p`` or ``audio``, ``audio-1``.
        codecs: RFC 6381 string read from the bitstream.
        rung: The rung it carries out; None for audio.
        audio: The audio rendition it carries out; None for video.
        video_range: Of the pictures, as the file says.
    """

    name: str
    codecs: str
    init: MediaFile
    segments: tuple[Segment, ...]
    rung: Rung | None = None
    audio: AudioRendition | None = None
    video_range: VideoRange = VideoRange.SDR


@attrs.frozen(kw_only=True)
class Still:
    """
    A small picture of one moment, for the storyboard.

    Attributes:
        at_s: From the beginning of the video, a multiple of the interval.
        name: Of a JPEG file in the part's folder.
    """

    at_s: int
    name: str


@attrs.frozen(kw_only=True)
class CaptionFile:
    """
    A text track of the source, written as WebVTT.

    Attributes:
        name: Of the file in the part's folder.
        source: The track that it was made of.
    """

    name: str
    source: CaptionTrackInfo


@attrs.frozen(kw_only=True)
class PartDone:
    """
    What one part has made.

    Attributes:
        tracks: The tracks it wrote, each with the segments of this part only.
        poster: Name of the poster picture it wrote, if it did.
        poster_score: How well the poster shows what the video is about; the
            best of all parts is published.
        stills: For the storyboard, those that begin in this part.
        captions: What the source brought along.
        warnings: Sentences for the video's details.
    """

    tracks: tuple[Track, ...]
    poster: str | None = None
    poster_score: float = 0.0
    stills: tuple[Still, ...] = ()
    captions: tuple[CaptionFile, ...] = ()
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class PartPending:
    """
    A part that somebody else is working on, such as a cloud service.

    Attributes:
        handle: What ``run`` needs to ask for it again.
        retry_after_s: When to ask.
    """

    handle: str
    retry_after_s: float


@attrs.frozen(kw_only=True)
class TrackPiece:
    """
    A run of a track's segments that lie in one folder.
    """

    folder: str
    first_number: int
    count: int


@attrs.frozen(kw_only=True)
class PublishedTrack:
    """
    A track and where its files lie under the media root.
    """

    track: Track
    pieces: tuple[TrackPiece, ...]


@attrs.frozen(kw_only=True)
class Sprite:
    """
    A sheet of stills, filled row by row.

    Attributes:
        path: Under the media root.
        count: How many stills it holds.
    """

    path: str
    count: int
    file: MediaFile


@attrs.frozen(kw_only=True)
class Storyboard:
    """
    Small pictures of the whole video, for previews while seeking.

    Attributes:
        interval_s: From one still to the next; the first is at 0.
        tile_width_px: Of each still.
        tile_height_px: Of each still.
        columns: Of each sheet.
    """

    interval_s: int
    tile_width_px: int
    tile_height_px: int
    columns: int
    sprites: tuple[Sprite, ...]


@attrs.frozen(kw_only=True)
class MediaIndex:
    """
    Everything that is published of one video.

    Attributes:
        tracks: Video rungs from the smallest to the largest, then audio, the
            default rendition first.
        poster: Path of the poster under the media root, if there is one.
        storyboard: None where the transcoder made no stills.
    """

    tracks: tuple[PublishedTrack, ...]
    duration_s: float
    poster: str | None = None
    storyboard: Storyboard | None = None
    warnings: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """
        What its media files have in all: init and media segments, storyboard sheets.
        """
        tracks = [published.track for published in self.tracks]
        files = [track.init for track in tracks]
        files += [segment.file for track in tracks for segment in track.segments]
        if self.storyboard is not None:
            files += [sheet.file for sheet in self.storyboard.sprites]
        return sum(file.size_bytes for file in files)
