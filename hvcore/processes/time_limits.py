"""
Calls that somebody waits for only as long as they get on.

Python ends no thread from outside. A call that hangs goes on, in a daemon thread that
holds up no exit; it is known where it is. It hangs if it has been at no place in the
code where it was not before: on a machine that has no time for it, a call gets on
slowly, and an hour would prove nothing.
"""

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Final, Generic, TypeVar

ResultT = TypeVar("ResultT")
LONGEST_S: Final = 60.0
"""Whatever it does meanwhile."""
FIRST_SLICE_S: Final = 0.02
SLICE_S: Final = 0.1
"""Between two looks at where a call is."""
PATIENCE_S: Final = 2.0


class LimitedCall(Generic[ResultT]):
    """A call in a thread of its own; it begins when this is made."""

    def __init__(self, call: Callable[[], ResultT], *, name: str) -> None:
        self._call = call
        self._results: list[ResultT] = []
        self._error: BaseException | None = None
        self._seen: set[tuple[tuple[int, int], ...]] = set()
        self._began_s = self._moved_s = time.monotonic()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def age_s(self) -> float:
        """The seconds since the call began."""
        return time.monotonic() - self._began_s

    def has_ended(self, *, silent_s: float) -> bool:
        """
        Wait while it gets on; return whether it has ended.

        Args:
            silent_s: How long it may be without getting on.
        """
        slice_s = FIRST_SLICE_S
        while True:
            self._thread.join(slice_s)
            if not self._thread.is_alive():
                return True
            self._look()
            silent = time.monotonic() - self._moved_s
            if silent >= silent_s or self.age_s >= LONGEST_S:
                return False
            slice_s = SLICE_S

    def result(self) -> ResultT:
        """
        Return the result of a call that has ended, or raise its error.

        What would end a process, such as SystemExit, is raised as a RuntimeError
        from it: another's call ends nobody's process.
        """
        if self._error is None:
            return self._results[0]
        if isinstance(self._error, Exception):
            raise self._error
        name = type(self._error).__name__
        raise RuntimeError(f"{name}: {self._error}").with_traceback(
            self._error.__traceback__
        ) from self._error

    def frame(self) -> FrameType | None:
        """Return the innermost frame of the running call; None if it has ended."""
        return sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - the one way to see it

    def _run(self) -> None:
        try:
            self._results.append(self._call())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            self._error = error

    def _look(self) -> None:
        stack, frame = [], self.frame()
        while frame is not None:
            stack.append((id(frame.f_code), frame.f_lineno or 0))
            frame = frame.f_back
        place = tuple(stack)
        if place not in self._seen:
            self._seen.add(place)
            self._moved_s = time.monotonic()


class LimitedCalls:
    """Calls one after the other; one that hangs goes on beside those that follow."""

    def __init__(self) -> None:
        self._hung = 0

    def start(self, call: Callable[[], ResultT], *, name: str) -> LimitedCall[ResultT]:
        """Begin a call, and return once it has ended, or seems to hang."""
        begun = LimitedCall(call, name=name)
        # Many that hang must not take many times as long.
        if not begun.has_ended(silent_s=PATIENCE_S / (1 + self._hung)):
            self._hung += 1
        return begun
