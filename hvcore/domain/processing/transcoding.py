"""
The values that the core and a transcoder exchange about a job.

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
from hvcore.domain.processing.source_info import CaptionTrackInfo, SourceInfo


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
    A feature that other machines have, and this one lacks.

    Attributes:
        what: One sentence without secrets: ``/health`` shows it to everybody.
        fix: What an operator does about it.
        is_refused: Requests that ask for it are refused; otherwise videos show
            it, and only then.
    """

    what: str
    fix: str
    is_refused: bool = False


@attrs.frozen(kw_only=True)
class Capabilities:
    """
    The features of a transcoder on this machine.

    Attributes:
        name: The backend and its engine's version, such as ``ffmpeg 5.1.9``.
        problems: What is missing or outdated and how to fix it, a sentence
            each, for ``hv doctor``; ``/health`` tells them if it is not usable.
        lacks: Optional features that are missing; nothing is wrong without them.
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


def missing_for(able: Capabilities, settings: EncodingSettings) -> list[str]:
    """Return the values of a request that a transcoder cannot carry out."""
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
    One step of the ladder: a video rendition to make.

    Attributes:
        key: Short edge and ``p``, such as ``720p``.
        width_px: Even; the aspect ratio is that of the source.
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
    """The renditions that a job makes: rungs from the smallest to the largest, audio."""

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
    """The dynamic range of pictures (RFC 8216bis, 4.4.6.2)."""

    SDR = "SDR"
    HLG = "HLG"
    PQ = "PQ"


@attrs.frozen(kw_only=True)
class MediaFile:
    """A published file, as it was measured when it was made."""

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


def _is_relative(_: object, attribute: "attrs.Attribute[str]", value: str) -> None:
    if any(segment in {"", ".", ".."} for segment in value.split("/")):
        raise ValueError(f"{attribute.name}: not a relative path: {value!r}")


@attrs.frozen(kw_only=True)
class StoredObject:
    """
    A file of a part that lies in the store already.

    Attributes:
        name: Of the file in the part's folder, such as ``video/720p/0.m4s``.
        made_as: Where a service elsewhere put it, relative to the part's target.
    """

    name: str = attrs.field(validator=_is_relative)
    made_as: str = attrs.field(validator=_is_relative)


@attrs.frozen(kw_only=True)
class PartDone:
    """
    The tracks and pictures that one part has made.

    Attributes:
        tracks: The tracks it wrote, each with the segments of this part only.
        poster: Name of the poster picture it wrote, if it did.
        poster_score: How well the poster shows what the video is about; the
            best of all parts is published.
        stills: For the storyboard, those that begin in this part.
        captions: What the source brought along.
        left_out: Names of audio renditions that nobody can make of this source; a
            warning tells why, and the video is published without.
        warnings: Sentences for the video's details.
        stored: Files that are not in the workspace's folder, because they lie in
            the part's target. The store copies them.
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
    A part on which another is working, such as a cloud service.

    Attributes:
        handle: What ``run`` needs to ask for it again.
        progress: Finished share of the part, 0.0 to 1.0.
        retry_after_s: When to ask; None waits for a tenth of the time that the part
            has been pending. There are limits: see poll_pause_s.
        deadline_s: How long the part may be pending since it was submitted. A part
            that is still pending then is cancelled and submitted anew.
    """

    handle: str
    progress: float = 0.0
    retry_after_s: float | None = None
    deadline_s: float = 24 * 3600.0
