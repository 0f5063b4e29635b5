"""
Where two parts meet, pictures look as they do in a video that one process made.
"""

import math
import statistics
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import Transcoder
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg
from tests.plugins.transcoder_ffmpeg.in_parts import maker

pytestmark = pytest.mark.services

_RATE: Final = 25
_FRACTAL: Final = (
    f"mandelbrot=s=640x360:rate={_RATE}:end_scale=0.02,"
    "rotate=0.05*sin(t),noise=alls=8:allf=t:all_seed=1"
)
"""Detail that moves, with grain."""
_EXACT: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-qp", "8")
_LOSS_DB: Final = 0.5
"""With the usual rate a part's first second is 0.9 dB below, of film 2 and more."""


@pytest.mark.long
def test_the_first_second_of_a_part_looks_as_in_one_process(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "source.mp4"
    ffmpeg("-f", "lavfi", "-i", _FRACTAL, "-t", "24", *_EXACT, source)
    make = maker(transcoder, tmp_path)

    whole, parts = (make(source, workers=workers) for workers in (1, 2))

    assert len(parts.done) == 2
    joint = round(parts.order.source.duration_s / 2) * _RATE
    second = slice(joint, joint + _RATE)
    in_one, in_parts = (
        _decibels(_ssim(made.file, source, tmp_path)[second]) for made in (whole, parts)
    )
    assert in_parts > in_one - _LOSS_DB


def _decibels(ssim: list[float]) -> float:
    return -10 * math.log10(1 - statistics.fmean(ssim))


def _ssim(made: Path, source: Path, folder: Path) -> list[float]:
    log = folder / f"{made.parent.name}.ssim"
    graph = f"[0:v]setpts=N/25/TB[a];[1:v]setpts=N/25/TB[b];[a][b]ssim=f={log}"
    ffmpeg("-i", made, "-i", source, "-filter_complex", graph, "-f", "null", "-")
    return [
        float(line.partition("All:")[2].split()[0])
        for line in log.read_text().splitlines()
    ]
