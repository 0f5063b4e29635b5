"""Write boxes."""

import struct


def box(kind: bytes, *bodies: bytes) -> bytes:
    """Return a box with what is in it."""
    size = 8 + sum(map(len, bodies))
    return b"".join((struct.pack(">I4s", size, kind), *bodies))


def full_box(kind: bytes, *bodies: bytes, version: int = 0, flags: int = 0) -> bytes:
    """Return a box that has a version and flags."""
    return box(kind, struct.pack(">I", version << 24 | flags), *bodies)


def number(value: int) -> bytes:
    """Return a number of 32 bits."""
    return struct.pack(">I", value)
