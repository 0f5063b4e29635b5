"""Rooms of children that draw pictures, each one picture at a time."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Final, TypeVar

import attrs

from hvcore.errors import UnavailableError
from hvcore.pictures.drawing_process import NICENESS, RETRY_AFTER_S, DrawingProcess
from hvcore.throttling.fair_threads import FairThreads
from hvcore.throttling.turns import end_turn

_T = TypeVar("_T")
_THINGS: Final = "pictures being made"


@attrs.define(kw_only=True, eq=False)
class DrawingRoom:
    """
    Draw pictures in children, in turn by organization and client; thread-safe.

    Attributes:
        share: The setting that says how many one client may have.
        children: How many draw at a time.
        places: For pictures that wait.
        most_of_one: What one client may have, begun and waiting.
        niceness: Of the children; see nice(2).
    """

    share: str
    children: int
    places: int
    most_of_one: int
    niceness: int = NICENESS
    _threads: FairThreads = attrs.field(init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    # Who has drawn last comes last, and is taken first: the others may end.
    _idle: list[DrawingProcess] = attrs.field(init=False)

    @_threads.default
    def _make_threads(self) -> FairThreads:
        return FairThreads(
            name=self.share,
            threads=self.children,
            places=self.places,
            most_of_one=self.most_of_one,
            things=_THINGS,
        )

    @_idle.default
    def _make_children(self) -> list[DrawingProcess]:
        return [DrawingProcess(niceness=self.niceness) for _ in range(self.children)]

    def begin(
        self,
        draw: Callable[[DrawingProcess], _T],
        *,
        organization: str,
        client: str,
    ) -> "Future[_T]":
        """
        Have a picture drawn when its turn comes.

        Args:
            draw: Has a child draw it, in a thread of the room.

        Raises:
            UnavailableError: Too many are waited for, in all or by the client.
        """

        def in_turn() -> _T:
            with self._lock:
                child = self._idle.pop()
            try:
                return draw(child)
            finally:
                with self._lock:
                    self._idle.append(child)

        return self._threads.submit(organization, client, in_turn)

    def draw(
        self,
        draw: Callable[[DrawingProcess], _T],
        *,
        organization: str,
        begins_within_s: float,
    ) -> _T:
        """
        Have a picture drawn, and wait for it.

        Raises:
            UnavailableError: As of begin, or it was not begun in time.
            Exception: As of ``draw``.
        """
        drawing = self.begin(draw, organization=organization, client=organization)
        # The children have it now; others of this process go on meanwhile.
        end_turn()
        try:
            wait([drawing], timeout=begins_within_s)
            if drawing.cancel():
                raise UnavailableError(
                    f"There are too many {_THINGS}; try again soon.",
                    retry_after_s=RETRY_AFTER_S,
                )
            # A child is bounded, so its answer comes.
            return drawing.result()
        finally:
            # An error has this frame, and the future has the error.
            del drawing

    def close(self) -> None:
        """End the children that draw nothing; others start when they are needed."""
        with self._lock:
            for child in self._idle:
                child.close()
