"""
The grey film of ready videos is a film for other programs, too.
"""

import subprocess
from pathlib import Path

import pytest

from hvcore.testing.grey_film import init_segment, media_segment


@pytest.mark.services
def test_ffmpeg_decodes_a_grey_film_without_a_complaint(tmp_path: Path) -> None:
    size = {"width_px": 854, "height_px": 480}
    film = tmp_path / "film.mp4"
    segments = [
        media_segment(n, **size, starts_s=6 * n, duration_s=6)[0] for n in range(3)
    ]
    film.write_bytes(init_segment(**size) + b"".join(segments))

    command = ["ffmpeg", "-v", "warning", "-i", str(film), "-f", "null", "-"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    assert done.stderr == ""
