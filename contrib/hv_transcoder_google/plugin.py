"""
Offers the transcoder ``google``: Google's Transcoder API makes the videos.
"""

from collections.abc import Iterator

from hv_transcoder_google.options import GoogleTranscoderOptions
from hvcore.plugin_api import BuildContext, Transcoder, TranscoderBackend, hookimpl


def build(options: GoogleTranscoderOptions, context: BuildContext) -> Transcoder:
    """
    Make the transcoder of a process.
    """
    from hv_transcoder_google.backend import (  # noqa: PLC0415 - only if it was chosen
        make_transcoder,
    )

    return make_transcoder(options, clock=context.clock, database=context.database)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """
    Offer ``google``.
    """
    yield TranscoderBackend(
        name="google",
        factory=build,
        options=GoogleTranscoderOptions,
        extra="google",
    )
