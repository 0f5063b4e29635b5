"""
The services of this process, which a fork makes again.
"""

import os
import threading
from collections.abc import Callable

from hvcore.assembly import Services


class ProcessServices:
    """
    Makes the services when they are first asked for; thread-safe.

    Servers load a program once and fork. Connections must not be carried over that.

    Args:
        make: Makes the services.
    """

    def __init__(self, make: Callable[[], Services]) -> None:
        self._make = make
        self._made: Services | None = None
        self._owner_pid = 0
        self._lock = threading.Lock()

    @property
    def services(self) -> Services:
        """
        Those of this process.
        """
        if self._made is None or self._owner_pid != os.getpid():
            with self._lock:
                if self._made is None or self._owner_pid != os.getpid():
                    self._made = _used(self._make())
                    self._owner_pid = os.getpid()
        return self._made

    def close(self) -> None:
        """
        Release what this process holds.
        """
        with self._lock:
            made, self._made = self._made, None
        if made is not None and self._owner_pid == os.getpid():
            made.close()


def _used(services: Services) -> Services:
    # Made by the one thread that is here; afterwards any may use them.
    for part in (
        services.uploads,
        services.catalog,
        services.deletion,
        services.playback,
        services.tenants,
    ):
        assert part is not None  # noqa: S101 - reading it is what makes it
    return services
