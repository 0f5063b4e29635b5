"""
``hv`` on a host whose clock is off: ``python -m tests.hosts.shifted_clock SECONDS WORD…``.

What asks for the time of day gets another one; what measures how long something takes
does not. libfaketime would do so for all of a process, but with version 0.9.10 each
``time.sleep`` of Python fails (EINVAL), and a time namespace has no time of day.
"""

import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from hvcore.clock import SystemClock
from hvcore_cli.main import main

NS_PER_S: Final = 1_000_000_000


def shift(by_s: int) -> None:
    """
    Change the time of day of this process, and of its forks.
    """
    right_s, right_ns = time.time, time.time_ns
    right_now: Callable[[SystemClock], datetime] = SystemClock.now
    time.time = lambda: right_s() + by_s
    time.time_ns = lambda: right_ns() + by_s * NS_PER_S
    SystemClock.now = lambda self: (  # type: ignore[method-assign]
        right_now(self) + timedelta(seconds=by_s)
    )


if __name__ == "__main__":
    shift(int(sys.argv[1]))
    sys.argv = ["hv", *sys.argv[2:]]
    main()
