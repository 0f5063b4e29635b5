"""
Make the process give freed memory back to the operating system.

The GNU C library keeps a heap for each few threads, and gives back only the end of a heap.
Memory that it maps separately, it gives back at once. But each large object that is freed
raises the size from which on it maps separately, up to 32 MB. Measured with
the bodies of eight pictures of 10 MB that arrive at once, again and again: 84 MB stayed
each time.
"""

import ctypes
from contextlib import suppress
from typing import Final

APART_FROM_BYTES: Final = 1024**2
"""The size from which memory is allocated separately and returned to the system: files and
bodies have it, the usual memory of requests is smaller."""
_MMAP_THRESHOLD: Final = -3
"""The parameter M_MMAP_THRESHOLD of mallopt(3), which the C library then no longer adapts."""


def give_freed_memory_back() -> None:
    """Have the GNU C library map large objects separately; with another C library, do nothing."""
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, APART_FROM_BYTES)
