"""Choose the ffmpeg options of each encoder."""

from math import ceil
from typing import Final

from hvcore.plugin_api import AudioRendition, PixelFormat, RateControl, Rung, Speed
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.engine.engine import (
    AUDIO_ENCODERS,
    PIXEL_FORMATS,
    SPEEDS,
    video_encoder,
)

PASSLOG_FOLDER: Final = ".passes"
"""The folder in which the first of two passes keeps its statistics for the second."""

NO_NAMES: Final = ("-map_metadata", "-1", "-map_chapters", "-1")
"""The ffmpeg options that leave out the source's titles, places and times: they belong to
the video's owner, and are not published."""

_PROFILES: Final = {
    PixelFormat.YUV420P: "high",
    PixelFormat.YUV422P: "high422",
    PixelFormat.YUV444P: "high444",
    PixelFormat.YUV420P10B: "high10",
    PixelFormat.YUV422P10B: "high422",
    PixelFormat.YUV444P10B: "high444",
}
"""The lowest H.264 profile for each pixel format; x264 signals a lower one if it can."""

_MANY_REFERENCES: Final = frozenset({Speed.SLOWER, Speed.VERYSLOW, Speed.ULTRASLOW})

_FIRST_SECOND: Final = (6, 4)
"""The factors by which the bitrate is raised in the first and the second half of a part's
first second. With a factor of 2 the whole second still looks 1 dB worse, and with 4 the
pictures around a joint are 0.1 dB below the others."""

_LOOKAHEAD: Final = 20
"""The frames that x264 looks ahead with the preset veryfast: twice its default. Measured on
film at 480p, SSIM rises by 0.12 dB at equal size, and processor time does not rise beyond
noise (1080p, eight runs); with 30 frames SSIM rises by 0.13 dB."""

_MAX_REFERENCES: Final = 4


def is_two_pass(rung: Rung) -> bool:
    """
    Return whether a rung is encoded in two passes.

    A constant bitrate needs only one pass, because nothing has to be distributed.
    """
    return rung.two_pass and rung.rate_control is RateControl.VARIABLE


def video_options(
    rung: Rung, span: Span, *, threads: int, pass_number: int
) -> list[str]:
    """
    Return the ffmpeg options of the video encoder for a rung.

    Args:
        span: The part of the video to encode; its segments say where key frames stand.
        threads: The number of the encoder's threads; 0 lets the encoder choose.
        pass_number: 0 for a single pass, else 1 or 2.
    """
    group = ceil(span.segment_s * rung.frame_rate)
    options = ["-c:v", video_encoder(rung.pixel_format)]
    options += ["-preset", SPEEDS[rung.speed]]
    options += ["-pix_fmt", PIXEL_FORMATS[rung.pixel_format]]
    options += _rate_options(rung)
    # No more key frames than the segments need: one each.
    options += ["-g", str(group), "-keyint_min", str(group), "-sc_threshold", "0"]
    options += ["-force_key_frames", f"expr:{span.key_frames}"]
    # Key frames that forget all before them, so that a player can begin there.
    options += ["-forced-idr", "1"]
    if threads:
        options += ["-threads", str(threads)]
    if video_encoder(rung.pixel_format) == "libx265":
        return options + _x265_options(rung, group, pass_number)
    return options + _x264_options(rung, span, pass_number)


def audio_options(rendition: AudioRendition) -> list[str]:
    """Return the ffmpeg options of the audio encoder for a rendition."""
    name, profile = AUDIO_ENCODERS[rendition.codec]
    options = ["-c:a", name, "-b:a", f"{rendition.kbps}k"]
    return [*options, "-profile:a", profile] if profile else options


def _rate_options(rung: Rung) -> list[str]:
    kbps = rung.video_kbps
    if rung.rate_control is RateControl.CONSTANT:
        rates = ["-b:v", f"{kbps}k", "-minrate", f"{kbps}k", "-maxrate", f"{kbps}k"]
        # A second's worth: the rate is constant over any longer time.
        return [*rates, "-bufsize", f"{kbps}k"]
    # Half as much again in busy scenes, and a buffer of two seconds.
    rates = ["-b:v", f"{kbps}k", "-maxrate", f"{kbps * 3 // 2}k"]
    return [*rates, "-bufsize", f"{kbps * 2}k"]


def _x264_options(rung: Rung, span: Span, pass_number: int) -> list[str]:
    options = ["-profile:v", _PROFILES[rung.pixel_format]]
    if rung.speed in _MANY_REFERENCES:
        # Sixteen references put 1080p at level 5.1; with four it is 4.0, which
        # the decoders of phones take.
        options += ["-refs", str(_MAX_REFERENCES)]
    params = []
    if rung.speed is Speed.VERYFAST:
        params.append(f"rc-lookahead={_LOOKAHEAD}")
    if rung.rate_control is RateControl.CONSTANT:
        # Fills up what a still picture leaves of the rate.
        params.append("nal-hrd=cbr")
    elif span.first_segment and not pass_number:
        # Each part begins with a guess, and it is a poor one: the first second
        # looked 3 dB worse than where the encoder knows the video. It gets a rate
        # that makes up for that and is saved in the seconds behind it; the cap
        # still holds.
        half = ceil(span.frame_rate / 2)
        first, then = _FIRST_SECOND
        zones = f"0,{half - 1},b={first}/{half},{2 * half - 1},b={then}"
        params.append(f"zones={zones}")
    if not span.is_whole:
        # Parameter sets that do not depend on the pictures, so that all parts
        # have the same: otherwise the second pass makes the number of references
        # that is most frequent the usual one.
        params.append("stitchable=1")
    if params:
        options += ["-x264-params", ":".join(params)]
    if pass_number:
        options += ["-pass", str(pass_number)]
        options += ["-passlogfile", f"{PASSLOG_FOLDER}/{rung.key}"]
    return options


def _x265_options(rung: Rung, group: int, pass_number: int) -> list[str]:
    params = [
        "log-level=error",
        # ffmpeg hands on neither of these.
        f"keyint={group}:min-keyint={group}",
        "scenecut=0",
        # Frames before a key frame in time refer to nothing after it.
        "open-gop=0",
        # Its version and the machine's number of threads would be part of the
        # init segment, which is the same for all parts, whoever makes them.
        "info=0",
    ]
    if rung.rate_control is RateControl.CONSTANT:
        params.append("strict-cbr=1")
    if pass_number:
        # libx265 does not know -pass.
        params += [f"pass={pass_number}", f"stats={PASSLOG_FOLDER}/{rung.key}.log"]
    # hvc1: parameter sets in the init segment, the only kind Apple plays.
    return ["-tag:v", "hvc1", "-x265-params", ":".join(params)]
