"""Faults that are not the task's own: of what the service needs, or of this host alone."""

import errno
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import attrs

from hvcore.errors import UnavailableError

OUTAGE_WAITS: Final = timedelta(minutes=1)
HANDED_ON_WAITS: Final = timedelta(seconds=1)
"""A task that this host cannot do: others may."""
HOST_RESTS_S: Final = 30.0
_OF_THIS_HOST: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    }
)


def is_outage(error: Exception) -> bool:
    """Return whether the task must wait, because the fault is not its own."""
    return isinstance(error, UnavailableError) or (
        isinstance(error, OSError) and error.errno in _OF_THIS_HOST
    )


def is_of_this_host(error: BaseException) -> bool:
    """
    Return whether this host lacks something, such as room on its disk.

    Also of an error that was raised from such a one.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _OF_THIS_HOST:
            return True
        cause = cause.__cause__
    return False


@attrs.define
class HostRest:
    """
    A while for which this process takes no more tasks, after its host lacked something.

    It would take and give back one after the other, quicker than any host does them.
    """

    elapsed_s: Callable[[], float] = time.monotonic
    _ends_at_s: float = float("-inf")

    def begin(self) -> None:
        """Rest from now on."""
        self._ends_at_s = self.elapsed_s() + HOST_RESTS_S

    @property
    def lasts(self) -> bool:
        """Return whether it is not over yet."""
        return self.elapsed_s() < self._ends_at_s
