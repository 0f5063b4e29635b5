"""Loading modules without looking for garbage meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """
    Look for no garbage in a block that loads modules: what they make stays.

    Python would look several times, which is a tenth of the time that they take.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
