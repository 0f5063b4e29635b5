"""
Ordinary content: neither a test picture, which is too easy, nor noise.
"""

from pathlib import Path
from typing import Final

from tests.plugins.transcoder_ffmpeg.clips import ffmpeg

# Soft shapes that move and change under a camera that pans, and a little grain:
# at 360p, x264 with -crf 23 makes 400 kbit/s of it, close to the rung's 500.
_GRAPH: Final = (
    "gradients=size={size}:rate=25:nb_colors=6:speed=0.02:seed=7,format=yuv420p[far];"
    "life=size=80x45:rate=5:mold=40:ratio=0.25:seed=3"
    ":death_color=#203040:life_color=#c0d0a0,"
    "scale=1280:720:flags=bicubic,fps=25,"
    "crop=640:360:x='320+300*sin(t/3)':y='180+150*cos(t/4)',"
    "scale={scale},format=yuv420p[near];"
    "[far][near]blend=all_mode=overlay,noise=alls=4:allf=t:all_seed=1"
)


def ordinary(path: Path, *, size: str, seconds: float) -> Path:
    """
    Write a clip of ordinary content, 25 frames a second, without sound.
    """
    graph = _GRAPH.format(size=size, scale=size.replace("x", ":"))
    exact = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "14"]
    ffmpeg("-filter_complex", graph, "-t", str(seconds), *exact, path)
    return path
