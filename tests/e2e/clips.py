"""
Clips that tests make for themselves.
"""

import subprocess
from pathlib import Path


def make_clip(
    path: Path,
    *,
    seconds: float = 13,
    size: str = "1280x720",
    rate: int = 30,
    audio: bool = True,
) -> Path:
    """
    Make an H.264 clip with a moving picture and a tone.
    """
    command = [
        "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
        "-f", "lavfi", "-i", f"testsrc2=s={size}:r={rate}:d={seconds}",
    ]  # fmt: skip
    if audio:
        command += ["-f", "lavfi", "-i", f"sine=f=440:r=48000:d={seconds}"]
    command += ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
    if audio:
        command += ["-c:a", "aac", "-shortest"]
    subprocess.run([*command, str(path)], check=True)
    return path


def ffmpeg_complaints(url: str) -> str:
    """
    Decode everything at an address; return what ffmpeg has to say about it.
    """
    done = subprocess.run(
        [
            "ffmpeg", "-hide_banner", "-loglevel", "warning", "-nostdin", "-xerror",
            "-i", url, "-map", "0", "-f", "null", "-",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )  # fmt: skip
    return (
        done.stderr
        if done.returncode == 0
        else f"exit {done.returncode}: {done.stderr}"
    )
