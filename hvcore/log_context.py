"""
Keep the log context of each thread: the ids of the request, task or video that its log lines get.

Each thread has ids of its own; a new thread begins without any.
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
    """Return the ids that this thread's log lines get, by their names."""
    return _ids.get(_NOTHING)


def replace(ids: Mapping[str, str]) -> None:
    """Replace the ids that this thread's log lines get from now on; empty for none."""
    _ids.set(ids)


@contextmanager
def about(ids: Mapping[str, str]) -> Iterator[None]:
    """Add ids to the ids that this thread's log lines get, within the block."""
    before = current()
    replace({**before, **ids})
    try:
        yield
    finally:
        replace(before)


class AddIds(logging.Filter):
    """Log filter that adds the ids of the thread's log context to each record, unless the record has them already."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the ids as attributes ``hv_<name>``; return True, which keeps the record."""
        for name, value in current().items():
            if not hasattr(record, f"hv_{name}"):
                setattr(record, f"hv_{name}", value)
        return True
