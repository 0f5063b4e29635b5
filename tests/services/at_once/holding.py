"""
Hold one of two calls before each of its statements while the other one runs through.

Races between two transactions want two requests within a millisecond. Here the first call
stops before its n-th statement (or commit), the second one runs until it has ended or waits
for a lock of the first, and then the first goes on: for every n, so that nothing that can
come between two statements is left to chance.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import attrs
from sqlalchemy import event
from sqlalchemy.engine import Engine

from hvcore.errors import HvError, UnavailableError
from tests.support.servers import PostgresqlServer, wait_until

ENDS_WITHIN_S: Final = 30
MOST_STATEMENTS: Final = 80
"""Of the first call; a call with more is wrong, or the test is."""
WAITS_WITHIN_S: Final = 2
"""After that, the second call waits within the process."""
LOOKS_EVERY_S: Final = 0.01
"""Whether the second call waits for a lock: most have ended by then."""

Call = Callable[[], object]
Pair = tuple[Call, Call]


@attrs.frozen(kw_only=True)
class AtOnce:
    """
    The end of two calls of which the first was held.

    Attributes:
        held_at: Before which statement of the call that was held, from 0 on.
        first: What the first call returned, or the HvError by which it was refused.
        second: The same of the second call.
    """

    held_at: int
    first: object
    second: object

    @property
    def refused(self) -> int:
        """
        Return how many of the two calls were refused.
        """
        return sum(isinstance(end, HvError) for end in (self.first, self.second))

    def turned(self) -> "AtOnce":
        """
        Return the same, as if the calls had been given in the other order.
        """
        return attrs.evolve(self, first=self.second, second=self.first)


@attrs.frozen(kw_only=True)
class Holding:
    """
    Run pairs of calls on one database of PostgreSQL.
    """

    engine: Engine
    server: PostgresqlServer

    def each_order(self, make: Callable[[], Pair]) -> Iterator[AtOnce]:
        """
        Give the ends of a pair of calls, of which first one is held and then the other.
        """
        yield from self.each_statement(make)
        for ends in self.each_statement(lambda: make()[::-1]):
            yield ends.turned()

    def each_statement(self, make: Callable[[], Pair]) -> Iterator[AtOnce]:
        """
        Give the ends of a pair of calls, held before each statement in turn.

        Args:
            make: Makes what the calls change anew, and returns the two calls. The first
                one is held.
        """
        for number in range(MOST_STATEMENTS):
            first, second = make()
            ends = self._run(first, second, number)
            if ends is None:
                assert number > 0, "the first call sends no statement"
                return
            yield ends
        raise AssertionError(f"the first call has {MOST_STATEMENTS} statements or more")

    def _run(self, first: Call, second: Call, number: int) -> AtOnce | None:
        hold, log = _Hold(number), self.server.log()
        held = _Running(first, before=hold.begin, after=hold.stop_waiting)
        other = _Running(second)
        with self._holding(hold):
            held.start()
            hold.wait()
            if hold.is_held:
                other.start()
                self._wait_for(other)
            hold.let_go()
            ends = held.end(), other.end() if hold.is_held else None
        # A worker that is told of one tries again in silence.
        new = self.server.log()[len(log) :]
        assert "deadlock detected" not in new, f"held at {number}: {new}"
        if not hold.is_held:
            return None
        return AtOnce(held_at=number, first=ends[0], second=ends[1])

    @contextmanager
    def _holding(self, hold: "_Hold") -> Iterator[None]:
        listeners: list[tuple[str, Callable[..., None]]] = [
            ("before_cursor_execute", lambda *_: hold.pass_by()),
            ("commit", lambda _: hold.pass_by()),
        ]
        for name, listener in listeners:
            event.listen(self.engine, name, listener)
        try:
            yield
        finally:
            hold.let_go()
            for name, listener in listeners:
                event.remove(self.engine, name, listener)

    def _wait_for(self, other: "_Running") -> None:
        """
        Return once a call has ended, or waits for the one that is held.

        Either for a lock of the database, or, if for so long nothing has happened,
        within the process: one reads for many.
        """
        with suppress(TimeoutError):
            wait_until(
                lambda: other.ends_within(LOOKS_EVERY_S) or self._does_one_wait(),
                timeout_s=WAITS_WITHIN_S,
            )

    def _does_one_wait(self) -> bool:
        database = self.engine.url.database
        waiting = self.server.ask(
            "SELECT datname FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        )
        return (database,) in waiting


class _Hold:
    def __init__(self, number: int) -> None:
        self._number = number
        self._passed = 0
        self._thread: int | None = None
        self._reached, self._free = threading.Event(), threading.Event()
        self.is_held = False

    def wait(self) -> None:
        assert self._reached.wait(ENDS_WITHIN_S), "the first call does not end"

    def stop_waiting(self) -> None:
        self._reached.set()

    def begin(self) -> None:
        self._thread = threading.get_ident()

    def pass_by(self) -> None:
        if threading.get_ident() != self._thread or self._free.is_set():
            return
        if self._passed == self._number:
            self.is_held = True
            self._reached.set()
            assert self._free.wait(ENDS_WITHIN_S), "the first call was never let go"
        self._passed += 1

    def let_go(self) -> None:
        self._free.set()


class _Running:
    def __init__(
        self,
        call: Call,
        *,
        before: Callable[[], None] = lambda: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        self._call, self._before, self._after = call, before, after
        self._result: object = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def ends_within(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def end(self) -> object:
        self._thread.join(ENDS_WITHIN_S)
        assert not self._thread.is_alive(), "a call does not end"
        if self._failure is not None:
            raise self._failure
        return self._result

    def _run(self) -> None:
        self._before()
        try:
            self._call_it()
        finally:
            self._after()

    def _call_it(self) -> None:
        try:
            self._result = self._call()
        except UnavailableError as error:
            # A deadlock, say: nobody may be told to come again because of another.
            self._failure = error
        except HvError as error:
            self._result = error
        except BaseException as error:  # noqa: BLE001 - raised by the test's thread
            self._failure = error
