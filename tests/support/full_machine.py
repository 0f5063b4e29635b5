"""
A machine that has no thread to give.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def full_machine() -> Iterator[None]:
    """
    Refuse every new thread of this process until the block ends, as Python does.
    """

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        yield
