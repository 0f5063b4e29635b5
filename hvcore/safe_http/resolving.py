"""Resolve host names to IP addresses, within a time that the caller sets."""

import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hvcore.safe_http.errors import OutboundError
from hvcore.safe_http.watching import SLICE_S

MAX_LOOKUPS: Final = 64
"""
Lookups that may hang at a time in this process: so many before connections, and as
many again for checks only.

The system's resolver takes no timeout; the owner of a name can make it wait for half
a minute.
"""

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""
Returns the addresses of a name as text; raises OSError if there are none.
"""

_slots: Final = threading.BoundedSemaphore(MAX_LOOKUPS)


def system_addresses(host: str, port: int) -> Sequence[str]:
    """Return the IP addresses of a host name by the system's resolver; waits as long as that takes."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(item[4][0]) for item in found))


def look_up(
    resolve: Resolve, host: str, port: int, *, limit_s: float, check: Callable[[], None]
) -> Sequence[str]:
    """
    Wait for a free lookup slot, and return the IP addresses of a host name.

    Args:
        check: Called several times a second; raises to end the wait.

    Raises:
        OutboundError: The name has no addresses, or the lookup takes longer than ``limit_s`` or
            cannot begin.
    """
    ends_at = time.monotonic() + limit_s
    # What was taken is given back: a lookup may outlive whoever asked.
    slots = _slots
    _take_slot(slots, ends_at, check)
    results = _ask(resolve, host, port, slots.release)
    return _known(_wait(results, ends_at, check), host)


def look_up_now(
    resolve: Resolve,
    host: str,
    port: int,
    *,
    limit_s: float,
    at_end: Callable[[], None],
) -> Sequence[str]:
    """
    Return the IP addresses of a host name, without waiting for a free lookup slot.

    Args:
        at_end: Called when the lookup ends, which may be long after this function has
            raised.

    Raises:
        OutboundError: The name has no addresses, or the lookup takes longer than ``limit_s`` or
            cannot begin.
    """
    results = _ask(resolve, host, port, at_end)
    try:
        return _known(results.get(timeout=limit_s), host)
    except queue.Empty:
        return _known(None, host)


_Results: TypeAlias = "queue.SimpleQueue[Sequence[str] | Exception]"


def _ask(
    resolve: Resolve, host: str, port: int, at_end: Callable[[], None]
) -> _Results:
    results: _Results = queue.SimpleQueue()

    def ask() -> None:
        try:
            found: Sequence[str] | Exception = resolve(host, port)
        # UnicodeError: the socket module encodes names once more.
        except (OSError, UnicodeError) as exc:
            found = exc
        finally:
            at_end()
        results.put(found)

    try:
        threading.Thread(target=ask, name="look-up", daemon=True).start()
    except RuntimeError as exc:
        # The machine has no thread to give; what was taken for this one goes back.
        at_end()
        raise OutboundError(f"The host name {host} cannot be looked up now.") from exc
    return results


def _known(found: Sequence[str] | Exception | None, host: str) -> Sequence[str]:
    if isinstance(found, Exception) or not found:
        raise OutboundError(f"The host name {host} is not known.")
    return found


def _take_slot(
    slots: threading.Semaphore, ends_at: float, check: Callable[[], None]
) -> None:
    while not slots.acquire(timeout=SLICE_S):
        check()
        if time.monotonic() >= ends_at:
            raise OutboundError("Too many host names are being looked up.")


def _wait(
    results: _Results,
    ends_at: float,
    check: Callable[[], None],
) -> Sequence[str] | Exception | None:
    while (left_s := ends_at - time.monotonic()) > 0:
        check()
        try:
            return results.get(timeout=min(SLICE_S, left_s))
        except queue.Empty:
            continue
    return None
