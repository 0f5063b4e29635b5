"""
Small whole videos of many kinds, and damage that can be done again.
"""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone

MOST_BYTES: Final = 60_000

_H264: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "5")
_CUE: Final = "1\n00:00:00,100 --> 00:00:00,800\nHello\n"

_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "plain.mp4": (*_H264, "-c:a", "aac"),
    "text.mp4": (*_H264, "-c:a", "aac", "-c:s", "mov_text"),
    "begun.mp4": (*_H264, "-c:a", "aac", "-movflags", "+faststart"),
    "pieces.mp4": (*_H264, "-c:a", "aac", "-movflags", "+frag_keyframe+empty_moov"),
    "hevc.mp4": ("-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1"),
    "camera.mov": ("-c:v", "mjpeg", "-c:a", "pcm_s16le", "-ar", "8000"),
    "vp9.mkv": ("-c:v", "libvpx-vp9", "-deadline", "realtime", "-c:a", "libopus"),
    "text.mkv": (*_H264, "-c:a", "libmp3lame", "-c:s", "srt"),
    "vp8.webm": ("-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"),
    "old.avi": ("-c:v", "mpeg4", "-c:a", "libmp3lame"),
}
NAMES: Final = tuple(_KINDS)


def make(name: str, folder: Path) -> Path:
    """
    Write a whole clip of a second.
    """
    path = folder / name
    inputs = [*pattern("64x64", "10", 1), *tone(1)]
    if name.startswith("text"):
        cues = folder / "cues.srt"
        cues.write_text(_CUE)
        inputs += ["-i", str(cues)]
    ffmpeg(*inputs, "-pix_fmt", "yuv420p", *_KINDS[name], path)
    assert path.stat().st_size <= MOST_BYTES
    return path


def damaged(whole: Path, target: Path, *, seed: int, ratio: str) -> Path:
    """
    Write a copy with bits turned over, the same ones for the same seed.

    Args:
        ratio: What share of the bits, such as ``0.001``.
    """
    with whole.open("rb") as given, target.open("wb") as taken:
        subprocess.run(
            ["zzuf", "-s", str(seed), "-r", ratio],
            stdin=given,
            stdout=taken,
            check=True,
            timeout=20,
        )
    return target
