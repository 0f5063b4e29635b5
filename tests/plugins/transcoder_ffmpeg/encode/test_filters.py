"""
Fields are made into frames wherever they are, and however the camera was held.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import Speed, Transcoder
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, turned
from tests.plugins.transcoder_ffmpeg.playing import joined
from tests.plugins.transcoder_ffmpeg.publishing import publish

pytestmark = pytest.mark.services

_WIDTH: Final = 160
_HEIGHT: Final = 96
_BAR: Final = (
    f"color=black:size={_WIDTH}x{_HEIGHT}:rate=RATE:duration=0.6,"
    "drawbox=x=40:w=40:color=white:t=fill,scroll=h=0.05"
)
"""A bar that moves by eight pixels from field to field, and is upright in each row."""
_COMBED: Final = 4.0
"""Mean difference of neighbouring rows where fields stand beside each other; 17 here."""


def _made(path: Path, *, rate: int, chain: str = "null") -> None:
    source = f"{_BAR.replace('RATE', str(rate))},{chain}"
    flags = ["-flags", "+ilme+ildct"] if "interlace" in chain else []
    encoder = ["-c:v", "mpeg2video", "-q:v", "2", "-g", "6", *flags]
    ffmpeg("-f", "lavfi", "-i", source, *encoder, path)


def _interlaced(path: Path) -> None:
    _made(path, rate=50, chain="interlace")


def _turned(path: Path) -> None:
    _interlaced(path)
    turned(path)


def _hybrid(path: Path) -> None:
    parts = [path.with_name(f"{number}.m2v") for number in range(2)]
    _made(parts[0], rate=25)
    _made(parts[1], rate=50, chain="interlace")
    whole = path.with_name("whole.m2v")
    whole.write_bytes(b"".join(part.read_bytes() for part in parts))
    ffmpeg("-fflags", "+genpts", "-r", "25", "-i", whole, "-c", "copy", path)


def _rows_apart(path: Path, *, is_turned: bool) -> float:
    """
    Return how much rows of the source differ from the next one in the combiest picture.
    """
    upright = "transpose=cclock" if is_turned else "null"
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", upright]
    command += ["-pix_fmt", "gray", "-f", "rawvideo", "-"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    pixels = _WIDTH * _HEIGHT
    pictures = [data[at : at + pixels] for at in range(0, len(data), pixels)]
    return max(
        sum(abs(a - b) for a, b in zip(one, one[_WIDTH:], strict=False)) / pixels
        for one in pictures
    )


@pytest.mark.cases(2)
@pytest.mark.parametrize("programs", ["transcoder", "wheel_transcoder"])
@pytest.mark.parametrize("make", [_interlaced, _turned, _hybrid])
def test_no_picture_shows_two_fields_at_once(
    make: Callable[[Path], None],
    programs: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    transcoder: Transcoder = request.getfixturevalue(programs)
    source = tmp_path / "source.mp4"
    make(source)
    is_turned = make is _turned
    assert _rows_apart(source, is_turned=is_turned) > _COMBED

    made = publish(transcoder, source, tmp_path / "job", speed=Speed.ULTRAFAST)

    path = joined(made.folder, made.tracks[0])
    assert _rows_apart(path, is_turned=is_turned) < _COMBED
