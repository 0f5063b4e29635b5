"""
``hv delivery`` that does not count while a file is there, to see what counting
costs: of two processes of the same program one may need a tenth more than the
other, for as long as they live.

Run as a process: ``python -m tests.benchmarks.delivery_switched FILE --fd FD``.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hv_cli.main import run
from hvcore.services.segment_counting import SegmentCounter, SpooledCounter

LOOKS_EVERY_S: Final = 0.1


def note_nothing(*_: object) -> Callable[[], None]:
    """
    Take the place of what writes a line, and of what makes ready to.
    """
    return _nothing


def _nothing() -> None:
    pass


def follow(switch: Path) -> None:
    """
    Count, or do not, until the process ends.
    """
    names = vars(SegmentCounter).keys() & vars(SpooledCounter).keys()
    counting = {
        name: vars(SpooledCounter)[name] for name in names if not name.startswith("_")
    }
    counts = True
    while True:
        if counts == switch.exists():
            counts = not counts
            for name, method in counting.items():
                setattr(SpooledCounter, name, method if counts else note_nothing)
        time.sleep(LOOKS_EVERY_S)


def main() -> int:
    """
    Serve.
    """
    switch, *words = sys.argv[1:]
    # The process that answers is a fork of this one.
    os.register_at_fork(
        after_in_child=lambda: threading.Thread(
            target=follow, args=[Path(switch)], daemon=True
        ).start()
    )
    return run(["delivery", *words])


if __name__ == "__main__":
    sys.exit(main())
