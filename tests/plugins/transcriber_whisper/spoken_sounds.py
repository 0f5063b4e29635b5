"""Speech, noise and music of tests: WAV files of 16 bit, mono and 16 kHz."""

import math
import random
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Final

from hvcore.plugin_api import SOUND_RATE_HZ
from hvcore.testing.transcriber import frames_of

_FULL_SCALE: Final = 32_768
_SCALE: Final = (0, 2, 4, 5, 7, 9, 11, 12)
_NOTE_S: Final = 0.25


def speak(text: str, path: Path, *, language: str = "en-us") -> Path:
    """Have espeak-ng say a text at 150 words a minute, and return the WAV file."""
    spoken = path.with_suffix(".espeak.wav")
    subprocess.run(
        ["espeak-ng", "-v", language, "-s", "150", "-w", str(spoken), text],
        check=True,
        capture_output=True,
    )
    form = ["-ar", str(SOUND_RATE_HZ), "-ac", "1", "-c:a", "pcm_s16le"]
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(spoken)]
    subprocess.run([*command, *form, str(path)], check=True, capture_output=True)
    spoken.unlink()
    return path


def at_level(path: Path, dbfs: float) -> bytes:
    """Return the frames of a sound, as loud as is asked for (root mean square)."""
    samples = array("h", frames_of(path))
    mean = math.sqrt(sum(one * one for one in samples) / len(samples))
    factor = 10 ** (dbfs / 20) * _FULL_SCALE / mean
    return _packed([round(one * factor) for one in samples])


def noise(duration_s: int) -> bytes:
    """Return white noise at -20 dBFS, the same each time."""
    drawn = random.Random(1)  # noqa: S311 - noise
    return _packed(
        [round(drawn.gauss(0, 3_276)) for _ in range(duration_s * SOUND_RATE_HZ)]
    )


def music(duration_s: int, seed: int) -> bytes:
    """Return plucked notes of a scale over held chords, drawn from a seed."""
    drawn = random.Random(seed)  # noqa: S311 - a melody
    length = round(_NOTE_S * SOUND_RATE_HZ)
    samples: list[int] = []
    for _ in range(round(duration_s / _NOTE_S)):
        tone_hz = 220 * 2 ** (drawn.choice(_SCALE) / 12)
        chord = [110 * 2 ** (step / 12) for step in (0, 4, 7)]
        for frame in range(length):
            at_s = frame / SOUND_RATE_HZ
            plucked = math.exp(-6 * at_s) * sum(
                math.sin(2 * math.pi * tone_hz * part * at_s) / part
                for part in range(1, 6)
            )
            held = sum(math.sin(2 * math.pi * one * at_s) for one in chord) / 2
            samples.append(round(2_500 * (plucked + held)))
    return _packed(samples)


def jingle(duration_s: int) -> bytes:
    """Return a jingle of four bell tones that ring out, with a beat below them, once in five seconds."""
    tones = (523, 659, 784, 1_047)
    samples: list[int] = []
    for frame in range(duration_s * SOUND_RATE_HZ):
        at_s = frame / SOUND_RATE_HZ % 5
        rung = sum(
            math.exp(-2 * (at_s - 0.3 * place))
            * math.sin(2 * math.pi * tone_hz * (at_s - 0.3 * place))
            for place, tone_hz in enumerate(tones)
            if at_s >= 0.3 * place
        )
        beat_s = at_s % 0.6
        beat = math.exp(-12 * beat_s) * math.sin(2 * math.pi * 70 * beat_s)
        samples.append(round(3_000 * (rung + 2 * beat)))
    return _packed(samples)


def _packed(samples: list[int]) -> bytes:
    limited = [max(-_FULL_SCALE, min(_FULL_SCALE - 1, one)) for one in samples]
    packed = array("h", limited)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()
