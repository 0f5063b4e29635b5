"""
Files as the workers of the edge's nginx leave them.

Their form stands in :mod:`hvcore_edge.tallies`; it is written here anew, so that reader and
tests do not share an error. How long they are is no part of it.
"""

import secrets
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from hvcore.services.counting.sessions import SessionNames
from hvcore_edge.tallies import FILE_BYTES

MINUTE: Final = 29_455_384
BEGAN: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
PLACE: Final = b"org_a env-1 vid_a1B 720"
OTHER: Final = b"org_a env-1 vid_a1B 1080"
SESSION: Final = b" s=0123456789abcdef0123"
NOTE: Final = SESSION + b" c=DE r=example.com"
NAMES: Final = SessionNames("a secret of at least 32 characters")


def tally(minute: int, *records: tuple[bytes, int, int, int]) -> bytes:
    """
    Return what is used of a file.

    Args:
        minute: Since 1970.
        records: Of each the text, the segments, and the milliseconds of the first
            and of the last of them.
    """
    data = b"hvtally1" + struct.pack("<II", minute, 0)
    return data + b"".join(
        struct.pack("<IIII", len(text), segments, first_ms, last_ms)
        + text
        + bytes(-len(text) % 8)
        for text, segments, first_ms, last_ms in records
    )


def write_tally(folder: Path, data: bytes, *, is_whole: bool = False) -> Path:
    """
    Write a file that nobody has locked, and return its path.

    Args:
        is_whole: With all the room that a worker leaves behind what it used.
    """
    path = folder / f"edge-{secrets.token_hex(16)}.tally"
    path.write_bytes(data.ljust(FILE_BYTES, b"\0") if is_whole else data)
    return path


def ms(number: int) -> timedelta:
    return timedelta(milliseconds=number)
