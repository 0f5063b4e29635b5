"""The queries of FastReads, and the readers that run them."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, Final, Protocol

import attrs

NO_ANSWER: Final = "The database does not answer."

Row = tuple[Any, ...]


@attrs.frozen(eq=False)
class Query:
    """
    A statement as the driver takes it.

    Attributes:
        names: Its parameters in the order of their places.
        is_packed: All rows come as one, in JSON.
        is_remembered: Within moments; False for what is large, and is kept by
            who asks.
        is_nothing_remembered: Also that there are no rows. Where strangers choose
            the values, such questions are without number.
        is_planned_anew: Each time, with its values in view; of a server.
    """

    text: str
    names: tuple[str, ...]
    is_packed: bool = False
    is_remembered: bool = True
    is_nothing_remembered: bool = False
    is_planned_anew: bool = False


class Reader(Protocol):
    """Asks one database."""

    def ask(self, question: Query, values: Mapping[str, object]) -> list[Row]: ...

    def moment(self) -> AbstractContextManager[None]:
        """See FastReads.moment."""
        ...

    @property
    def version(self) -> object:
        """See FastReads.version."""
        ...


class OwnedConnection:
    """A driver's connection, closed when nobody holds it any more."""

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - either driver's
        self.driver = driver

    def __del__(self) -> None:
        with suppress(Exception):
            self.driver.close()


class EndOfMoment(AbstractContextManager[None]):
    """Ends a thread's moment with a block, which a generator does more slowly."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = end

    def __exit__(self, *_: object) -> None:
        self._end()
