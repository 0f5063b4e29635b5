"""Offers the transcriber ``whisper``: speech models on this machine, without a network."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Transcriber, TranscriberBackend, hookimpl
from hvcore_transcriber_whisper.options import WhisperOptions


def build(options: WhisperOptions, context: BuildContext) -> Transcriber:
    """Make the transcriber for a process; it loads no model yet."""
    from hvcore_transcriber_whisper.backend import (  # noqa: PLC0415 - only if it was chosen
        WhisperTranscriber,
    )

    return WhisperTranscriber(options, models_dir=context.state_dir / "whisper")


@hookimpl
def hvcore_transcribers() -> Iterator[TranscriberBackend]:
    """Register the transcriber ``whisper``."""
    yield TranscriberBackend(
        name="whisper", factory=build, options=WhisperOptions, extra="whisper"
    )
