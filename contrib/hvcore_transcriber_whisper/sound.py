"""Read a sound as the numbers that speech models take."""

import wave
from typing import Any, Final

from hvcore.plugin_api import SOUND_RATE_HZ, SoundFile, UnusableSoundError

_SAMPLE_BYTES: Final = 2
_FULL_SCALE: Final = 32_768


def read_samples(sound: SoundFile) -> Any:  # noqa: ANN401 - an array, whose type comes with the extra
    """
    Return the samples of a sound as an array of numpy, each from -1 to 1.

    The file is read by Python's own module: faster-whisper's reader would take any of
    the formats of ffmpeg, of which each may have faults.

    Raises:
        UnusableSoundError: The file is no WAV of 16 bit, mono and 16 kHz.
    """
    import numpy as np  # noqa: PLC0415 - it comes with the extra

    try:
        with wave.open(str(sound.path), "rb") as opened:
            form = (opened.getnchannels(), opened.getsampwidth(), opened.getframerate())
            frames = opened.readframes(opened.getnframes())
    except (OSError, EOFError, wave.Error) as exc:
        raise UnusableSoundError("The sound cannot be read.") from exc
    if form != (1, _SAMPLE_BYTES, SOUND_RATE_HZ):
        raise UnusableSoundError("The sound is not mono, 16 bit and 16 kHz.")
    # A file that was cut off may end within a sample.
    whole = frames[: len(frames) // _SAMPLE_BYTES * _SAMPLE_BYTES]
    return np.frombuffer(whole, "<i2").astype(np.float32) / _FULL_SCALE
