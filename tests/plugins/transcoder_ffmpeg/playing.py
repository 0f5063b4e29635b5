"""
Look at what was made with other eyes than the plugin's own.
"""

import json
import subprocess
from array import array
from pathlib import Path
from typing import Any

from hvcore.plugin_api import Track


def joined(folder: Path, track: Track) -> Path:
    """
    Return the track as one file, as a player sees it.
    """
    path = folder / f"{track.name.replace('/', '-')}.joined.mp4"
    names = ["init", *(str(segment.number) for segment in track.segments)]
    files = [folder / track.name / f"{name}.m4s" for name in names]
    path.write_bytes(b"".join(file.read_bytes() for file in files))
    return path


def complaints(path: Path) -> str:
    """
    Return what ffmpeg has to say while it decodes a file.
    """
    ended = subprocess.run(
        [
            "ffmpeg",
            "-v",
            "warning",
            "-xerror",
            "-nostdin",
            "-i",
            path,
            "-f",
            "null",
            "-",
        ],
        capture_output=True,
        check=False,
        text=True,
    )
    return ended.stderr + (f"status {ended.returncode}" if ended.returncode else "")


def stream(path: Path) -> dict[str, Any]:
    """
    Return what ffprobe says of the only stream of a file.
    """
    (found,) = _ask(path, "-show_streams")["streams"]
    assert isinstance(found, dict)
    return found


def packets(path: Path) -> list[dict[str, Any]]:
    """
    Return the packets of the only stream of a file.
    """
    found = _ask(path, "-show_packets")["packets"]
    assert isinstance(found, list)
    return found


def brightness(path: Path) -> list[int]:
    """
    Return the brightness of each picture, 0 to 255.
    """
    tiny = ["-vf", "scale=1:1:flags=area", "-pix_fmt", "gray", "-f", "rawvideo"]
    return list(decoded(path, *tiny))


def samples(path: Path) -> "array[int]":
    """
    Return the sound as samples of 16 bits, 48,000 a second.
    """
    return array("h", decoded(path, "-ac", "1", "-ar", "48000", "-f", "s16le"))


def picture(path: Path) -> tuple[int, int, int]:
    """
    Return red, green and blue of the first pixel, read as bt709.
    """
    tiny = ["-frames:v", "1", "-vf", "scale=in_color_matrix=bt709,format=rgb24"]
    red, green, blue, *_ = decoded(path, *tiny, "-f", "rawvideo")
    return red, green, blue


def decoded(path: Path, *options: str) -> bytes:
    """
    Return what ffmpeg makes of a file.
    """
    command: list[str | Path] = [
        "ffmpeg",
        "-v",
        "error",
        "-nostdin",
        "-i",
        path,
        *options,
        "-",
    ]
    return subprocess.run(command, capture_output=True, check=True).stdout


def _ask(path: Path, question: str) -> dict[str, Any]:
    command: list[str | Path] = [
        "ffprobe",
        "-v",
        "error",
        question,
        "-of",
        "json",
        path,
    ]
    ended = subprocess.run(command, capture_output=True, check=True)
    content = json.loads(ended.stdout)
    assert isinstance(content, dict)
    return content
