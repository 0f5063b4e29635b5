"""The drawing room: a pool of child processes that draw pictures, each one picture at a time."""

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
    Draws pictures in child processes, in turn by organization and client; thread-safe.

    Attributes:
        share: The name of the setting that limits the pictures of one client.
        children: The number of child processes that draw at a time.
        places: The number of pictures that may wait.
        most_of_one: The most pictures, drawn now and waiting, that one client may have.
        niceness: The niceness of the children; see nice(2).
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
        Queue a picture for drawing, and return the future of what ``draw`` returns.

        Args:
            draw: Has a child process draw the picture; called in a thread of the room.

        Raises:
            UnavailableError: Too many pictures wait, in all or of the client.
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
        Queue a picture for drawing, wait until it is drawn, and return the result of ``draw``.

        Args:
            begins_within_s: The most seconds to wait until the drawing begins.

        Raises:
            UnavailableError: Too many pictures wait, in all or of the client; or the
                drawing was not begun in time.
            Exception: The function ``draw`` has raised an error.
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
        """End the child processes that draw nothing now; others start when they are needed."""
        with self._lock:
            for child in self._idle:
                child.close()
