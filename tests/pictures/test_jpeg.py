"""
Pictures that are compressed.
"""

import io
import threading
import time

import pytest
from PIL import Image

from hvcore.pictures.jpeg import encode_jpeg

TRIES = 5


def longest_standstill(work: object) -> float:
    """
    Return for what part of some work another thread stood still, at most at a time.
    """
    assert callable(work)
    begun, ended = threading.Event(), threading.Event()
    longest_s = 0.0

    def look() -> None:
        nonlocal longest_s
        before = time.perf_counter()
        begun.set()
        while not ended.is_set():
            now = time.perf_counter()
            longest_s = max(longest_s, now - before)
            before = now

    thread = threading.Thread(target=look)
    thread.start()
    begun.wait()
    started = time.perf_counter()
    work()
    took_s = time.perf_counter() - started
    ended.set()
    thread.join()
    return longest_s / took_s


@pytest.mark.parametrize("is_progressive", [False, True])
def test_other_threads_go_on_while_a_large_picture_is_compressed(
    *, is_progressive: bool
) -> None:
    picture = Image.effect_noise((1600, 1600), 60).convert("RGB")

    # A busy machine keeps a thread waiting, too, but not each time.
    parts = [
        longest_standstill(
            lambda: encode_jpeg(picture, quality=82, is_progressive=is_progressive)
        )
        for _ in range(TRIES)
    ]

    assert min(parts) < 0.5


def test_a_picture_is_a_whole_jpeg() -> None:
    made = encode_jpeg(Image.new("RGB", (64, 48), "red"), quality=82)

    assert made.startswith(b"\xff\xd8")
    assert made.endswith(b"\xff\xd9")


@pytest.mark.parametrize(
    ("size_px", "is_kept"), [((1920, 1080), True), ((1920, 1081), False)]
)
def test_the_coefficients_of_a_large_picture_are_not_kept_until_its_end(
    size_px: tuple[int, int], *, is_kept: bool
) -> None:
    made = encode_jpeg(Image.new("RGB", size_px), quality=82, is_progressive=True)

    with Image.open(io.BytesIO(made)) as read:
        assert bool(read.info.get("progressive")) == is_kept
