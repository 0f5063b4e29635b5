"""The settings of the transcriber with Whisper models."""

import attrs

MOST_THREADS = 64


@attrs.frozen(kw_only=True)
class WhisperOptions:
    """
    Settings under ``[transcriber.options]``, for the backend ``whisper``.

    Attributes:
        model: The model: a folder with ``model.bin``, the name of such a folder in
            ``state/whisper`` of the data folder, or the name of an installed Python
            package that contains one. Nothing is ever fetched.
        cpu_threads: How many threads compute. More threads end sooner, and cost a
            little more processor time.
    """

    model: str = attrs.field(validator=attrs.validators.min_len(1))
    cpu_threads: int = attrs.field(default=1)

    @cpu_threads.validator
    def _check_cpu_threads(self, _: object, value: int) -> None:
        if not 1 <= value <= MOST_THREADS:
            raise ValueError(f"cpu_threads must be from 1 to {MOST_THREADS}: {value}")
