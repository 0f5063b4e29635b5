"""Tell faults of a task from outages: of a service that it needs, or of this host alone."""

import errno
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import attrs

from hvcore.errors import UnavailableError

OUTAGE_WAITS: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=1)
"""A spending limit may last until midnight; operators may raise it before."""
HANDED_ON_WAITS: Final = timedelta(seconds=1)
"""How long a task waits that this host cannot do: other hosts may take it."""
HOST_RESTS_S: Final = 30.0
_OF_THIS_HOST: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM),
    }
)


def is_outage(error: Exception) -> bool:
    """Return whether an error is an outage, for which the task waits without a failed attempt."""
    return isinstance(error, UnavailableError) or (
        isinstance(error, OSError) and error.errno in _OF_THIS_HOST
    )


def outage_wait(error: Exception) -> timedelta:
    """Return the wait of a task after an outage: the time that the outage names, from a minute to an hour."""
    asked_s = error.retry_after_s if isinstance(error, UnavailableError) else 0
    return max(OUTAGE_WAITS, min(timedelta(seconds=asked_s), LONGEST_WAIT))


def is_of_this_host(error: BaseException) -> bool:
    """
    Return whether an error came from a lack on this host, such as of room on its disk.

    The causes from which the error was raised count, too.
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
    A pause in which this process takes no tasks, after its host lacked something.

    Without it, this process would take and give back one task after the other, quicker than
    any host works on them.
    """

    elapsed_s: Callable[[], float] = time.monotonic
    _ends_at_s: float = float("-inf")

    def begin(self) -> None:
        """Begin the pause, or begin it anew; it lasts HOST_RESTS_S seconds."""
        self._ends_at_s = self.elapsed_s() + HOST_RESTS_S

    @property
    def lasts(self) -> bool:
        """Return whether the pause still lasts."""
        return self.elapsed_s() < self._ends_at_s
