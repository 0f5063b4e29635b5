"""Write the bytes of boxes of MP4 files."""

import struct


def box(kind: bytes, *bodies: bytes) -> bytes:
    """Return the bytes of an MP4 box of a kind (four letters) with the given contents."""
    size = 8 + sum(map(len, bodies))
    return b"".join((struct.pack(">I4s", size, kind), *bodies))


def full_box(kind: bytes, *bodies: bytes, version: int = 0, flags: int = 0) -> bytes:
    """Return the bytes of an MP4 box with a version, flags and the given contents."""
    return box(kind, struct.pack(">I", version << 24 | flags), *bodies)


def number(value: int) -> bytes:
    """Return an unsigned integer as four big-endian bytes, the form that MP4 boxes use."""
    return struct.pack(">I", value)
