"""Offer the transcoder ``mediaconvert``: AWS Elemental MediaConvert encodes the videos."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Transcoder, TranscoderBackend, hookimpl
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions


def build(options: MediaConvertOptions, context: BuildContext) -> Transcoder:
    """Return a transcoder for this process, from its settings."""
    from hvcore_transcoder_mediaconvert.backend import (  # noqa: PLC0415 - only if it was chosen
        make_transcoder,
    )

    return make_transcoder(options, clock=context.clock, database=context.database)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """Yield the transcoder backend ``mediaconvert``."""
    yield TranscoderBackend(
        name="mediaconvert",
        factory=build,
        options=MediaConvertOptions,
        extra="mediaconvert",
    )
