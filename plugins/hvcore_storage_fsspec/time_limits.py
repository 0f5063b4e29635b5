"""
The time limits for a silent store, and calls that keep to them.

Requests of the API and of delivery wait for small answers, so one limit holds for such
a call with all its tries. Transfers of whole objects may take long, so their limits are
for each step.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from fsspec.asyn import sync

from hvcore.plugin_api import UnavailableError

ANSWER_S: Final = 4.0
"""The limit of a small answer with all repetitions, because its caller waits for five seconds."""
PING_S: Final = 2.0
"""The limit of a question of a ping, which asks up to two."""
LIST_S: Final = 300.0
"""The limit of a whole list, which only jobs make; a thousand objects take less than a second."""
PAGE_S: Final = 30.0
"""The limit of a page of a list, which only jobs ask for; a busy store may take long."""
REMOVE_S: Final = 300.0
"""The limit of removing a thousand objects, which only jobs do."""
JOIN_S: Final = 600.0
"""The limit of joining parts or copying a large object: S3 promises an answer within minutes."""
SEND_S: Final = 60.0
SLOWEST_BYTES_PER_S: Final = 64 * 1024
"""The slowest accepted upload: nothing tells whether the bytes of one request go on."""


class SilentStoreError(UnavailableError):
    """A store did not answer in time, so that another try would probably take as long."""


def send_limit_s(size_bytes: int) -> float:
    """Return the time limit in seconds for sending a number of bytes to the store in one request."""
    return SEND_S + size_bytes / SLOWEST_BYTES_PER_S


def read_limit_s(size_bytes: int) -> float:
    """Return the time limit in seconds for reading a number of bytes without visible progress."""
    return ANSWER_S + size_bytes / SLOWEST_BYTES_PER_S


def ask_within(
    limit_s: float,
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    method: str,
    *args: object,
    **options: object,
) -> Any:  # noqa: ANN401 - whatever the method returns
    """
    Call an asynchronous method of a file system, and cancel it if it takes too long.

    Args:
        limit_s: The limit in seconds for file systems whose methods are asynchronous;
            others keep their own limits.

    Raises:
        TimeoutError: No answer came in time.
        Exception: An error that the method raises.
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
    """
    Run a coroutine in the event loop of a file system, and cancel it if it takes too long.

    Args:
        limit_s: The limit in seconds.
        call: Returns the coroutine.

    Raises:
        TimeoutError: The coroutine has not ended in time.
    """
    # Of s3fs, once for each process: to read what S3 can do takes a third of a second of
    # the processor, or ten times that on a busy machine. Nobody is asked.
    prepare = getattr(fs, "set_session", None)

    async def within() -> Any:  # noqa: ANN401 - see above
        if prepare is not None:
            await prepare()
        async with asyncio.timeout(limit_s):
            return await call()

    return sync(fs.loop, within)
