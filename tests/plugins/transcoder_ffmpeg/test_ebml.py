from pathlib import Path

import pytest

from hv_transcoder_ffmpeg.container_pictures import read_container
from hv_transcoder_ffmpeg.ebml import HEAD, SEGMENT, number
from tests.plugins.transcoder_ffmpeg.strange import element

_TRACKS = 0x1654AE6B
_WIDTHS = (0x54B0, 0x54AA)
"""The width to show, and the rows to crop at the bottom."""


def test_a_number_of_ebml_has_eight_bytes_at_most() -> None:
    assert number(None) == 0
    assert number(b"\xff" * 8) == 2**64 - 1
    with pytest.raises(ValueError, match="EBML"):
        number(bytes(8) + b"\x01")


@pytest.mark.parametrize("kind", _WIDTHS)
def test_a_size_of_megabytes_in_matroska_is_not_reckoned_with(
    tmp_path: Path, kind: int
) -> None:
    video = element(0xE0, element(kind, b"\xff" * 4_000_000))
    track = element(0xAE, element(0x83, b"\x01") + element(0x86, b"V_VP8") + video)
    path = tmp_path / "film.mkv"
    path.write_bytes(element(HEAD, b"") + element(SEGMENT, element(_TRACKS, track)))

    pictures = read_container(path, "matroska")

    assert pictures.of("1", 0).aspect == 0
