"""Declare the queries of FastReads, and the readers that run them on a database."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, Final, Protocol

import attrs

NO_ANSWER: Final = "The database does not answer."

Row = tuple[Any, ...]


@attrs.frozen(eq=False)
class Query:
    """
    An SQL statement as the database driver takes it, and how it may be cached.

    Attributes:
        names: The names of the parameters, in the order in which the statement has them.
        is_packed: Whether all rows come as one row of JSON.
        is_remembered: Whether answers are cached for threads that must not wait (see
            AnswerCache); False for large answers, which the caller caches.
        is_nothing_remembered: Whether answers without rows are cached, too. False where strangers
            choose the values, or they could fill the cache.
        is_planned_anew: Whether PostgreSQL plans the statement anew each time, because the best
            plan depends on the values.
    """

    text: str
    names: tuple[str, ...]
    is_packed: bool = False
    is_remembered: bool = True
    is_nothing_remembered: bool = False
    is_planned_anew: bool = False


class Reader(Protocol):
    """Runs the queries of FastReads on one database."""

    def ask(self, question: Query, values: Mapping[str, object]) -> list[Row]: ...

    def moment(self) -> AbstractContextManager[None]:
        """Answer this thread's queries within the block as of the block's beginning; see FastReads.moment."""
        ...

    @property
    def version(self) -> object:
        """A value that changes when the answers within this thread's ``moment`` may have changed; see FastReads.version."""
        ...


class OwnedConnection:
    """A driver's connection that is closed when nothing refers to it any more."""

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - either driver's
        self.driver = driver

    def __del__(self) -> None:
        with suppress(Exception):
            self.driver.close()


class EndOfMoment(AbstractContextManager[None]):
    """Context manager that calls a function at its end, to end a thread's moment (see FastReads.moment); quicker than a generator."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end

    def __exit__(self, *_: object) -> None:
        self._end()
