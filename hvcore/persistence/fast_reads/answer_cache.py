"""
Cache the answers of a database server for less than a second, for threads that must not wait.

As at an edge (docs/decisions/0023), no answer is used after a change on this machine. If
many threads need the same answer, one of them renews it while the others use the old one.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Final, TypeAlias

import attrs

from hvcore.errors import UnavailableError
from hvcore.files.changes_file import CACHE_TTL_S, RENEWED_AFTER_S, ChangesFile
from hvcore.persistence.fast_reads.readers import EndOfMoment, Query, Row

MAX_ANSWERS: Final = 4096
"""Answers; about 4 MB."""

_Key: TypeAlias = tuple[object, ...]


class CacheMissError(UnavailableError):
    """The cache has no valid answer, and asking the database server would take a while."""

    default_detail = "Ask again where waiting does no harm."


@attrs.define(eq=False)
class _CachedAnswer:
    """An answer, and when it was asked for: by the clock and by the changes."""

    rows: list[Row]
    asked_s: float
    change: bytes
    is_renewed: bool = False


@attrs.frozen(eq=False)
class _Moment:
    now_s: float
    change: bytes | None


def since_boot_s() -> float:
    """Return the seconds since the machine booted: a clock that nobody can set, and that counts sleep, too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class AnswerCache:
    """
    Cache query answers, and give threads within a *moment* only cached ones; thread-safe.

    A moment is a block in which a thread must not wait for the server. Queries outside of
    moments always go to the server; their answers are cached once any thread has had a
    moment.
    """

    def __init__(
        self, changes: ChangesFile, now_s: Callable[[], float] = since_boot_s
    ) -> None:
        self._changes = changes
        self._now_s = now_s
        self._answers: dict[_Key, _CachedAnswer] = {}
        # For who writes to it; who reads never waits for them.
        self._writing = threading.Lock()
        self._thread = threading.local()
        self._end = EndOfMoment(self.end_moment)
        self._is_used = False

    def answer(
        self,
        question: Query,
        values: Mapping[str, object],
        ask: Callable[[Query, Mapping[str, object]], list[Row]],
    ) -> list[Row]:
        """
        Return the rows of a query: within a moment from the cache, outside of one from the server.

        Args:
            values: The values of the query's parameters, by name.
            ask: Runs the query on the server.

        Raises:
            CacheMissError: Within a moment: no cached answer is still valid.
            UnavailableError: The server does not answer.
        """
        moment: _Moment | None = getattr(self._thread, "moment", None)
        if moment is not None:
            return self._recall((question.text, *values.items()), moment)
        if not (self._is_used and question.is_remembered):
            return ask(question, values)
        asked_s, change = self._now_s(), self._changes.latest()
        rows = ask(question, values)
        if change is not None:
            key = (question.text, *values.items())
            if rows or question.is_nothing_remembered or key in self._answers:
                self._keep(key, _CachedAnswer(rows, asked_s, change))
        return rows

    def moment(self) -> AbstractContextManager[None]:
        """Begin a moment: within the block this thread's queries are answered from the cache, or raise CacheMissError."""
        self._is_used = True
        self._thread.moment = _Moment(self._now_s(), self._changes.latest())
        return self._end

    def end_moment(self) -> None:
        """End the moment of the calling thread: the server answers the thread's next queries again."""
        self._thread.moment = None

    def _recall(self, key: _Key, moment: _Moment) -> list[Row]:
        cached = self._answers.get(key)
        if cached is None or cached.change != moment.change:
            raise CacheMissError
        # Below zero where another thread has asked since the moment began.
        age_s = moment.now_s - cached.asked_s
        if abs(age_s) >= CACHE_TTL_S:
            raise CacheMissError
        if age_s >= RENEWED_AFTER_S and not cached.is_renewed:
            # Whoever gets this has it asked again; the others go on.
            cached.is_renewed = True
            raise CacheMissError
        return cached.rows

    def _keep(self, key: _Key, new: _CachedAnswer) -> None:
        with self._writing:
            known = self._answers.get(key)
            if known is not None and known.asked_s > new.asked_s:
                return
            if known is None and len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            self._answers[key] = new
