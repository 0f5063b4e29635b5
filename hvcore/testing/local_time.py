"""Change the time zone of the process for a block, in tests of plugins."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def local_time(zone: str) -> Iterator[None]:
    """Set the local time zone of the process for a block, by its POSIX name."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        del os.environ["TZ"]
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()
