"""Another time zone of the machine, for kits."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def local_time(zone: str) -> Iterator[None]:
    """Let the machine be in another time zone, as POSIX names one."""
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
