"""
The values that the core and a transcoder backend exchange about a transcode job.

The values are stored as JSON between tasks, so they hold plain data only.
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
from hvcore.domain.processing.source_info import CaptionTrackInfo, SourceInfo


class TranscodeError(Exception):
    """
    Say that an attempt to transcode failed, and that another attempt may succeed.

    Args:
        reason: One plain sentence for the video's owner, shown if every attempt fails.
        log: The last output of the transcoding tool, for the operator's log only.
    """

    def __init__(self, reason: str, *, log: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log


@attrs.frozen(kw_only=True)
class Lack:
    """
    Describe an optional feature that this machine's transcoder does not have.

    Attributes:
        what: One sentence about the missing feature, without secrets: ``/health`` shows
            it to everybody.
        fix: What an operator has to do to get the feature.
        is_refused: Whether requests that ask for the feature are refused. Otherwise
            they are accepted, and only the videos show that it is missing.
    """

    what: str
    fix: str
    is_refused: bool = False


@attrs.frozen(kw_only=True)
class Capabilities:
    """
    Describe the features of a transcoder on this machine.

    Attributes:
        name: The name of the backend and its engine's version, such as ``ffmpeg
            5.1.9``.
        problems: What is missing or outdated and how to fix it, a sentence
            each, for ``hv doctor``; ``/health`` tells them if it is not usable.
        lacks: Optional features that are missing; nothing is wrong without them.
        usable: Whether anything can be transcoded at all.
        sandbox: The tool that confines the transcoder's programs, such as ``bwrap``; ""
            if unknown.
    """

    name: str
    pixel_formats: frozenset[PixelFormat]
    audio_codecs: frozenset[AudioCodec]
    speeds: frozenset[Speed]
    problems: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()
    usable: bool = True
    sandbox: str = ""


def missing_for(able: Capabilities, settings: EncodingSettings) -> list[str]:
    """Return the parameter values of a request that a transcoder cannot carry out."""
    missing = []
    if (
        settings.pixel_format is not PixelFormat.AUTO_DETECT
        and settings.pixel_format not in able.pixel_formats
    ):
        missing.append(f"pixelFormat {settings.pixel_format.value}")
    if settings.audio_codec not in able.audio_codecs:
        missing.append(f"audioCodec {settings.audio_codec.value}")
    if settings.speed not in able.speeds:
        missing.append(f"compressionRatio {settings.speed.value}")
    return missing


@attrs.frozen(kw_only=True)
class Rung:
    """
    Describe one step of the ladder: a video rendition to make.

    Attributes:
        key: The short edge and ``p``, such as ``720p``.
        width_px: The width, an even number; the aspect ratio is that of the source.
        height_px: The height, an even number.
        video_kbps: The target bitrate of the rate control, kbit/s.
        frame_rate: The constant frame rate, frames per second.
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
    Describe one audio rendition to make from one audio track of the source.

    Attributes:
        name: The name of the folder and the playlist: ``audio``, then ``audio-1``, …
        kbps: The bitrate of all channels together, kbit/s.
        channels: The number of channels: 1 or 2 after downmixing; more only for ac3 and
            eac3.
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
    """List the renditions that a job makes: video rungs, the smallest first, and audio."""

    rungs: tuple[Rung, ...]
    audio: tuple[AudioRendition, ...]


@attrs.frozen(kw_only=True)
class TranscodeOrder:
    """
    Describe a transcode job for a transcoder.

    Attributes:
        workers: The number of workers that could share the job when it was planned.
        still_interval_s: The seconds between storyboard stills, the first at 0; 0 means
            that no stills are wanted.
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
    Describe a piece of a transcode job that one worker carries out in one go.

    Attributes:
        index: The part's place in the plan, from 0.
        weight: The part's share of the job's work; the weights of a plan add up to 1.
        start_s: Where in the source the part begins, in seconds; a multiple of the
            segment length.
        end_s: Where in the source the part ends, exclusive; None is the source's end.
        has_pictures: Whether the part makes the video rungs, the stills and a poster.
        has_sound: Whether the part makes the audio renditions and the captions, always
            of the whole source: sound that is cut clicks at the joints.
    """

    index: int
    order: TranscodeOrder
    weight: float = 1.0
    start_s: float = 0.0
    end_s: float | None = None
    has_pictures: bool = True
    has_sound: bool = True


class VideoRange(Enum):
    """Name the dynamic ranges of a video rendition (RFC 8216bis, 4.4.6.2)."""

    SDR = "SDR"
    HLG = "HLG"
    PQ = "PQ"


@attrs.frozen(kw_only=True)
class MediaFile:
    """Describe a published file by the size and the hash measured when it was made."""

    size_bytes: int
    sha256: str


