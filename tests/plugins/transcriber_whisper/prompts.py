"""
Seventeen minutes of speech whose words are known: prompts of a telephone exchange, from Debian.

They are CC-BY-SA, are fetched for long runs only, and nothing of them is kept here.
"""

import fcntl
import gzip
import hashlib
import re
import subprocess
import wave
from pathlib import Path
from typing import Final

import attrs

from tests.support.npm_packages import CACHE

SOUNDS: Final = "asterisk-core-sounds-en-wav"
TEXTS: Final = "asterisk-core-sounds-en"
LEAST_WORDS: Final = 8
"""Of shorter prompts, such as single letters, nobody could tell what is said."""
PAUSE_S: Final = 1
_SHA256: Final = "0ac6c7d3b7cfdecf5752ecf47fa2544a699815817be0728fc64033017751d3b7"
_RATE_HZ: Final = 8_000
_NOT_SAID: Final = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NAMES: Final = {"#": " pound ", "*": " star "}


@attrs.frozen(kw_only=True)
class Prompt:
    """
    Hold a prompt.

    Attributes:
        frames: Its sound: 16 bit, mono, 8 kHz.
    """

    text: str
    frames: bytes

    @property
    def duration_s(self) -> float:
        """Return the length of the sound, in seconds."""
        return len(self.frames) / 2 / _RATE_HZ


def prompts() -> list[Prompt]:
    """Return the prompts with at least eight words, by name."""
    shared = _unpacked() / "usr" / "share"
    (listed,) = (shared / "doc" / TEXTS).glob("core-sounds-en.txt*")
    read = gzip.open if listed.suffix == ".gz" else open
    with read(listed, "rt", encoding="latin-1") as lines:
        texts = dict(_named(line) for line in lines if ":" in line and line[0] != ";")
    (folder,) = (shared / "asterisk" / "sounds").glob("en_US_*")
    found = [
        Prompt(text=_said(text), frames=_frames(folder / f"{name}.wav"))
        for name, text in sorted(texts.items())
        if len(text.split()) >= LEAST_WORDS and (folder / f"{name}.wav").is_file()
    ]
    digest = hashlib.sha256()
    for one in found:
        digest.update(one.text.encode() + one.frames)
    assert digest.hexdigest() == _SHA256, digest.hexdigest()
    return found


def recording(said: list[Prompt], path: Path) -> Path:
    """Write a WAV file in which the prompts are said one after the other."""
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, _RATE_HZ, 0, "NONE", ""))
        for one in said:
            sound.writeframes(one.frames + bytes(2 * _RATE_HZ * PAUSE_S))
    return path


def _named(line: str) -> tuple[str, str]:
    name, _, text = line.partition(":")
    return name.strip(), text.strip()


def _said(text: str) -> str:
    for sign, name in _NAMES.items():
        text = text.replace(sign, name)
    return _NOT_SAID.sub("", text)


def _frames(path: Path) -> bytes:
    with wave.open(str(path), "rb") as sound:
        assert sound.getparams()[:3] == (1, 2, _RATE_HZ), path
        return sound.readframes(sound.getnframes())


def _unpacked() -> Path:
    """Return the folder into which the packages were unpacked, once on a machine."""
    folder = CACHE / TEXTS
    folder.mkdir(parents=True, exist_ok=True)
    # Several processes of tests begin at once.
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            # Unpacked and not installed: that needs no root, and changes no machine.
            for command in (
                ["apt-get", "-qq", "download", SOUNDS, TEXTS],
                *(["dpkg-deb", "-x", f"{name}_*.deb", "."] for name in (SOUNDS, TEXTS)),
            ):
                words = [w for word in command for w in _files_named(folder, word)]
                subprocess.run(words, cwd=folder, check=True, timeout=600)
            (folder / "done").touch()
    return folder


def _files_named(folder: Path, word: str) -> list[str]:
    return [str(path) for path in folder.glob(word)] if "*" in word else [word]
