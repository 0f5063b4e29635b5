"""
Orders of all kinds that the transcoder takes.
"""

from fractions import Fraction
from typing import Any, Final

from hvcore.plugin_api import (
    AudioTrackInfo,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    SourceInfo,
    Speed,
    TranscodeOrder,
    VideoTrackInfo,
    build_ladder,
)
from hvcore_transcoder_google.abilities import capabilities


def source(
    *channels: int,
    duration_s: float = 60,
    **of_video: Any,  # noqa: ANN401 - fields of a record
) -> SourceInfo:
    """
    Make a source; an audio track with each number of channels, behind the video.
    """
    video = VideoTrackInfo(
        **{
            "stream_index": 0,
            "width_px": 1920,
            "height_px": 1080,
            "frame_rate": Fraction(30000, 1001),
            "pixel_format": PixelFormat.YUV420P,
            **of_video,
        }
    )
    tracks = tuple(
        AudioTrackInfo(stream_index=index, channels=count, sample_rate_hz=48_000)
        for index, count in enumerate(channels, 1)
    )
    return SourceInfo(
        duration_s=duration_s, size_bytes=1, container="mp4", video=video, audio=tracks
    )


def order_of(
    info: SourceInfo | None = None,
    preset: Preset = Preset.STANDARD,
    **asked: Any,  # noqa: ANN401 - fields of a record
) -> TranscodeOrder:
    """
    Make an order.
    """
    info = info or source(2)
    settings = EncodingSettings(preset=preset, **asked)
    return TranscodeOrder(
        source=info,
        settings=settings,
        ladder=build_ladder(info, settings),
        segment_s=6,
    )


ORDERS: Final = {
    "usual": order_of(),
    "large": order_of(source(2, width_px=3840, height_px=2160), Preset.ULTRA),
    "upright": order_of(source(2, width_px=1080, height_px=1920)),
    "silent": order_of(source()),
    "constant": order_of(rate_control=RateControl.CONSTANT),
    "two passes": order_of(two_pass=True),
    "hdr and interlaced": order_of(source(2, is_hdr=True, is_interlaced=True)),
    "small": order_of(source(2, width_px=64, height_px=36)),
    "slow": order_of(source(2, frame_rate=Fraction(25, 3))),
    "quick": order_of(source(2, frame_rate=Fraction(60000, 1001))),
    "odd": order_of(source(2, frame_rate=Fraction(100_000, 5801))),
    "many tracks": order_of(source(2, 1, 6, 8)),
    **{
        codec.value: order_of(source(6, 2), audio_codec=codec)
        for codec in sorted(capabilities().audio_codecs, key=lambda one: one.value)
    },
    **{speed.value: order_of(speed=speed) for speed in Speed},
}
