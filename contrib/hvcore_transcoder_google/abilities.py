"""The codecs, sizes and formats that Google's Transcoder API supports."""

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
"""The H.264 profile of every rung: the highest that the API offers; 8 bits, 4:2:0."""

AUDIO_CODECS: Final = {
    AudioCodec.AAC: "aac",
    AudioCodec.AAC_HE: "aac-he",
    AudioCodec.AAC_HE_V2: "aac-he-v2",
    AudioCodec.AC3: "ac3",
    AudioCodec.EAC3: "eac3",
}
"""The API's names of audio codecs. MP3 is left out: the API puts no MP3 into fMP4."""

PRESETS: Final = {Speed.ULTRASLOW: "veryslow"}
"""The API's preset for a speed, where the API has no x264 preset of the speed's name.
x264's slowest preset is for tests of encoders: it takes three times as long and saves
one percent."""

SHORTEST_S: Final = 5
"""The length of the shortest source that the API accepts."""
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
    """Return the codecs and formats that the API supports; all others are refused."""
    return Capabilities(
        name="google",
        pixel_formats=frozenset({PixelFormat.YUV420P}),
        audio_codecs=frozenset(AUDIO_CODECS),
        speeds=frozenset(Speed),
        lacks=_LACKS,
    )


def objection(order: TranscodeOrder) -> str:
    """Return the reason, for the video's owner, that the API refuses a job; "" if none."""
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
    Refuse a job that the Transcoder API cannot do.

    Raises:
        UnusableSourceError: The source is too short, or a rung too large, for the API.
    """
    why = objection(order)
    if why:
        raise UnusableSourceError(why)


def warnings_of(order: TranscodeOrder) -> tuple[str, ...]:
    """Return a sentence for the video's details for each choice that the API cannot keep."""
    rates = {rung.rate_control for rung in order.ladder.rungs}
    return (NOT_CONSTANT,) if RateControl.CONSTANT in rates else ()
