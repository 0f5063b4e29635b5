from fractions import Fraction
from pathlib import Path

import pytest

from hvcore_transcoder_ffmpeg.probe.container_pictures import read_container
from hvcore_transcoder_ffmpeg.probe.ebml import SEGMENT, number
from tests.plugins.transcoder_ffmpeg.strange.sources import element

HEAD = 0x1A45DFA3
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


@pytest.mark.parametrize(
    ("shown", "left_px", "unit", "aspect"),
    [
        ((None, None), 0, 0, 0),
        ((300, 200), 0, 0, Fraction(3, 2)),
        ((300, None), 0, 0, Fraction(3, 2)),
        ((None, 100), 0, 0, 4),
        ((0, 100), 0, 0, 4),
        ((400, 200), 0, 0, 2),
        ((3, 2), 0, 3, Fraction(3, 2)),
        ((300, 200), 0, 4, 0),
        # What is left of 400 pixels is shown; sizes of before are none of that.
        ((None, None), 100, 0, 0),
        ((400, 200), 100, 0, Fraction(3, 2)),
        ((400, 100), 100, 0, 4),
        ((150, None), 100, 0, Fraction(3, 4)),
        ((400, 200), 400, 0, 0),
        ((400, 200), 399, 0, Fraction(1, 200)),
    ],
)
def test_a_matroska_file_says_in_which_size_its_pictures_are_shown(
    shown: tuple[int | None, int | None],
    left_px: int,
    unit: int,
    aspect: Fraction,
    tmp_path: Path,
) -> None:
    values = {0xB0: 400, 0xBA: 200, 0x54CC: left_px, 0x54B2: unit}
    said = {0x54B0: shown[0], 0x54BA: shown[1]}
    values |= {kind: size for kind, size in said.items() if size is not None}
    video = b"".join(
        element(kind, value.to_bytes(2, "big")) for kind, value in values.items()
    )
    track = element(0x83, b"\x01") + element(0x86, b"V_VP8") + element(0xE0, video)
    tracks = element(_TRACKS, element(0xAE, track))
    path = tmp_path / "film.mkv"
    path.write_bytes(element(HEAD, b"") + element(SEGMENT, tracks))

    picture = read_container(path, "matroska").of("1", 0)

    assert (picture.aspect, picture.crop.left_px) == (aspect, left_px)


def test_of_a_million_elements_in_matroska_the_first_are_read(tmp_path: Path) -> None:
    video = element(0x54AA, b"\x0a") + b"\xec\x80" * 1_000_000
    tracks = b"".join(
        element(0xAE, element(0x83, b"\x01") + element(0x86, b"V_VP8") + content)
        for content in (element(0xE0, element(0x54AA, b"\x0a")), element(0xE0, video))
    )
    path = tmp_path / "film.mkv"
    path.write_bytes(element(HEAD, b"") + element(SEGMENT, element(_TRACKS, tracks)))

    pictures = read_container(path, "matroska")

    assert pictures.of("", 0).crop.bottom_px == 10
    assert len(pictures.placed) == 1


def test_of_a_million_boxes_in_an_mp4_the_first_are_read(tmp_path: Path) -> None:
    boxes = b"\0\0\0\x08free" * 1_000_000 + b"\0\0\0\x08trak"
    path = tmp_path / "film.mp4"
    path.write_bytes((len(boxes) + 8).to_bytes(4, "big") + b"moov" + boxes)

    assert read_container(path, "mov").placed == ()
