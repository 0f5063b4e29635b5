"""
Limit the log lines that clients may cause.

For each kind there is a limit per client and a limit for all clients, each minute: no
flood of bad requests pushes everything else out of a log, or fills a disk. Lines that
are left out are counted; the first line after the minute says how many.
"""

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import attrs

from hvcore.processes.fork_lock import ForkLock

WINDOW_S: Final = 60.0
LINES_OF_ONE: Final = 10
"""In a window: a player that tries again and again. Settings may say otherwise."""
LINES_OF_KIND: Final = 60
"""In a window, of all clients: about 12 KB."""

_log = logging.getLogger(__name__)
_CREDENTIAL = re.compile(r"(ek_|shr_|hv_live_|hv_test_)([0-9A-Za-z]{6})[0-9A-Za-z]+")


class _Source(NamedTuple):
    kind: str
    part: str
    client: str


@attrs.define(kw_only=True)
class LogLines:
    """
    Writes log lines that clients cause, up to a limit for each client and for all; thread-safe.

    Attributes:
        of_one: The most lines of one kind that one client may cause in a minute.
        now_s: Returns the seconds of a clock that never goes back.
    """

    of_one: int = LINES_OF_ONE
    now_s: Callable[[], float] = time.monotonic
    _lock: ForkLock = attrs.field(factory=ForkLock, init=False)
    _began_s: float = attrs.field(default=float("-inf"), init=False)
    # Only what is written is counted: so many keys are the most.
    _written: Counter[_Source] = attrs.field(factory=Counter, init=False)
    _totals: Counter[str] = attrs.field(factory=Counter, init=False)
    _left_out: Counter[str] = attrs.field(factory=Counter, init=False)

    def write(  # noqa: PLR0913 - of a logger, and who is the cause
        self,
        log: logging.Logger,
        level: int,
        message: str,
        *,
        client: str,
        part: str = "",
        group: str = "",
        of_kind: int = LINES_OF_KIND,
        extra: Mapping[str, object],
        exc_info: BaseException | None = None,
    ) -> None:
        """
        Write a log line, unless the client or all clients caused too many of its kind within the minute.

        Args:
            message: The text of the line, which is also its kind (with the group).
            client: The client that causes the line, such as an address or an organization.
                It is not written.
            part: A part of the kind; each client has the limit for each part.
            group: Makes the lines of a message with this group a kind of their own.
            of_kind: The most lines of the kind that all clients cause in a minute.
        """
        kind = f"{message}: {group}" if group else message
        source = _Source(kind, part, client)
        with self._lock.held():
            left_out = self._begin_window()
            is_written = self._has_room(source, of_kind)
        for missed, count in left_out.items():
            _log.info(
                "lines not written", extra={"hv_message": missed, "hv_count": count}
            )
        if is_written:
            log.log(level, message, extra=dict(extra), exc_info=exc_info)

    def forget(self) -> None:
        """Forget the counted log lines, so that the limits begin anew."""
        with self._lock.held():
            self._began_s = float("-inf")

    def _begin_window(self) -> Mapping[str, int]:
        """Begin to count again if it is time; return how many lines were left out."""
        now_s = self.now_s()
        if now_s - self._began_s < WINDOW_S:
            return {}
        left_out, self._left_out = self._left_out, Counter()
        self._began_s = now_s
        self._written.clear()
        self._totals.clear()
        return left_out

    def _has_room(self, source: _Source, of_kind: int) -> bool:
        is_full = self._totals[source.kind] >= of_kind
        if is_full or self._written[source] >= self.of_one:
            self._left_out[source.kind] += 1
            return False
        self._totals[source.kind] += 1
        self._written[source] += 1
        return True


LOG_LINES: Final = LogLines()
"""Of this process; with the settings of the services that were built last."""


def without_credentials(text: str) -> str:
    """Return a text in which API keys and codes of share links are cut to their beginnings."""
    return _CREDENTIAL.sub(r"\1\2…", text)
