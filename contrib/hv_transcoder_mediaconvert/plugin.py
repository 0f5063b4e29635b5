"""
Offers the transcoder ``mediaconvert``: AWS Elemental MediaConvert makes the videos.
"""

from collections.abc import Iterator

from hv_transcoder_mediaconvert.options import MediaConvertOptions
from hvcore.plugin_api import BuildContext, Transcoder, TranscoderBackend, hookimpl


def build(options: MediaConvertOptions, context: BuildContext) -> Transcoder:
    """
    Make the transcoder of a process.
    """
    from hv_transcoder_mediaconvert.backend import (  # noqa: PLC0415 - only if it was chosen
        make_transcoder,
    )

    return make_transcoder(options, clock=context.clock, database=context.database)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """
    Offer ``mediaconvert``.
    """
    yield TranscoderBackend(
        name="mediaconvert",
        factory=build,
        options=MediaConvertOptions,
        extra="mediaconvert",
    )
