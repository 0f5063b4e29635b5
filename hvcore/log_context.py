"""
The context of a thread's log lines: the request, the task, the video.

Each thread has its own; a thread that is started begins with nothing.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

REQUEST_ID: Final = "request_id"

_ids: ContextVar[Mapping[str, str]] = ContextVar("hv_log_ids")
_NOTHING: Final[Mapping[str, str]] = {}


def current() -> Mapping[str, str]:
    """Return the ids of what this thread does now, by their names."""
    return _ids.get(_NOTHING)


def replace(ids: Mapping[str, str]) -> None:
    """Replace the ids of this thread's log lines from now on; empty for none."""
    _ids.set(ids)


@contextmanager
def about(ids: Mapping[str, str]) -> Iterator[None]:
    """Add ids to this thread's log lines within the block."""
    before = current()
    replace({**before, **ids})
    try:
        yield
    finally:
        replace(before)


class AddIds(logging.Filter):
    """Adds to each record what its thread does, unless the record says so itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the ids as ``hv_`` attributes; let every record pass."""
        for name, value in current().items():
            if not hasattr(record, f"hv_{name}"):
                setattr(record, f"hv_{name}", value)
        return True
