"""Check whether the service can serve, component by component."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from typing import Final

import attrs

from hvcore import __version__
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.errors import UnavailableError
from hvcore.ports.queue import Queue
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.room_to_write import RoomToWrite

OK: Final = "ok"
UNKNOWN: Final = "not known while the database does not answer"
CLOCKS_AGREE_WITHIN_S: Final = 2.0
"""The greatest difference between the clocks of a host and the database, in seconds. Playback tokens tolerate 5 s between two hosts."""


class HealthStatus(Enum):
    """The status of the service: ``ok``, ``degraded`` (still answers requests) or ``down``."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"


@attrs.frozen(kw_only=True)
class HealthReport:
    """
    The outcome of the checks of all components.

    Attributes:
        checks: Each component's ``ok``, or the reason why not.
        lacks: Features that this machine's encoder lacks, a sentence each; requests
            for them are refused, so the service is not degraded.
        sandbox: How the processing of uploaded files is confined; empty if unknown.
    """

    status: HealthStatus
    checks: Mapping[str, str]
    lacks: Sequence[str] = ()
    sandbox: str = ""
    version: str = __version__


@attrs.frozen(kw_only=True)
class Health:
    """
    Check every component that the service needs: database, clock, storage, queue, disk.

    Attributes:
        queue: The queue to check; None in an app that needs no queue.
        transcoder: The transcoder to check; None in an app that neither encodes nor refuses requests by the
            transcoder's abilities.
    """

    uow: UnitOfWork
    storage: Storage
    queue: Queue | None
    transcoder: Transcoder | None
    room: RoomToWrite

    def check(self) -> HealthReport:
        """Ask every component once, and return the outcomes and the status of the service."""
        # At the same time: if all are silent, the answer takes as long as with one.
        with ThreadPoolExecutor(2, thread_name_prefix="health") as others:
            storage = others.submit(_ask, self.storage.ping)
            queue = others.submit(_ask, self.queue.ping) if self.queue else None
            able = self.transcoder.capabilities() if self.transcoder else None
            # In this thread, which may have a connection of the database.
            database = _ask(self.uow.ping)
        clock = _ask(partial(check_clock, self.uow)) if database == OK else UNKNOWN
        checks = {
            "database": database,
            "clock": clock,
            "storage": storage.result(),
            **({} if queue is None else {"queue": queue.result()}),
            # In this thread as well: the database is asked once more.
            "disk": _ask(self.room.check) if database == OK else UNKNOWN,
        }
        if able is not None:
            checks["transcoder"] = _usable(able)
        if checks["database"] != OK or checks["storage"] != OK:
            status = HealthStatus.DOWN
        elif any(answer != OK for answer in checks.values()):
            status = HealthStatus.DEGRADED
        else:
            status = HealthStatus.OK
        return HealthReport(
            status=status,
            checks=checks,
            lacks=tuple(lack.what for lack in able.lacks) if able else (),
            sandbox=able.sandbox if able else "",
        )


def check_clock(uow: UnitOfWork) -> None:
    """
    Compare this host's clock with the database's.

    Raises:
        UnavailableError: The clocks differ by more than 2 s; the text says how much. Or the
            database does not answer.
    """
    ahead_s = uow.clock_ahead_s()
    if abs(ahead_s) > CLOCKS_AGREE_WITHIN_S:
        side = "ahead of" if ahead_s > 0 else "behind"
        raise UnavailableError(
            f"This host's clock is {abs(ahead_s):.0f} s {side} the database's: tokens and "
            "signed addresses begin and end at wrong times. Set it (NTP)."
        )


def _usable(able: Capabilities) -> str:
    return OK if able.usable else " ".join(able.problems) or "not usable"


def _ask(ping: Callable[[], None]) -> str:
    try:
        ping()
    except UnavailableError as error:
        return error.detail
    return OK
