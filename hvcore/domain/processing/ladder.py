"""
Ladders: the choice of video rungs and audio renditions for a source.

Source: the interface document, "process", quality presets: the ladder never goes above the
source, and a rung's number is its short edge.
"""

from fractions import Fraction
from typing import Final

from hvcore.domain.processing.encoding import (
    AUDIO_KBPS,
    RUNGS_KBPS,
    AudioCodec,
    EncodingSettings,
    PixelFormat,
)
from hvcore.domain.processing.source_info import (
    AudioTrackInfo,
    SourceInfo,
    VideoTrackInfo,
)
from hvcore.domain.processing.transcoding import AudioRendition, Ladder, Rung

HE_AUDIO_KBPS: Final = {AudioCodec.AAC_HE: 64, AudioCodec.AAC_HE_V2: 32}

AUTO_FRAME_RATE_CAP: Final = 60
"""What players and displays of today show; above it bits are wasted."""

_SURROUND_CODECS = frozenset({AudioCodec.AC3, AudioCodec.EAC3})
NOT_IN_BROWSERS: Final = frozenset({AudioCodec.MP3, AudioCodec.AC3, AudioCodec.EAC3})
"""An AAC rendition of the same sound stands beside one of these."""

_STEREO = 2
_SURROUND = 6
_NEAR = Fraction(1, 100)


def build_ladder(source: SourceInfo, settings: EncodingSettings) -> Ladder:
    """Return the video rungs and audio renditions to make of a source."""
    return Ladder(
        rungs=_rungs(source, settings),
        audio=_audio(source.audio, settings),
    )


def rendition_frame_rate(source: Fraction, cap: int | None) -> Fraction:
    """
    Return the constant frame rate of the video renditions.

    The maximum that the caller chose never raises the rate. If keeping every n-th frame
    comes within 1 % of the maximum, that rate is taken, so that motion stays even
    (59.94 with a maximum of 30 gives 29.97).

    Args:
        source: The frame rate of the source, in frames per second.
        cap: The maximum that the caller chose, in frames per second; None if there is
            none.
    """
    limit = Fraction(cap or AUTO_FRAME_RATE_CAP)
    if source <= limit:
        return source
    divided = source / round(source / limit)
    return divided if abs(divided - limit) <= limit * _NEAR else limit


def _rungs(source: SourceInfo, settings: EncodingSettings) -> tuple[Rung, ...]:
    video = source.video
    source_short = min(video.width_px, video.height_px)
    cap = min(source_short, settings.max_edge_px or source_short)
    steps = [step for step in RUNGS_KBPS[settings.preset] if step[0] <= cap]
    if not steps:
        lowest_kbps = RUNGS_KBPS[settings.preset][0][1]
        steps = [(max(2, cap // 2 * 2), lowest_kbps)]
    frame_rate = rendition_frame_rate(video.frame_rate, settings.max_frame_rate)
    wanted = settings.pixel_format
    pixel_format = video.pixel_format if wanted is PixelFormat.AUTO_DETECT else wanted
    return tuple(
        Rung(
            key=f"{short}p",
            short_edge_px=short,
            width_px=width,
            height_px=height,
            video_kbps=kbps,
            frame_rate=frame_rate,
            pixel_format=pixel_format,
            rate_control=settings.rate_control,
            two_pass=settings.two_pass,
            speed=settings.speed,
        )
        for short, kbps in steps
        for width, height in [_size(video, short)]
    )


def _size(video: VideoTrackInfo, short: int) -> tuple[int, int]:
    edges = sorted((video.width_px, video.height_px))
    long = max(2, round(short * Fraction(edges[1], edges[0]) / 2) * 2)
    is_portrait = video.height_px > video.width_px
    return (short, long) if is_portrait else (long, short)


def _audio(
    tracks: tuple[AudioTrackInfo, ...], settings: EncodingSettings
) -> tuple[AudioRendition, ...]:
    codecs = [settings.audio_codec]
    if settings.audio_codec in NOT_IN_BROWSERS:
        codecs.append(AudioCodec.AAC)
    made = [(track, codec) for track in tracks for codec in codecs]
    return tuple(
        _rendition(number, track, codec, settings)
        for number, (track, codec) in enumerate(made)
    )


def _rendition(
    number: int, track: AudioTrackInfo, codec: AudioCodec, settings: EncodingSettings
) -> AudioRendition:
    channels = min(track.channels, _STEREO)
    kbps = HE_AUDIO_KBPS.get(codec) or AUDIO_KBPS[settings.preset] * channels // _STEREO
    if codec in _SURROUND_CODECS and track.channels >= _SURROUND:
        channels = _SURROUND
        kbps = AUDIO_KBPS[settings.preset] * 2
    return AudioRendition(
        name="audio" if number == 0 else f"audio-{number}",
        stream_index=track.stream_index,
        codec=codec,
        kbps=kbps,
        channels=channels,
        language=track.language,
        title=track.title,
        is_default=number == 0,
    )
