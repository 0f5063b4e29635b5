"""The capabilities of Google's Transcoder API among the choices of callers."""

from typing import Final

from hvcore.plugin_api import (
    AudioCodec,
    Capabilities,
    Lack,
    PixelFormat,
    RateControl,
    Speed,
    TranscodeOrder,
    UnusableSourceError,
)

PROFILE: Final = "high"
"""H.264's, the largest that the API names; it has 8 bits and 4:2:0."""

AUDIO_CODECS: Final = {
    AudioCodec.AAC: "aac",
    AudioCodec.AAC_HE: "aac-he",
    AudioCodec.AAC_HE_V2: "aac-he-v2",
    AudioCodec.AC3: "ac3",
    AudioCodec.EAC3: "eac3",
}
"""By the API's names. MP3 is for files of its own, not for fMP4."""

PRESETS: Final = {Speed.ULTRASLOW: "veryslow"}
"""Where x264's presets, which the API has, are called otherwise. Its slowest is for tests
of encoders: it takes three times as long for a percent."""

SHORTEST_S: Final = 5
"""Of a source; the API refuses shorter ones."""
LARGEST_WIDTH_PX: Final = 4096
LARGEST_HEIGHT_PX: Final = 2160

TOO_SHORT: Final = (
    f"The video is shorter than {SHORTEST_S} seconds, and the service that makes videos "
    "does not take shorter ones."
)
NOT_CONSTANT: Final = (
    "The bitrate is not quite constant: the service that made the video varies it "
    "within a second."
)

_LACKS: Final = (
    Lack(
        what="4:2:2 and 4:4:4 pixel formats, and more than 8 bits, cannot be encoded",
        fix="choose the transcoder ffmpeg for them; the Transcoder API makes H.264 up "
        "to the profile High",
        is_refused=True,
    ),
    Lack(
        what="mp3 sound cannot be encoded",
        fix="choose the transcoder ffmpeg for it; the Transcoder API puts no mp3 into "
        "fMP4",
        is_refused=True,
    ),
)


def capabilities() -> Capabilities:
    """Return the capabilities of the API; requests for anything else are refused."""
    return Capabilities(
        name="google",
        pixel_formats=frozenset({PixelFormat.YUV420P}),
        audio_codecs=frozenset(AUDIO_CODECS),
        speeds=frozenset(Speed),
        lacks=_LACKS,
    )


def objection(order: TranscodeOrder) -> str:
    """Return the reason that a job is impossible, for the owner; empty: none."""
    if order.source.duration_s < SHORTEST_S:
        return TOO_SHORT
    for rung in order.ladder.rungs:
        if rung.width_px > LARGEST_WIDTH_PX or rung.height_px > LARGEST_HEIGHT_PX:
            return (
                f"The video's pictures have {rung.width_px}x{rung.height_px} pixels; "
                f"the service that makes videos takes at most {LARGEST_WIDTH_PX}x"
                f"{LARGEST_HEIGHT_PX}. Choose a smaller quality."
            )
    return ""


def check_order(order: TranscodeOrder) -> None:
    """
    Return if the job can be expressed.

    Raises:
        UnusableSourceError: It cannot.
    """
    why = objection(order)
    if why:
        raise UnusableSourceError(why)


def warnings_of(order: TranscodeOrder) -> tuple[str, ...]:
    """Return warnings, for the video's details, of choices made otherwise."""
    rates = {rung.rate_control for rung in order.ladder.rungs}
    return (NOT_CONSTANT,) if RateControl.CONSTANT in rates else ()
