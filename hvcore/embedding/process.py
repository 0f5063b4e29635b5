"""The services of this process, which a fork makes again."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from hvcore.fork_lock import ForkLock

if TYPE_CHECKING:
    from hvcore.assembly import Services


class ProcessServices:
    """
    Makes the services when they are first asked for; thread-safe.

    Servers load a program once and fork. Connections must not be carried over that.

    Args:
        make: Makes the services.
    """

    def __init__(self, make: "Callable[[], Services]") -> None:
        self._make = make
        # By the process that has made them. A child keeps its parent's: to close their
        # connections would end them for the parent, too.
        self._made: dict[int, Services] = {}
        self._lock = ForkLock()

    @property
    def services(self) -> "Services":
        """The services of this process, made at the first use."""
        made = self._made.get(os.getpid())
        if made is not None:
            return made
        with self._lock.held():
            made = self._made.get(os.getpid())
            if made is None:
                made = self._made[os.getpid()] = _used(self._make())
            return made

    def close(self) -> None:
        """Release the services of this process."""
        with self._lock.held():
            made = self._made.pop(os.getpid(), None)
        if made is not None:
            made.close()


def _used(services: "Services") -> "Services":
    try:
        # Made by the one thread that is here; afterwards any may use them.
        for part in (
            services.uploads,
            services.catalog,
            services.deletion,
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
