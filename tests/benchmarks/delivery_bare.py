"""
``hv delivery`` with a counter that does nothing, to see what counting costs.

Run as a process: ``python -m tests.benchmarks.delivery_bare --fd FD``.
"""

import sys
from collections.abc import Callable

from hv_cli.main import run
from hvcore.services.segment_counting import SegmentCounter, SpooledCounter


def note_nothing(*_: object) -> Callable[[], None]:
    """
    Take the place of what writes a line, and of what makes ready to.
    """
    return _nothing


def _nothing() -> None:
    pass


def main() -> int:
    """
    Serve, and count nothing.
    """
    for name in vars(SegmentCounter).keys() & vars(SpooledCounter).keys():
        if not name.startswith("_"):
            setattr(SpooledCounter, name, note_nothing)
    return run(["delivery", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
