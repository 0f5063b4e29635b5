"""Choose the encoding of each audio rendition on this machine."""

from typing import Final

import attrs

from hvcore.plugin_api import AudioCodec, AudioRendition, Part, TranscodeError
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.machine import HE_AAC

_LC_KBPS_OF_CHANNEL: Final = 48
"""The least bitrate of a channel in kbit/s if AAC-LC takes the place of HE-AAC, whose
bitrates are too low for AAC-LC."""


def effective_audio(
    engine: FfmpegEngine, part: Part, *, may_substitute: bool
) -> tuple[tuple[AudioRendition, ...], tuple[str, ...]]:
    """
    Return the audio renditions that this machine makes of a part, and warnings.

    Args:
        may_substitute: Whether AAC-LC may take the place of HE-AAC; a warning says so.

    Raises:
        TranscodeError: This machine cannot make a rendition; another worker may be able
            to.
    """
    made = []
    warnings = []
    for rendition in part.order.ladder.audio if part.has_sound else ():
        if rendition.codec in engine.priming_samples:
            made.append(rendition)
        elif rendition.codec in HE_AAC and may_substitute:
            kbps = max(rendition.kbps, _LC_KBPS_OF_CHANNEL * rendition.channels)
            made.append(attrs.evolve(rendition, codec=AudioCodec.AAC, kbps=kbps))
            warnings.append(
                f"The audio is AAC-LC: {rendition.codec.value} cannot be made here."
            )
        else:
            raise TranscodeError(
                f"The audio codec {rendition.codec.value} cannot be made here.",
                log="this worker's ffmpeg lacks what another process's has",
            )
    return tuple(made), tuple(dict.fromkeys(warnings))
