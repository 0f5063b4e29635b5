"""Sounds for the kit of transcribers: 16-bit PCM, mono, 16 kHz."""

import math
import random
import sys
import wave
from array import array
from pathlib import Path
from typing import Final

from hvcore.domain.processing.speech import SOUND_RATE_HZ, SoundFile

BYTES_PER_FRAME: Final = 2
_TONE_HZ: Final = 220
_TONE_AMPLITUDE: Final = 8_000
_NOISE_AMPLITUDE: Final = 57
"""Of evenly spread samples: about -60 dBFS, as a quiet room sounds."""


def silence(duration_ms: int) -> bytes:
    """Return frames of digital silence."""
    return bytes(_frames(duration_ms) * BYTES_PER_FRAME)


def faint_noise(duration_ms: int) -> bytes:
    """Return frames of noise at -60 dBFS, the same each time."""
    drawn = random.Random(duration_ms)  # noqa: S311 - noise, not a secret
    return _packed(
        [
            drawn.randint(-_NOISE_AMPLITUDE, _NOISE_AMPLITUDE)
            for _ in range(_frames(duration_ms))
        ]
    )


def tones(duration_ms: int) -> bytes:
    """Return frames of a loud tone, for imitations that take loud sounds for speech."""
    step = 2 * math.pi * _TONE_HZ / SOUND_RATE_HZ
    return _packed(
        [
            round(_TONE_AMPLITUDE * math.sin(step * frame))
            for frame in range(_frames(duration_ms))
        ]
    )


def frames_of(path: Path) -> bytes:
    """
    Return the frames of a WAV file.

    Raises:
        ValueError: The sound is not mono, 16 bit and 16 kHz.
    """
    with wave.open(str(path), "rb") as sound:
        form = (sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
        if form != (1, BYTES_PER_FRAME, SOUND_RATE_HZ):
            raise ValueError(f"{path.name} must be mono, 16 bit and 16 kHz: {form}")
        return sound.readframes(sound.getnframes())


def write_sound(path: Path, frames: bytes) -> SoundFile:
    """Write frames as a WAV file, and return it as transcribers get it."""
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(BYTES_PER_FRAME)
        sound.setframerate(SOUND_RATE_HZ)
        sound.writeframes(frames)
    count = len(frames) // BYTES_PER_FRAME
    return SoundFile(path=path, duration_ms=count * 1000 // SOUND_RATE_HZ)


def _frames(duration_ms: int) -> int:
    return duration_ms * SOUND_RATE_HZ // 1000


def _packed(samples: list[int]) -> bytes:
    packed = array("h", samples)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
