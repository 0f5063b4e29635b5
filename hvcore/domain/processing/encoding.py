"""
The encoding settings that a caller may choose.

Source: the interface document, "process", request table. The members' values are the
documented strings; ``None`` for a cap stands for the documented ``-1`` (auto).
"""

from enum import Enum
from typing import Final

import attrs

AUTO: Final = -1
"""How ``maxEdgeLength`` and ``maxFrameRate`` say "as the source has it"."""

EDGE_LENGTHS: Final = (480, 720, 1080, 1440, 2160)


class Preset(Enum):
    """
    Name the quality presets, which decide the ladder of renditions.

    A new preset needs its two lines below and a row in docs/reference/http/videos.md; all
    choices, schemas and reports follow. The order is from small to large.
    """

    STANDARD = "standard"
    HIGH = "high"
    ULTRA = "ultra"


RUNGS_KBPS: Final = {
    Preset.STANDARD: ((360, 500), (480, 1000), (720, 2500)),
    Preset.HIGH: ((480, 1000), (720, 2500), (1080, 5000)),
    Preset.ULTRA: ((720, 2000), (1080, 5000), (1440, 9000), (2160, 15000)),
}
"""Short edge in pixels and video bitrate in kbit/s."""

AUDIO_KBPS: Final = {Preset.STANDARD: 96, Preset.HIGH: 128, Preset.ULTRA: 192}
"""Of a stereo rendition; mono takes half, 5.1 in ac3 and eac3 twice."""


class PixelFormat(Enum):
    """Name the pixel formats: chroma sampling and bit depth of the renditions."""

    YUV420P = "yuv420p"
    YUV422P = "yuv422p"
    YUV444P = "yuv444p"
    YUV420P10B = "yuv420p10b"
    YUV422P10B = "yuv422p10b"
    YUV444P10B = "yuv444p10b"
    YUV420P12B = "yuv420p12b"
    YUV422P12B = "yuv422p12b"
    YUV444P12B = "yuv444p12b"
    AUTO_DETECT = "autoDetect"

    @property
    def bit_depth(self) -> int:
        """The bits of each sample; 8 for ``autoDetect``, which is resolved later."""
        for suffix, depth in (("10b", 10), ("12b", 12)):
            if self.value.endswith(suffix):
                return depth
        return 8


class RateControl(Enum):
    """Name the modes of rate control: constant or variable bitrate."""

    CONSTANT = "constantBitrate"
    VARIABLE = "variableBitrate"


class Speed(Enum):
    """Name the speeds of the encoder, the documented ``compressionRatio``."""

    ULTRAFAST = "ultrafast"
    SUPERFAST = "superfast"
    VERYFAST = "veryfast"
    FASTER = "faster"
    FAST = "fast"
    MEDIUM = "medium"
    SLOWER = "slower"
    VERYSLOW = "veryslow"
    ULTRASLOW = "ultraslow"


class AudioCodec(Enum):
    """Name the codecs of audio renditions."""

    AAC = "aac"
    AAC_HE = "aac-he"
    AAC_HE_V2 = "aac-he-v2"
    MP3 = "mp3"
    AC3 = "ac3"
    EAC3 = "eac3"


@attrs.frozen(kw_only=True)
class EncodingSettings:
    """
    Hold the encoding parameters of a process request.

    Attributes:
        max_edge_px: The maximum short edge of renditions, one of EDGE_LENGTHS; None is
            auto.
        max_frame_rate: The maximum frame rate in frames per second, 1 to 240; None is
            auto.
        caption_languages: The languages in which captions are made by machine once the
            video is ready, ``auto`` among them; None takes the deployment's default.
    """

    preset: Preset
    max_edge_px: int | None = None
    max_frame_rate: int | None = None
    pixel_format: PixelFormat = PixelFormat.YUV420P
    rate_control: RateControl = RateControl.VARIABLE
    two_pass: bool = False
    speed: Speed = Speed.VERYFAST
    audio_codec: AudioCodec = AudioCodec.AAC
    caption_languages: tuple[str, ...] | None = None