@attrs.frozen(kw_only=True)
class Segment:
    """
    Describe one media segment of a track.

    Attributes:
        number: The segment's number in the whole track, from 0.
        duration_s: The sum of the durations of the segment's samples.
        first_picture_bytes: The bytes from the file's beginning to the end of its first
            picture, which can be decoded alone; None where that is unknown, and for
            audio.
    """

    number: int
    duration_s: float
    file: MediaFile
    first_picture_bytes: int | None = None


@attrs.frozen(kw_only=True)
class Track:
    """
    Describe a finished rendition: one init segment, then media segments.

    The files are ``<name>/init.m4s`` and ``<name>/<number>.m4s`` in the folder of the
    part that made them.

    Attributes:
        name: The name of the track's folder: ``video/720p`` or ``audio``, ``audio-1``.
        codecs: The RFC 6381 codecs string, read from the bitstream.
        rung: The rung that the track implements; None for audio.
        audio: The audio rendition that the track implements; None for video.
        video_range: The dynamic range of the pictures, as the file says.
    """

    name: str
    codecs: str
    init: MediaFile
    segments: tuple[Segment, ...]
    rung: Rung | None = None
    audio: AudioRendition | None = None
    video_range: VideoRange = VideoRange.SDR


@attrs.frozen(kw_only=True)
class FrameSpan:
    """
    Describe the frames of a moving picture: evenly spaced, and all of one size.

    Attributes:
        start_s: The seconds from the beginning of the first segment to the first frame.
        count: The number of frames; fewer come where the video ends before.
        frames_per_s: The rate of the frames, at least 1.
        width_px: The width of each frame, an even number.
        height_px: The height of the frames, an even number.
    """

    start_s: float
    count: int
    frames_per_s: int
    width_px: int
    height_px: int


@attrs.frozen(kw_only=True)
class SoundSpan:
    """
    Describe a part of a sound.

    Attributes:
        start_s: The seconds from the beginning of the first segment to the start of the
            part.
        duration_s: The length of the part in seconds, at most 900; less comes where the
            sound ends before.
    """

    start_s: float
    duration_s: float


@attrs.frozen(kw_only=True)
class Still:
    """
    Describe a small picture of one moment of the video, for the storyboard.

    Attributes:
        at_s: The seconds from the beginning of the video, a multiple of the interval.
        name: The name of a JPEG file in the part's folder.
    """

    at_s: int
    name: str


@attrs.frozen(kw_only=True)
class CaptionFile:
    """
    Describe a text track of the source that was converted to a WebVTT file.

    Attributes:
        name: The name of the file in the part's folder.
        source: The text track from which the file was made.
    """

    name: str
    source: CaptionTrackInfo


def _is_relative(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if any(segment in {"", ".", ".."} for segment in value.split("/")):
        raise ValueError(f"{attribute.name}: not a relative path: {value!r}")


@attrs.frozen(kw_only=True)
class StoredObject:
    """
    Describe a file of a part that is in the object store already.

    Attributes:
        name: The file's name in the part's folder, such as ``video/720p/0.m4s``.
        made_as: The path, relative to the part's target, to which another service wrote
            the file.
    """

    name: str = attrs.field(validator=_is_relative)
    made_as: str = attrs.field(validator=_is_relative)


@attrs.frozen(kw_only=True)
class PartDone:
    """
    List the tracks and pictures that one part has made.

    Attributes:
        tracks: The tracks, each with the segments of this part only.
        poster: The file name of the poster picture; None if the part made none.
        poster_score: How well the poster shows the subject of the video; the best
            poster of all parts is published.
        stills: The storyboard stills whose moments are in this part.
        captions: The captions made from the source's text tracks.
        left_out: The names of audio renditions that cannot be made of this source; a
            warning says why, and the video is published without them.
        warnings: Sentences that the video's details show.
        stored: Files that are in the part's target in the store, instead of the
            workspace's folder. The store copies them.
    """

    tracks: tuple[Track, ...]
    poster: str | None = None
    poster_score: float = 0.0
    stills: tuple[Still, ...] = ()
    captions: tuple[CaptionFile, ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stored: tuple[StoredObject, ...] = ()


@attrs.frozen(kw_only=True)
class PartPending:
    """
    Say that another service, such as a cloud, is still working on a part.

    Attributes:
        handle: The text that ``run`` needs to ask the service about the part again.
        progress: The finished share of the part, 0.0 to 1.0.
        retry_after_s: The seconds until the service should be asked again; None waits
            for a tenth of the time that the part has been pending. There are limits:
            see poll_pause_s.
        deadline_s: How many seconds after it was submitted the part may be pending. A
            part that is still pending then is cancelled and submitted anew.
    """

    handle: str
    progress: float = 0.0
    retry_after_s: float | None = None
    deadline_s: float = 24 * 3600.0
