"""
Sources made by strange encoders.
"""

from fractions import Fraction
from typing import Final

from tests.plugins.transcoder_ffmpeg.strange.sources import (
    X264,
    Ready,
    Refused,
    Strange,
    made,
    picture,
)

_SHORT: Final = 0.4
_SMALL: Final = Ready(duration_s=_SHORT)
_UNSUPPORTED: Final = Refused(reason="uses a video or audio format")


def _as(name: str, *options: str, expected: Ready | Refused = _SMALL) -> Strange:
    return Strange(
        name=name, make=made(*picture(seconds=_SHORT), *options), expected=expected
    )


CODECS: Final = (
    _as("vp8.webm", "-c:v", "libvpx", "-deadline", "realtime"),
    _as("vp9.mp4", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"),
    _as("av1.mp4", "-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"),
    _as(
        "hevc.mp4",
        "-c:v",
        "libx265",
        "-preset",
        "ultrafast",
        "-x265-params",
        "log-level=error",
    ),
    _as(
        "hev1-open-gop.mkv",
        "-c:v",
        "libx265",
        "-preset",
        "medium",
        "-x265-params",
        "log-level=error:open-gop=1:keyint=5:min-keyint=5",
    ),
    _as("mpeg2.mkv", "-c:v", "mpeg2video", "-bf", "2"),
    _as("mpeg1.mkv", "-c:v", "mpeg1video"),
    _as("mpeg4.mp4", "-c:v", "mpeg4"),
    _as("packed.avi", "-c:v", "libxvid", "-bf", "2"),
    _as("unpacked.avi", "-c:v", "mpeg4", "-bf", "2"),
    _as("msmpeg4.avi", "-c:v", "msmpeg4"),
    _as("mjpeg.avi", "-c:v", "mjpeg"),
    _as("prores.mov", "-c:v", "prores_ks", "-profile:v", "0"),
    _as("ffv1.mkv", "-c:v", "ffv1"),
    _as("raw.mov", "-c:v", "rawvideo", "-pix_fmt", "uyvy422"),
    Strange(
        name="h263.mov",
        make=made(*picture("176x144", "30000/1001", _SHORT), "-c:v", "h263"),
        expected=Ready(
            size_px=(176, 144), duration_s=_SHORT, frame_rate=Fraction(30000, 1001)
        ),
    ),
    Strange(
        name="dv.avi",
        make=made(
            *picture("720x576", seconds=0.2, chain="setsar=16/15"),
            *["-c:v", "dvvideo", "-pix_fmt", "yuv420p"],
        ),
        expected=Ready(size_px=(320, 240), duration_s=0.2),
    ),
    Strange(
        name="dnxhr.mov",
        make=made(
            *picture("256x144", seconds=_SHORT),
            *["-c:v", "dnxhd", "-profile:v", "dnxhr_sq", "-pix_fmt", "yuv422p"],
        ),
        expected=Ready(size_px=(256, 144), duration_s=_SHORT),
    ),
    _as("theora.mkv", "-c:v", "libtheora", expected=_UNSUPPORTED),
    _as("animation.mov", "-c:v", "qtrle", expected=_UNSUPPORTED),
    _as("huffyuv.avi", "-c:v", "huffyuv", "-pix_fmt", "yuv422p", expected=_UNSUPPORTED),
    Strange(
        name="open-gop.mp4",
        make=made(
            *picture(seconds=2),
            *["-c:v", "libx264", "-x264-params", "open_gop=1:keyint=10:bframes=3"],
        ),
        expected=Ready(duration_s=2),
    ),
    Strange(
        name="one-key-frame.mp4",
        make=made(*picture(seconds=7), *X264, "-g", "999", "-bf", "3"),
        expected=Ready(duration_s=7),
    ),
)
