"""
Hold a thread at a line of a call while other calls run, for the kits.

A race condition shows every time in this way, whatever the machine does.
"""

import linecache
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, TypeVar

from hvcore.testing.children import TraceFunction

T = TypeVar("T")
OtherT = TypeVar("OtherT")

_HELD_S: Final = 0.02
_WAITS_S: Final = 0.5
"""The seconds after which a call that neither ends nor comes to its line waits for another one."""
_HANGS_AFTER_S: Final = 30.0
_MOST_LETTERS: Final = 60
"""The most letters of a line of code in a message."""
_OF_PYTHON: Final = (sysconfig.get_paths()["stdlib"], "<")
_INSTALLED: Final = ("site-packages", "dist-packages")


def any_file(_file: str) -> bool:
    """Return True for every file, so that ``held_at`` counts the lines of all code."""
    return True


class Hold:
    """
    The function that ``held_at`` gives: holds a first call at a line while a second one runs.

    Attributes:
        places: The line and file of each call that was held, such as
            ``acme/backend.py:83``.
    """

    def __init__(
        self, line: int, is_counted: Callable[[str], bool], held_s: float
    ) -> None:
        self.places: list[str] = []
        self._line = line
        self._is_counted = is_counted
        self._held_s = held_s

    def __call__(
        self, first: Callable[[], T], second: Callable[[], OtherT]
    ) -> tuple[T, OtherT] | None:
        """
        Call a function in a thread, hold it at the line, and call a second function meanwhile.

        If the second call waits for the first one, as for a lock, the first one goes on.

        Returns:
            The results of both calls; None if ``first`` runs fewer lines.

        Raises:
            AssertionError: A call hangs; its thread is left behind.
        """
        held = _HeldCall(self._line, self._is_counted)
        one = _begun(partial(held.run, first))
        held.stops.wait(_HANGS_AFTER_S)
        if held.place is not None:
            self.places.append(held.place)
        other = _begun(second)
        wait([other], self._held_s)
        held.goes_on.set()
        both = _result(one, "held"), _result(other, "other")
        return None if held.place is None else both


class _HeldCall:
    """
    A call that stops at one of its lines until it may go on.

    Attributes:
        stops: Set once the call is held, or has ended.
        goes_on: Set by whoever lets the call go on.
        place: Where the call is held; None if it ran fewer lines.
    """

    def __init__(self, line: int, is_counted: Callable[[str], bool]) -> None:
        self.stops, self.goes_on = threading.Event(), threading.Event()
        self.place: str | None = None
        self._line = line
        self._is_counted = is_counted
        self._lines = 0

    def run(self, call: Callable[[], T]) -> T:
        sys.settrace(self._trace)
        try:
            return call()
        finally:
            sys.settrace(None)
            self.stops.set()

    def _trace(
        self, frame: FrameType, event: str, _arg: object
    ) -> TraceFunction | None:
        if not self._is_counted(frame.f_code.co_filename):
            return None
        self._lines += event == "line"
        if self._lines == self._line and self.place is None:
            self.place = _place(frame)
            self.stops.set()
            self.goes_on.wait()
        return self._trace


@contextmanager
def held_at(
    line: int,
    *,
    is_counted: Callable[[str], bool] = any_file,
    held_s: float = _HELD_S,
) -> Iterator[Hold]:
    """
    Yield a function that runs two calls, the first of them held at one of its lines while the second one runs.

    The function returns the results of both calls, or None if the first call runs fewer lines
    than ``line``, and so was never held.

    An error in the block says where the call was held::

        with held_at(line) as hold:
            both = hold(first, second)
            assert both in (None, wanted), "two callers are mixed up"

    Args:
        line: The number of the line, from 1 on, counted over all code that the held
            call runs.
        is_counted: Returns whether the lines of a file are counted.
        held_s: The most seconds for which the first call is held while the second one
            does not end.

    Raises:
        AssertionError: The block failed an assertion; the message begins with the place.
    """
    hold = Hold(line, is_counted, held_s)
    try:
        yield hold
    except AssertionError as exc:
        raise AssertionError(f"{_told(hold.places)}: {exc}") from exc
    except Exception as exc:
        exc.add_note(_told(hold.places))
        raise


