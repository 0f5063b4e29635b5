"""Make the services of a process, and make them anew in a forked process."""

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from hvcore.processes.fork_lock import ForkLock

if TYPE_CHECKING:
    from hvcore.assembly import Services

T = TypeVar("T")

TASK: Final = "embedded"
BEATS_EVERY_S: Final = 60.0
"""While it is used; see docs/decisions/0180."""
BEAT_LASTS: Final = timedelta(minutes=15)
BEAT_WAITS_MS: Final = 100
"""The host may hold SQLite's only lock in the same thread."""

_log: Final = logging.getLogger(__name__)


class ProcessServices:
    """
    Makes the services when they are first asked for; thread-safe.

    Servers load a program once and fork; connections must not be used on both sides of a fork.
    While the services are used, the process writes a heartbeat into the database, at most once
    a minute.

    Args:
        make: Makes the services.
    """

    def __init__(self, make: "Callable[[], Services]") -> None:
        self._make = make
        # By the process that has made them. A child keeps its parent's: to close their
        # connections would end them for the parent, too.
        self._made: dict[int, Services] = {}
        self._beats_again_at_s: dict[int, float] = {}
        self._has_beaten: set[int] = set()
        # Whose tables were seen to be of this version.
        self._usable: Services | None = None
        self._lock = ForkLock()
        self._making = ForkLock()

    @property
    def services(self) -> "Services":
        """The services of this process, made when they are first read."""
        made = self._made.get(os.getpid())
        return self._make_once() if made is None else made

    def in_use(self) -> "Services":
        """
        Return the services, and write a heartbeat into the database at most once a minute.

        Do not call this within the host program's transaction: the heartbeat takes a connection.

        Raises:
            NotMigratedError: The tables do not exist, or are of an older version.
            ConfigError: The tables are of a newer version.
            UnavailableError: The database does not answer.
        """
        made = self.services
        if made is not self._usable:
            made.refuse_unusable()
            self._usable = made
        self._beat(made)
        return made

    def answering(self) -> "Services":
        """Return the services as ``in_use`` does, for web apps that report errors of the database themselves."""
        made = self.services
        self._beat(made)
        return made

    def service(self, read: "Callable[[Services], T]") -> T:
        """
        Return one of the services, which is made when it is first asked for.

        Args:
            read: Reads an attribute of the services; called by one thread at a time.
        """
        services = self.in_use()
        with self._making.held():
            return read(services)

    def close(self) -> None:
        """Close the services of this process; they are made again when they are next used."""
        with self._lock.held():
            made = self._made.pop(os.getpid(), None)
            has_beaten = os.getpid() in self._has_beaten
            self._has_beaten.discard(os.getpid())
            self._beats_again_at_s.pop(os.getpid(), None)
        if made is None:
            return
        try:
            if has_beaten:
                with suppress(Exception):
                    made.forget_process(TASK, waits_ms=BEAT_WAITS_MS)
        finally:
            made.close()

    def _make_once(self) -> "Services":
        with self._lock.held():
            made = self._made.get(os.getpid())
            if made is None:
                made = self._made[os.getpid()] = _used(self._make())
            return made

    def _beat(self, services: "Services") -> None:
        """Tell the database by the way, without a thread of our own in the host."""
        process, now_s = os.getpid(), time.monotonic()
        if now_s < self._beats_again_at_s.get(process, 0.0):
            return
        with self._lock.held():
            # Another thread may have closed them meanwhile.
            if self._made.get(process) is not services:
                return
            self._beats_again_at_s[process] = now_s + BEATS_EVERY_S
            has_beaten_before = process in self._has_beaten
            self._has_beaten.add(process)
        try:
            services.beat(TASK, lasts=BEAT_LASTS, waits_ms=BEAT_WAITS_MS)
        except Exception as error:  # noqa: BLE001 - there may be no tables yet, say
            _log.info("no heartbeat", extra={"hv_why": type(error).__name__})
            if not has_beaten_before:
                self._has_beaten.discard(process)


def _used(services: "Services") -> "Services":
    try:
        # Made by the one thread that is here; afterwards any may use them.
        for part in (
            services.uploads,
            services.catalog,
            services.deletion,
            services.editing,
            services.playback,
            services.tenants,
        ):
            assert part is not None  # noqa: S101 - reading it is what makes it
    except BaseException:
        # What it has opened until then. The first error says what is wrong.
        with suppress(Exception):
            services.close()
        raise
    return services
