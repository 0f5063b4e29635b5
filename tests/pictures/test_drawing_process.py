"""
Pictures are drawn by a process of its own, and by another one if that ends.
"""

import fcntl
import io
import os
import re
import resource
import signal
import sys
import termios
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final

import psutil
import pytest
from PIL import Image

from hvcore.errors import InvalidParametersError, NotFoundError, UnavailableError
from hvcore.pictures import drawing, drawing_process
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.drawing_process import (
    NICENESS,
    DrawingEndedError,
    DrawingProcess,
    UnreadablePictureError,
)
from hvcore.pictures.redraw import redraw
from hvcore.pictures.sheets import draw_sheet
from tests.support.full_machine import full_machine
from tests.support.live import until

WITHIN_S = 20
PNG = "image/png"
LARGEST_BYTES = 170 * 10**6
"""Decoded as a whole, it took 270 MB."""


def picture(width_px: int = 64, height_px: int = 36, mode: str = "L") -> bytes:
    made = io.BytesIO()
    drawn = Image.linear_gradient("L").resize((width_px, height_px)).convert(mode)
    drawn.save(made, "PNG", compress_level=1)
    return made.getvalue()


OF_OTHER_TESTS: Final = set[int]()


@pytest.fixture(autouse=True)
def _remember_children_of_other_tests() -> None:
    OF_OTHER_TESTS.clear()
    OF_OTHER_TESTS.update(one.pid for one in children_that_draw())


@pytest.fixture
def elsewhere() -> Iterator[DrawingProcess]:
    found = DrawingProcess()
    yield found
    found.close()


def child() -> psutil.Process:
    """
    Return the only child that draws and began in this test.
    """
    (found,) = (one for one in children_that_draw() if one.pid not in OF_OTHER_TESTS)
    return found


def children_that_draw() -> list[psutil.Process]:
    """Return the children that draw; a room that tests share may have one."""
    return [one for one in psutil.Process().children() if _draws(one)]


def is_asked(stopped: DrawingProcess) -> bool:
    """
    Tell whether a request lies in the pipe of a child that reads nothing.
    """
    assert stopped._process is not None
    assert stopped._process.stdin is not None
    told = fcntl.ioctl(stopped._process.stdin, termios.FIONREAD, bytes(4))
    return int.from_bytes(told, sys.byteorder) > 0


def _draws(one: psutil.Process) -> bool:
    # Other tests of this process may have left children that nobody has waited for.
    try:
        return "hvcore.pictures.drawing" in one.cmdline()
    except psutil.ZombieProcess:
        return False


def test_pictures_are_the_same_wherever_they_are_made(
    elsewhere: DrawingProcess,
) -> None:
    for size in [(32, 32), (90, 16)]:
        made = elsewhere.crop_to_fill(picture(), *size)

        assert made == crop_to_fill(picture(), *size)
        with Image.open(io.BytesIO(made)) as opened:
            assert opened.size == size


def test_the_child_that_draws_is_nicer_than_the_serving_process(
    elsewhere: DrawingProcess,
) -> None:
    elsewhere.crop_to_fill(picture(), 32, 32)

    assert child().nice() == min(os.nice(0) + NICENESS, 19)