def call_one_line_apart(
    call: Callable[[], object],
    *,
    is_counted: Callable[[str], bool],
    at_most: int = 60,
) -> None:
    """
    Call a function in many threads, each held one line further than the one before, and then let all go on.

    So one call is before each line of the function, while others are behind it: each
    state of the data that the function changes meets each of its lines.

    Args:
        at_most: The most calls; there are fewer if a call ends before its line, or
            waits for a call that is held.

    Raises:
        AssertionError: A call failed, or hangs; says where it was held.
    """
    calls: list[_HeldCall] = []
    failures: list[BaseException] = []

    def work(held: _HeldCall) -> None:
        try:
            held.run(call)
        except BaseException as exc:  # noqa: BLE001 - raised below
            failures.append(_failed(held, calls, exc))

    threads: list[threading.Thread] = []
    for line in range(1, at_most + 1):
        held = _HeldCall(line, is_counted)
        calls.append(held)
        threads.append(threading.Thread(target=work, args=(held,), daemon=True))
        threads[-1].start()
        if not held.stops.wait(_WAITS_S) or held.place is None:
            break
    for held, thread in zip(calls, threads, strict=True):
        held.goes_on.set()
        thread.join(_HELD_S)
    for held, thread in zip(calls, threads, strict=True):
        thread.join(_HANGS_AFTER_S)
        if thread.is_alive():
            failures.append(_failed(held, calls, TimeoutError("it does not end")))
    if failures:
        raise failures[0]


def lines_of(
    call: Callable[[], object], *, is_counted: Callable[[str], bool] = any_file
) -> int:
    """Return the number of lines that a call runs, counted as ``held_at`` counts them."""
    lines = 0

    def trace(frame: FrameType, event: str, _arg: object) -> TraceFunction | None:
        nonlocal lines
        if not is_counted(frame.f_code.co_filename):
            return None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


def _begun(call: Callable[[], T]) -> Future[T]:
    """Call a function in a thread that keeps no process from ending; return its future result."""
    future = Future[T]()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as exc:  # noqa: BLE001 - raised by whoever waits
            future.set_exception(exc)

    threading.Thread(target=work, daemon=True).start()
    return future


def _result(future: Future[T], name: str) -> T:
    ended = wait([future], _HANGS_AFTER_S).done
    assert ended, f"the {name} call does not end within {_HANGS_AFTER_S:g} s"
    return future.result()


def _failed(
    held: _HeldCall, calls: Sequence[_HeldCall], error: BaseException
) -> AssertionError:
    """Return an error of one of several calls as a failure that says where they were held."""
    places = [one.place for one in calls if one.place is not None]
    told = (
        f"a call beside others that were held up to {places[-1] if places else '?'}"
        if held.place is None
        else f"a call that was held at {held.place} while others went on"
    )
    failure = AssertionError(f"{told} failed: {error!r}")
    failure.__cause__ = error
    return failure


def _told(places: Sequence[str]) -> str:
    return f"held at {' and '.join(places)}" if places else "with no call held"


def _place(frame: FrameType) -> str:
    """Return a line of a frame, and, if that is Python's own, the line that called it."""
    caller: FrameType | None = frame
    while caller is not None and _is_of_python(caller.f_code.co_filename):
        caller = caller.f_back
    called_at = "" if caller in {None, frame} else f", called at {_line(caller)}"
    return f"{_line(frame)}{called_at}"


def _is_of_python(file: str) -> bool:
    return file.startswith(_OF_PYTHON) and not any(part in file for part in _INSTALLED)


def _line(frame: FrameType) -> str:
    file = Path(frame.f_code.co_filename)
    code = linecache.getline(str(file), frame.f_lineno).strip()[:_MOST_LETTERS]
    return f"{file.parent.name}/{file.name}:{frame.f_lineno} ({code})"
