"""
Limit the share of a common resource that one client may hold.

A client is an organization, or an IP address if the caller is unknown. A client that
holds its share is refused, which leaves the rest to the others; the last part goes
only to clients that hold nothing yet.
"""

import ipaddress
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import attrs

from hvcore.errors import ShareMetError, UnavailableError
from hvcore.metrics.declared import SHARES_REFUSED
from hvcore.processes.fork_lock import ForkLock
from hvcore.throttling.log_throttle import LogThrottle

BUSY_RETRY_AFTER_S: Final = 10
_WARNS_EVERY_S: Final = 60.0
_IPV6_SITE_BITS: Final = 64
"""One line of a household has as many addresses as this leaves."""

_log = logging.getLogger(__name__)


class ShareRefusals:
    """Counts the refusals of clients because of their share, by the share's name; thread-safe."""

    def __init__(self) -> None:
        self._lock = ForkLock()
        self._counts: Counter[str] = Counter()
        self._warnings = LogThrottle(_WARNS_EVERY_S)

    def add(self, name: str) -> None:
        """Count a refusal because of the share with this name, and log the refusals once a minute."""
        with self._lock.held():
            self._counts[name] += 1
            count = self._counts[name]
        SHARES_REFUSED.add(name)
        if self._warnings.is_time(name):
            _log.warning(
                "a share was met", extra={"hv_share": name, "hv_refused_total": count}
            )

    def total(self, name: str) -> int:
        """Return the number of refusals because of the share with this name since the process began."""
        with self._lock.held():
            return self._counts[name]


REFUSALS: Final = ShareRefusals()
"""Of this process."""


@attrs.define(kw_only=True)
class SharedCapacity:
    """
    A common resource, such as running uploads, of which each client may hold a share; thread-safe.

    Attributes:
        name: The name of the setting that limits a client's share, for the log.
        capacity: The amount of the resource in this process, in the unit of the costs.
        most_of_one: The most that one client may hold.
        reserved_for_newcomers: The last part of the capacity, which only newcomers get.
        newcomers_hold: A client that holds no more than this is a newcomer.
        things: The word for the resource in messages: ``Too many {things} at a time``.
        elapsed_s: Returns the seconds of a clock that only goes forward.
    """

    name: str
    capacity: float
    most_of_one: float
    reserved_for_newcomers: float = 0
    newcomers_hold: float = 0
    things: str
    elapsed_s: Callable[[], float] = time.monotonic
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _held: dict[str, float] = attrs.field(factory=dict, init=False)
    _total: float = attrs.field(default=0, init=False)
    _refused_at_s: float = attrs.field(default=float("-inf"), init=False)

    @contextmanager
    def take(self, client: str, cost: float = 1) -> Iterator[None]:
        """
        Hold ``cost`` units of the resource for a client within the block.

        Raises:
            UnavailableError: The resource is all taken, or the client holds its whole share.
        """
        self.acquire(client, cost)
        try:
            yield
        finally:
            self.release(client, cost)

    def acquire(self, client: str, cost: float = 1) -> None:
        """
        Take ``cost`` units of the resource for a client, until ``release`` gives them back.

        Raises:
            UnavailableError: The resource is all taken, or the client holds its whole share.
        """
        with self._lock:
            is_own_share_met = self._is_own_share_met(client, cost)
            if not is_own_share_met and not self._is_full_for(client, cost):
                self._held[client] = self._held.get(client, 0) + cost
                self._total += cost
                return
            if not is_own_share_met:
                # A client that has its share makes nothing scarce.
                self._refused_at_s = self.elapsed_s()
        REFUSALS.add(self.name)
        raise share_refusal(self.things, is_own_share_met=is_own_share_met)

    def release(self, client: str, cost: float = 1) -> None:
        """Give back ``cost`` units of the resource that ``acquire`` has taken for a client."""
        with self._lock:
            left = self._held.pop(client, 0) - cost
            if left > 0:
                self._held[client] = left
            self._total = self._total - cost if self._held else 0

    def may_take(self, client: str, cost: float = 1) -> bool:
        """Return whether a client would get ``cost`` units of the resource now; takes nothing."""
        with self._lock:
            return not (
                self._is_own_share_met(client, cost) or self._is_full_for(client, cost)
            )

    def is_scarce(self) -> bool:
        """Return whether the resource is all taken, and a client within its share was refused a moment ago."""
        with self._lock:
            waits_s = self.elapsed_s() - self._refused_at_s
            # They come back after a while, and a little later than told.
            return self._total >= self.capacity and waits_s < 2 * BUSY_RETRY_AFTER_S

    def _is_own_share_met(self, client: str, cost: float) -> bool:
        return self._held.get(client, 0) + cost > self.most_of_one

    def _is_full_for(self, client: str, cost: float) -> bool:
        is_newcomer = self._held.get(client, 0) <= self.newcomers_hold
        reserved = 0 if is_newcomer else self.reserved_for_newcomers
        return self._total + cost > self.capacity - reserved


def share_refusal(things: str, *, is_own_share_met: bool) -> UnavailableError:
    """
    Return the error for a client that gets no part of a common resource now.

    Args:
        things: The things of which there are too many, in the plural, such as ``uploads``.
        is_own_share_met: Whether the client itself has too many; otherwise all clients
            together have.
    """
    error = ShareMetError if is_own_share_met else UnavailableError
    why = "You have too many" if is_own_share_met else "There are too many"
    return error(
        f"{why} {things} at a time; try again soon.", retry_after_s=BUSY_RETRY_AFTER_S
    )


def client_of_address(address: str) -> str:
    """
    Return the client that an IP address counts as in shares.

    For IPv6 it is the /64 network: a client with one address of a network has all of its
    addresses.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        # A unix socket's peer has none.
        return "address "
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return f"address {found.ipv4_mapped}"
        network = ipaddress.ip_network((found, _IPV6_SITE_BITS), strict=False)
        return f"address {network.network_address}"
    return f"address {found}"