def test_a_png_of_the_most_pixels_takes_little_memory() -> None:
    with closing(DrawingProcess(niceness=0)) as elsewhere:
        elsewhere.redraw(picture(6_000, 5_900, "RGB"), PNG)
        status = Path(f"/proc/{child().pid}/status").read_text(encoding="ascii")

    (most_kib,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    assert int(most_kib) * 1024 < LARGEST_BYTES


def test_the_child_that_draws_does_not_know_the_settings(
    elsewhere: DrawingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_DATABASE__URL", "postgresql://hv:secret@db/hv")

    elsewhere.crop_to_fill(picture(), 32, 32)

    assert not any(name.startswith("HV_") for name in child().environ())


def test_another_process_takes_the_place_of_one_that_has_ended(
    elsewhere: DrawingProcess,
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child()

    first.send_signal(signal.SIGKILL)
    until(lambda: first.status() == psutil.STATUS_ZOMBIE, within_s=WITHIN_S)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid != first.pid


def test_a_request_that_an_ending_idle_child_does_not_read_goes_to_another() -> None:
    with closing(DrawingProcess(idle_s=0)) as elsewhere:
        made = {elsewhere.crop_to_fill(picture(), 32, 32) for _ in range(8)}

    assert len(made) == 1


def test_a_child_that_hangs_is_ended_and_another_takes_its_place(
    elsewhere: DrawingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child()
    first.send_signal(signal.SIGSTOP)
    until(lambda: first.status() == psutil.STATUS_STOPPED, within_s=WITHIN_S)
    with monkeypatch.context() as context:
        context.setattr(drawing_process, "MOST_S", 0.1)
        # Not tried again by itself: the picture may be why.
        with pytest.raises(DrawingEndedError):
            elsewhere.crop_to_fill(picture(), 32, 32)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid != first.pid


def test_a_picture_that_nobody_can_watch_is_an_outage_and_ends_no_child(
    elsewhere: DrawingProcess,
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child().pid

    with full_machine(), pytest.raises(UnavailableError, match="could not be made"):
        elsewhere.crop_to_fill(picture(), 32, 32)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid == first


def test_an_unreadable_picture_is_an_error_and_ends_no_child(
    elsewhere: DrawingProcess,
) -> None:
    made = elsewhere.crop_to_fill(picture(), 32, 32)
    first = child().pid

    with pytest.raises(UnreadablePictureError, match="UnidentifiedImageError"):
        elsewhere.crop_to_fill(b"no picture", 32, 32)

    assert elsewhere.crop_to_fill(picture(), 32, 32) == made
    assert child().pid == first


def test_a_picture_with_too_many_pixels_is_not_shown(
    elsewhere: DrawingProcess,
) -> None:
    with pytest.raises(NotFoundError, match="too large to be shown"):
        elsewhere.crop_to_fill(picture(7000, 7000), 32, 32)


def test_a_picture_is_redrawn_the_same_wherever_it_is(
    elsewhere: DrawingProcess,
) -> None:
    assert elsewhere.redraw(picture(), PNG) == redraw(picture(), PNG)
    with pytest.raises(InvalidParametersError, match="cannot be read as image/png"):
        elsewhere.redraw(b"no picture", PNG)
    with pytest.raises(InvalidParametersError, match="at least 16 pixels"):
        elsewhere.redraw(picture(8, 8), PNG)


def test_a_sheet_is_the_same_wherever_it_is_drawn(elsewhere: DrawingProcess) -> None:
    made = io.BytesIO()
    Image.new("RGB", (32, 18), "red").save(made, "JPEG")
    stills = [made.getvalue()] * 3

    assert elsewhere.draw_sheet(stills, columns=2) == draw_sheet(stills, columns=2)
    with pytest.raises(UnreadablePictureError, match="cannot identify"):
        elsewhere.draw_sheet([*stills, b"no still"], columns=2)


def test_a_picture_that_takes_too_much_memory_is_refused(
    elsewhere: DrawingProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing_process, "MOST_MEMORY_BYTES", 160 * 1024**2)
    large = picture(6000, 6000, "RGB")
    whole = io.BytesIO()
    Image.new("RGB", (6000, 6000)).save(whole, "JPEG")

    with pytest.raises(InvalidParametersError, match="too much memory"):
        elsewhere.redraw(whole.getvalue(), "image/jpeg")
    with pytest.raises(NotFoundError, match="too large to be shown"):
        elsewhere.crop_to_fill(large, 32, 32)

    assert elsewhere.redraw(picture(), PNG)


def test_a_picture_that_takes_too_much_of_a_processor_is_refused(
    elsewhere: DrawingProcess,
) -> None:
    elsewhere.redraw(picture(), PNG)
    first = child()
    first.send_signal(signal.SIGSTOP)
    until(lambda: first.status() == psutil.STATUS_STOPPED, within_s=WITHIN_S)

    with ThreadPoolExecutor(1) as pool:
        drawn = pool.submit(elsewhere.redraw, picture(), PNG)
        until(lambda: is_asked(elsewhere), within_s=WITHIN_S)
        # As the kernel does at the limit.
        first.send_signal(signal.SIGXCPU)
        first.send_signal(signal.SIGCONT)
        with pytest.raises(InvalidParametersError, match="too much memory or time"):
            drawn.result(WITHIN_S)


def test_the_process_has_so_much_time_for_each_picture() -> None:
    before = resource.getrlimit(resource.RLIMIT_CPU)
    try:
        drawing.limit_cpu()
        soft_s, hard_s = resource.getrlimit(resource.RLIMIT_CPU)
    finally:
        resource.setrlimit(resource.RLIMIT_CPU, before)

    assert 0 <= soft_s - time.process_time() <= drawing.MOST_CPU_S
    assert hard_s == before[1]


def test_the_process_ends_when_nothing_is_asked_for() -> None:
    reading, writing = os.pipe()

    with os.fdopen(reading, "rb") as requests, os.fdopen(writing, "wb"):
        answers = io.BytesIO()
        drawing.serve(requests, answers, idle_s=0.01)

    assert answers.getvalue() == b""
