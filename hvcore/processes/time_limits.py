"""
Wait for calls only as long as they make progress.

Python ends no thread from outside. A call that hangs goes on in a daemon thread,
which does not hold up the process's exit; its stack can be read. A call counts as hanging
if it has reached no new place in the code for a while: on a busy machine a call is slow,
and a limit on its duration would prove nothing.
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
    """A call that runs in a thread of its own, begun when this object is made."""

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
        Wait while the call makes progress; return whether it has ended (False: it hangs).

        Args:
            silent_s: The seconds without progress after which the call counts as hanging.
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

        An exception that would end the process, such as SystemExit, is raised as a RuntimeError.
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
        """Return the innermost stack frame of the running call; None if the call has ended."""
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
    """Makes calls one after the other, each in a thread; a call that hangs does not hold up the following ones."""

    def __init__(self) -> None:
        self._hung = 0

    def start(self, call: Callable[[], ResultT], *, name: str) -> LimitedCall[ResultT]:
        """Begin a call, and return it once it has ended or seems to hang."""
        begun = LimitedCall(call, name=name)
        # Many that hang must not take many times as long.
        if not begun.has_ended(silent_s=PATIENCE_S / (1 + self._hung)):
            self._hung += 1
        return begun
