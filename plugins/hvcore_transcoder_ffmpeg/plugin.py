"""Offer the transcoder that runs ffmpeg on this machine."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    Transcoder,
    TranscoderBackend,
    hookimpl,
)
from hvcore_transcoder_ffmpeg.options import FfmpegOptions


def build(options: FfmpegOptions, context: BuildContext) -> Transcoder:
    """
    Make the transcoder for a process, without running any program yet.

    Raises:
        ConfigError: A path of the options leads to no program.
    """
    from hvcore_transcoder_ffmpeg.backend import (  # noqa: PLC0415 - only when chosen
        FfmpegTranscoder,
    )

    return FfmpegTranscoder(options, context)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """Register the transcoder ``ffmpeg``."""
    yield TranscoderBackend(
        name="ffmpeg", factory=build, options=FfmpegOptions, extra="ffmpeg"
    )
