"""The codecs, sizes and formats that MediaConvert supports."""

from typing import Final

from hvcore.plugin_api import (
    AudioCodec,
    Capabilities,
    Lack,
    PixelFormat,
    Speed,
    TranscodeOrder,
    UnusableSourceError,
)

PROFILES: Final = {
    PixelFormat.YUV420P: "HIGH",
    PixelFormat.YUV422P: "HIGH_422",
    PixelFormat.YUV420P10B: "HIGH_10BIT",
    PixelFormat.YUV422P10B: "HIGH_422_10BIT",
}
"""MediaConvert's H.264 profiles by pixel format; it has none for 4:4:4 and 12 bits."""

AUDIO_CODECS: Final = frozenset(
    {
        AudioCodec.AAC,
        AudioCodec.AAC_HE,
        AudioCodec.AAC_HE_V2,
        AudioCodec.AC3,
        AudioCodec.EAC3,
    }
)
"""The audio codecs that MediaConvert puts into CMAF; MP3 is not among them."""

SMALLEST_PX: Final = 32
LARGEST_PX: Final = 8192

_LACKS: Final = (
    Lack(
        what="4:4:4 and 12-bit pixel formats cannot be encoded",
        fix="choose the transcoder ffmpeg for them; MediaConvert has no such profiles",
        is_refused=True,
    ),
    Lack(
        what="mp3 sound cannot be encoded",
        fix="choose the transcoder ffmpeg for it; MediaConvert puts no mp3 into CMAF",
        is_refused=True,
    ),
)


def capabilities() -> Capabilities:
    """Return the codecs and formats that MediaConvert supports; all others are refused."""
    return Capabilities(
        name="mediaconvert",
        pixel_formats=frozenset(PROFILES),
        audio_codecs=AUDIO_CODECS,
        # It has three levels of quality, and each speed has one of them.
        speeds=frozenset(Speed),
        lacks=_LACKS,
    )


def check_order(order: TranscodeOrder) -> None:
    """
    Refuse a job with a rung that is too small or too large for MediaConvert.

    Raises:
        UnusableSourceError: A side of a rung has under 32 or over 8192 pixels.
    """
    for rung in order.ladder.rungs:
        for size_px in (rung.width_px, rung.height_px):
            if not SMALLEST_PX <= size_px <= LARGEST_PX:
                raise UnusableSourceError(
                    f"The video's pictures have {rung.width_px}x{rung.height_px} "
                    f"pixels; each side must have {SMALLEST_PX} to {LARGEST_PX}."
                )
