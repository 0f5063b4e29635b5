"""
Limits of the time that a store may be silent.

A request of the API or of delivery waits for small answers, so they have a limit in all.
Whole objects take as long as they take: they have one for each step.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from fsspec.asyn import sync

from hvcore.plugin_api import UnavailableError

ANSWER_S: Final = 4.0
"""For a small answer, with all repetitions: its caller waits for five seconds."""
PING_S: Final = 2.0
"""Up to two questions are one ping."""
LIST_S: Final = 300.0
"""For a whole list, which only jobs make; a thousand objects take less than a second."""
PAGE_S: Final = 30.0
"""For a page of a list, which only jobs ask for: a busy store may think about it."""
REMOVE_S: Final = 300.0
"""For a thousand objects, which only jobs remove."""
JOIN_S: Final = 600.0
"""To join parts or copy a large object: S3 promises an answer within minutes."""
SEND_S: Final = 60.0
SLOWEST_BYTES_PER_S: Final = 64 * 1024
"""Of what is sent: nothing tells whether bytes of one request go on."""


class SilentStoreError(UnavailableError):
    """No answer came in time; to ask again would take as long."""


def send_limit_s(size_bytes: int) -> float:
    """Return the limit in seconds of sending so many bytes to the store."""
    return SEND_S + size_bytes / SLOWEST_BYTES_PER_S


def read_limit_s(size_bytes: int) -> float:
    """Return the limit in seconds of a read of so many bytes that shows no progress."""
    return ANSWER_S + size_bytes / SLOWEST_BYTES_PER_S


def ask_within(
    limit_s: float,
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    method: str,
    *args: object,
    **options: object,
) -> Any:  # noqa: ANN401 - whatever the method returns
    """
    Call a method of a file system; what does not answer in time is cancelled.

    Args:
        limit_s: For file systems whose methods can be cancelled; others keep their own.

    Raises:
        TimeoutError: No answer came in time.
        Exception: Whatever the method raises.
    """
    if not fs.async_impl:
        return getattr(fs, method)(*args, **options)
    call = getattr(fs, f"_{method}")
    return run_within(limit_s, fs, lambda: call(*args, **options))


def run_within(
    limit_s: float,
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    call: Callable[[], Awaitable[Any]],
) -> Any:  # noqa: ANN401 - whatever the call returns
    """Wait for a coroutine of a file system's loop; see ask_within."""
    # Of s3fs, once for each process: to read what S3 can do takes a third of a second of
    # the processor, or ten times that on a busy machine. Nobody is asked.
    prepare = getattr(fs, "set_session", None)

    async def within() -> Any:  # noqa: ANN401 - see above
        if prepare is not None:
            await prepare()
        async with asyncio.timeout(limit_s):
            return await call()

    return sync(fs.loop, within)
