"""
Pictures and animations as WebP, drawn by a child process.
"""

import io
from collections.abc import Iterator

import pytest
from PIL import Image

from hvcore.pictures.drawing_process import DrawingProcess, UnreadablePictureError


@pytest.fixture(scope="module")
def child() -> Iterator[DrawingProcess]:
    made = DrawingProcess(niceness=0)
    yield made
    made.close()


def frame(number: int, size: tuple[int, int] = (64, 36)) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", size, (number * 60, 255 - number * 60, 90)).save(made, "JPEG")
    return made.getvalue()


def test_frames_become_an_animation_that_repeats(child: DrawingProcess) -> None:
    made = child.draw_animation([frame(n) for n in range(4)], frame_ms=125)

    with Image.open(io.BytesIO(made)) as image:
        assert (image.format, image.size) == ("WEBP", (64, 36))
        assert image.info["loop"] == 0
        for number in range(4):
            image.seek(number)
            pixel = image.convert("RGB").getpixel((32, 18))
            assert isinstance(pixel, tuple)
            assert abs(pixel[0] - number * 60) < 16


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ([frame(0), frame(1, (36, 64))], "differ in size"),
        ([frame(0, (641, 641))], "641x641"),
        ([frame(0), b"no JPEG"], "cannot identify"),
    ],
    ids=["other size", "too large", "unreadable"],
)
def test_frames_that_are_none_of_ours_are_refused(
    child: DrawingProcess, frames: list[bytes], words: str
) -> None:
    with pytest.raises(UnreadablePictureError, match=words):
        child.draw_animation(frames, frame_ms=125)


def test_a_picture_is_cropped_to_webp(child: DrawingProcess) -> None:
    made = child.crop_to_webp(frame(1, (640, 360)), 50, 200)

    with Image.open(io.BytesIO(made)) as image:
        assert (image.format, image.size) == ("WEBP", (50, 200))
