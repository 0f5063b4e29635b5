"""Offers the transcriber ``http``: a server that speaks OpenAI's form of transcriptions."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Transcriber, TranscriberBackend, hookimpl
from hvcore_transcriber_http.options import HttpTranscriberOptions


def build(options: HttpTranscriberOptions, context: BuildContext) -> Transcriber:
    """Make the transcriber for a process."""
    from hvcore_transcriber_http.backend import (  # noqa: PLC0415 - only if it was chosen
        make_transcriber,
    )

    return make_transcriber(options, clock=context.clock, database=context.database)


@hookimpl
def hvcore_transcribers() -> Iterator[TranscriberBackend]:
    """Register the transcriber ``http``."""
    yield TranscriberBackend(name="http", factory=build, options=HttpTranscriberOptions)
