"""
Pictures are cropped by a process of its own, and by another one if that ends.
"""

import io
import os
import signal
from collections.abc import Iterator

import psutil
import pytest
from PIL import Image

from hvcore.errors import NotFoundError
from hvcore.pictures import cropping, cropping_process
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.cropping_process import NICENESS, CroppingError, CroppingProcess
from tests.live import until

WITHIN_S = 20


def picture(width_px: int = 64, height_px: int = 36) -> bytes:
    made = io.BytesIO()
    Image.linear_gradient("L").resize((width_px, height_px)).save(made, "PNG")
    return made.getvalue()


@pytest.fixture
def elsewhere() -> Iterator[CroppingProcess]:
    found = CroppingProcess()
    yield found
    found.close()


def child() -> psutil.Process:
    """
    Return the one process that crops.
    """
    (found,) = (
        one
        for one in psutil.Process().children()
        if "hvcore.pictures.cropping" in one.cmdline()
    )
    return found


def test_pictures_are_the_same_wherever_they_are_made(
    elsewhere: CroppingProcess,
) -> None:
    for size in [(32, 32), (90, 16)]:
        made = elsewhere.crop_to_fill(picture(), *size)

        assert made == crop_to_fill(picture(), *size)
        with Image.open(io.BytesIO(made)) as opened:
            assert opened.size == size


def test_who_makes_them_is_nicer_than_who_serves(elsewhere: CroppingProcess) -> None:
    elsewhere.crop_to_fill(picture(), 32, 32)

    assert child().nice() == os.nice(0) + NICENESS


def test_who_makes_them_does_not_know_the_settings(
    elsewhere: CroppingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_DATABASE__URL", "postgresql://hv:secret@db/hv")

    elsewhere.crop_to_fill(picture(), 32, 32)

    assert not any(name.startswith("HV_") for name in child().environ())


def test_another_process_takes_the_place_of_one_that_has_ended(
    elsewhere: CroppingProcess,
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child()

    first.send_signal(signal.SIGKILL)
    until(lambda: first.status() == psutil.STATUS_ZOMBIE, within_s=WITHIN_S)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid != first.pid


def test_another_process_takes_the_place_of_one_that_hangs(
    elsewhere: CroppingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child()
    first.send_signal(signal.SIGSTOP)
    until(lambda: first.status() == psutil.STATUS_STOPPED, within_s=WITHIN_S)
    monkeypatch.setattr(cropping_process, "MOST_S", 5.0)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid != first.pid


def test_what_cannot_be_read_is_an_error_and_ends_nothing(
    elsewhere: CroppingProcess,
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child().pid

    with pytest.raises(CroppingError, match="UnidentifiedImageError"):
        elsewhere.crop_to_fill(b"no picture", 32, 32)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid == first


def test_a_picture_with_too_many_pixels_is_not_shown(
    elsewhere: CroppingProcess,
) -> None:
    with pytest.raises(NotFoundError):
        elsewhere.crop_to_fill(picture(7000, 7000), 32, 32)


def test_the_process_ends_when_nothing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cropping, "IDLE_S", 0.01)
    reading, writing = os.pipe()

    with os.fdopen(reading, "rb") as requests, os.fdopen(writing, "wb"):
        answers = io.BytesIO()
        cropping.serve(requests, answers)

    assert answers.getvalue() == b""
