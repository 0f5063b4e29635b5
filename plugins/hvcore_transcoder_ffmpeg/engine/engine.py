"""Describe the capabilities of an ffmpeg and its ffprobe, as facts for a cache on disk."""

from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import AudioCodec, PixelFormat, Speed

PIXEL_FORMATS: Final = {
    PixelFormat.YUV420P: "yuv420p",
    PixelFormat.YUV422P: "yuv422p",
    PixelFormat.YUV444P: "yuv444p",
    PixelFormat.YUV420P10B: "yuv420p10le",
    PixelFormat.YUV422P10B: "yuv422p10le",
    PixelFormat.YUV444P10B: "yuv444p10le",
    PixelFormat.YUV420P12B: "yuv420p12le",
    PixelFormat.YUV422P12B: "yuv422p12le",
    PixelFormat.YUV444P12B: "yuv444p12le",
}
"""ffmpeg's names of the pixel formats that the API documents."""

SPEEDS: Final = {
    **{speed: speed.value for speed in Speed},
    # No encoder knows the documented name; placebo is x264's slowest preset.
    Speed.ULTRASLOW: "placebo",
}

FFMPEG: Final = "ffmpeg"
FFPROBE: Final = "ffprobe"
WITHOUT_ENHANCEMENTS: Final = ("-export_side_data", "enhancements")

AUDIO_ENCODERS: Final = {
    AudioCodec.AAC: ("aac", "aac_low"),
    # The native encoder takes these profiles, exits 0 and writes audio that
    # cannot be decoded; only libfdk_aac makes them.
    AudioCodec.AAC_HE: ("libfdk_aac", "aac_he"),
    AudioCodec.AAC_HE_V2: ("libfdk_aac", "aac_he_v2"),
    AudioCodec.MP3: ("libmp3lame", ""),
    AudioCodec.AC3: ("ac3", ""),
    AudioCodec.EAC3: ("eac3", ""),
}
"""The ffmpeg encoder and the profile for each audio codec."""

_12_BITS: Final = 12


def video_encoder(pixel_format: PixelFormat) -> str:
    """
    Return the name of the ffmpeg encoder for a pixel format.

    12 bits need libx265: libx264 silently makes 10 bits of them.
    """
    return "libx265" if pixel_format.bit_depth == _12_BITS else "libx264"


@attrs.frozen(kw_only=True)
class FfmpegEngine:
    """
    Describe an ffmpeg and its ffprobe, with the features that worked in a trial.

    Attributes:
        origin: Where the programs were found, for operators.
        version: The version as ffmpeg prints it, such as ``5.1.9-0+deb12u1``.
        pixel_formats: The pixel formats that could be encoded.
        priming_samples: The number of samples that the encoder of each audio codec puts
            in front, at 48 kHz; only codecs that worked are there.
        filters: The optional filters that ffmpeg has.
        decoders: The optional decoders that ffmpeg has.
        with_lcevc: FFMPEG, FFPROBE, or both, if their builds decode LCEVC enhancements.
        can_crop: Whether ffmpeg crops pictures as the container says, unless it is told
            not to.
        missing: The features without which ordinary videos cannot be made.
    """

    ffmpeg: Path
    ffprobe: Path
    origin: str
    version: str = ""
    pixel_formats: frozenset[PixelFormat] = frozenset()
    priming_samples: dict[AudioCodec, int] = attrs.field(factory=dict)
    filters: frozenset[str] = frozenset()
    decoders: frozenset[str] = frozenset()
    with_lcevc: frozenset[str] = frozenset()
    can_crop: bool = False
    missing: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        """True if ordinary videos can be made with this pair of programs."""
        return not self.missing

    def decoding(self, program: str) -> list[str]:
        """
        Return the input arguments that keep a program from decoding LCEVC enhancements.

        A file may have enhancements of its pictures for a second decoder (LCEVC). ffmpeg
        starts that decoder by itself, and in ffmpeg 8.1 to 9.0.2 a file can take the
        decoder over (CVE-2026-125262). With these arguments the enhancements are exported
        as data that nobody uses.

        Args:
            program: FFMPEG or FFPROBE.
        """
        if program not in self.with_lcevc:
            return []
        return [*WITHOUT_ENHANCEMENTS]

    @property
    def can_tone_map(self) -> bool:
        """True if HDR pictures can be converted to SDR."""
        return {"zscale", "tonemap"} <= self.filters
