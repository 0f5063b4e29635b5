"""Offer the transcoder ``google``: Google's Transcoder API encodes the videos."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Transcoder, TranscoderBackend, hookimpl
from hvcore_transcoder_google.options import GoogleTranscoderOptions


def build(options: GoogleTranscoderOptions, context: BuildContext) -> Transcoder:
    """Return a transcoder for this process, from its settings."""
    from hvcore_transcoder_google.backend import (  # noqa: PLC0415 - only if it was chosen
        make_transcoder,
    )

    return make_transcoder(options, clock=context.clock, database=context.database)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """Register the transcoder ``google``."""
    yield TranscoderBackend(
        name="google",
        factory=build,
        options=GoogleTranscoderOptions,
        extra="google",
    )
