"""Loading modules without looking for garbage meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """
    Look for no garbage in a block that loads modules: what they make stays.

    Python would look several times, which is a tenth of the time that they take, and
    once more at the end, because all of it is new.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # Old from now on; what load_shared() has frozen stays so.
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()
