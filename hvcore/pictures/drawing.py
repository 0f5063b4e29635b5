"""
The child process that draws pictures for its parent: ``python -m hvcore.pictures.drawing NICENESS IDLE_S``.

Requests are read from standard input, and answers written to standard output; see
:mod:`hvcore.pictures.drawing_process`.
"""

import os
import resource
import select
import struct
import sys
import time
from collections.abc import Sequence
from typing import BinaryIO, Final

from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.pictures.cropping import crop_to_fill, crop_to_webp
from hvcore.pictures.redraw import PICTURE_FORMATS, redraw
from hvcore.pictures.sheets import draw_sheet
from hvcore.pictures.webp import draw_animation
from hvcore.processes.child_launcher import share_processors_as_nice

MOST_CPU_S: Final = 15
"""For one answer; the most that any of the most pixels needs is 3 s."""
REQUEST: Final = struct.Struct(">BHHH")
"""What to do, two numbers, and how many pictures follow."""
SIZE: Final = struct.Struct(">I")
"""Bytes of the picture that follows."""
ANSWER: Final = struct.Struct(">BHHI")
"""What came of it, two numbers, and the bytes that follow."""
CROP, REDRAW, SHEET, CROP_TO_WEBP, ANIMATE = range(5)
MADE, TOO_LARGE, REFUSED, UNREADABLE, TOO_COSTLY = range(5)
TYPES: Final = tuple(PICTURE_FORMATS)

Answer = tuple[int, int, int, bytes]


def _drawn(do: int, one: int, two: int, pictures: Sequence[bytes]) -> Answer:
    if do == SHEET:
        sheet = draw_sheet(pictures, columns=one)
        return MADE, sheet.width_px, sheet.height_px, sheet.picture
    if do == ANIMATE:
        return MADE, 0, 0, draw_animation(pictures, frame_ms=one)
    (picture,) = pictures
    if do == CROP_TO_WEBP:
        return MADE, 0, 0, crop_to_webp(picture, one, two)
    if do == REDRAW:
        return MADE, 0, 0, redraw(picture, TYPES[one])
    return MADE, 0, 0, crop_to_fill(picture, one, two)


def _answer(do: int, one: int, two: int, pictures: Sequence[bytes]) -> Answer:
    try:
        return _drawn(do, one, two, pictures)
    except NotFoundError:
        return TOO_LARGE, 0, 0, b""
    except InvalidParametersError as exc:
        return REFUSED, 0, 0, exc.detail.encode()
    except MemoryError:
        return TOO_COSTLY, 0, 0, b""
    except Exception as exc:  # noqa: BLE001 - the parent raises it
        said = f"{type(exc).__name__}: {exc}".encode(errors="replace")
        return UNREADABLE, 0, 0, said


def serve(requests: BinaryIO, answers: BinaryIO, idle_s: float) -> None:
    """Read requests, draw each one's picture and write it as the answer, until no request comes for ``idle_s`` seconds."""
    while select.select([requests], [], [], idle_s)[0]:
        head = requests.read(REQUEST.size)
        if len(head) < REQUEST.size:
            return
        do, one, two, count = REQUEST.unpack(head)
        pictures = [
            requests.read(*SIZE.unpack(requests.read(SIZE.size))) for _ in range(count)
        ]
        limit_cpu()
        status, one, two, body = _answer(do, one, two, pictures)
        # Else these bytes would stay until the next request.
        del pictures
        answers.write(ANSWER.pack(status, one, two, len(body)))
        answers.write(body)
        answers.flush()


def limit_cpu() -> None:
    """Have the kernel end this process if one picture takes too much processor time."""
    _, hard_s = resource.getrlimit(resource.RLIMIT_CPU)
    soft_s = int(time.process_time()) + MOST_CPU_S
    if hard_s != resource.RLIM_INFINITY:
        soft_s = min(soft_s, hard_s)
    resource.setrlimit(resource.RLIMIT_CPU, (soft_s, hard_s))


if __name__ == "__main__":
    import PIL.Image
    import PIL.JpegImagePlugin
    import PIL.PngImagePlugin
    import PIL.WebPImagePlugin  # noqa: F401

    # Not sooner: somebody waits for the first picture, and on a busy machine a nice
    # process took five seconds for the 0.15 s that it needs to begin.
    os.nice(int(sys.argv[1]))
    share_processors_as_nice()
    serve(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[2]))
