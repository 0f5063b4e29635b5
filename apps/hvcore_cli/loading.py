"""Switch Python's garbage collection off while modules are loaded."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_garbage_collected() -> Iterator[None]:
    """
    Within the ``with`` block, which loads modules, switch Python's garbage collection off.

    Python would collect several times, which is a tenth of the time that loading takes, and
    once more at the end, because all objects are new. The objects of modules stay anyway.
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
