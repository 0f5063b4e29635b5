"""
Crop pictures to a size: ``python -m hvcore.pictures.cropping`` does so for its parent.

It reads requests from standard input, and writes each answer to standard output; see
:mod:`hvcore.pictures.cropping_process`.
"""

import io
import select
import struct
import sys
from typing import BinaryIO, Final

from hvcore.domain.limits import MAX_SOURCE_PIXELS
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import NotFoundError
from hvcore.pictures.jpeg import encode_jpeg

JPEG_QUALITY: Final = 82
IDLE_S: Final = 60.0
"""After that the process ends: it takes the memory of a Python and of its pictures."""
REQUEST: Final = struct.Struct(">IHH")
"""Bytes of the picture that follows, width and height in pixels."""
ANSWER: Final = struct.Struct(">BI")
"""One of the three below, and the bytes of what follows."""
MADE, TOO_LARGE, FAILED = range(3)


def crop_to_fill(picture: bytes, width_px: int, height_px: int) -> bytes:
    """
    Return a JPEG of exactly this size, its middle cut out of the picture.

    Raises:
        NotFoundError: The picture has too many pixels.
    """
    # Costs 60 ms to import, and most processes make no pictures.
    from PIL import Image, ImageOps  # noqa: PLC0415

    Image.MAX_IMAGE_PIXELS = MAX_SOURCE_PIXELS
    with Image.open(io.BytesIO(picture), formats=("JPEG", "PNG")) as opened:
        if opened.width * opened.height > MAX_SOURCE_PIXELS:
            raise too_large()
        # Lets the JPEG decoder skip what a small picture does not need; twice
        # the size, so that scaling still has something to work with.
        opened.draft("RGB", (width_px * 2, height_px * 2))
        fitted = ImageOps.fit(opened.convert("RGB"), (width_px, height_px))
    return encode_jpeg(fitted, quality=JPEG_QUALITY, is_progressive=True)


def too_large() -> NotFoundError:
    """
    Return what is said of a picture with too many pixels.
    """
    return NotFoundError(
        "The video's picture is too large to be shown.", rule=PlaybackRule.NO_PICTURE
    )


def _answer(picture: bytes, width_px: int, height_px: int) -> tuple[int, bytes]:
    try:
        return MADE, crop_to_fill(picture, width_px, height_px)
    except NotFoundError:
        return TOO_LARGE, b""
    except Exception as exc:  # noqa: BLE001 - the parent raises it
        return FAILED, f"{type(exc).__name__}: {exc}".encode(errors="replace")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """
    Answer one request after the other, until there are none for a while.
    """
    while select.select([requests], [], [], IDLE_S)[0]:
        head = requests.read(REQUEST.size)
        if len(head) < REQUEST.size:
            return
        size, width_px, height_px = REQUEST.unpack(head)
        status, body = _answer(requests.read(size), width_px, height_px)
        answers.write(ANSWER.pack(status, len(body)) + body)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
