"""
Interrupt a backend's call by an error at each of its lines, for the kits.

The errors are those of a failing disk, of Ctrl-C, of an exit, and of a generator that
is closed. A call must pass the error on, and leave its data as before or as after the
whole call.

Errors are raised in the backend's own code alone, and not where it cleans up
(``finally``,
``__exit__``): nobody can write a clean-up that is broken off itself.
"""

import ast
import dis
import errno
import inspect
import linecache
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, Generic, TypeAlias, TypeVar

import attrs

from hvcore.testing.children import TraceFunction, ends_within, spread

T = TypeVar("T")
RAISED: Final = (OSError, KeyboardInterrupt, SystemExit, GeneratorExit)

_HANGS_AFTER_S: Final = 20.0
_CLEANS_UP: Final = {"__exit__", "__aexit__", "__del__"}
_NOT_THE_BACKENDS: Final = ("hvcore.ports", "hvcore.plugin_api", "hvcore.domain")

_Line: TypeAlias = tuple[CodeType, int]


@attrs.frozen(kw_only=True)
class BrokenOffCall(Generic[T]):
    """
    The outcome of a call in one line of which an error was raised.

    Attributes:
        kind: The class of the raised error.
        place: The file and line, such as ``backend.py:83``.
        result: The returned value; None if an error arrived.
        error: The error that arrived; None if the call returned, which it may after an
            OSError that it could do without: then everything must be done.
    """

    kind: type[BaseException]
    place: str
    result: T | None
    error: BaseException | None


def break_off_at_each_line(  # noqa: PLR0913 - each is another thing
    call: Callable[[], T],
    *,
    backends: Sequence[object],
    look: Callable[[BrokenOffCall[T]], None],
    before: Callable[[], None] = lambda: None,
    never: tuple[type[BaseException], ...] = (),
    at_most: int = 400,
) -> None:
    """
    Call a function again and again, each time raising an error at another line of the backends' code.

    Calls run in threads, so that a call that hangs is reported.

    Args:
        call: The function under test, which begins anew each time. Lines that it
            repeats count the first two times and
            the last time.
        backends: The backends under test; errors are raised in the packages of their
            classes.
        look: Called after each call; a failed assertion is reported with the error and
            its place.
        before: Called before each call, without errors.
        never: Classes of errors that must not arrive in place of an OSError, such as the
            error for an absent object: a failing disk does not make an object absent.
        at_most: The most calls, evenly spread over lines and kinds of errors.

    Raises:
        AssertionError: An error was swallowed or changed, ``look`` failed, or a call
            hangs.
    """
    is_own = FilesOf(backends)
    counting = _Tracing(is_own)
    ends_within(_HANGS_AFTER_S, partial(_traced, counting, before, call))
    assert counting.lines, "no line of the backend was called"
    moments = [(at, kind) for at in sorted(_chosen(counting.lines)) for kind in RAISED]
    for number in spread(len(moments), at_most=at_most):
        at, kind = moments[number - 1]
        tracing = _Tracing(is_own, at=at, error=_made(kind))
        work = partial(_break_off, tracing, before, call, look, never)
        try:
            ends_within(_HANGS_AFTER_S, work)
        except AssertionError as exc:
            told = f"after {kind.__name__} at {tracing.place}: {exc}"
            raise AssertionError(told) from exc


def break_off_until_it_ends(
    call: Callable[[], object], *, backends: Sequence[object], at_most: int = 200
) -> None:
    """
    Repeat a call that is interrupted one line later each time, until it runs to its end.

    Args:
        call: The function under test, which goes on from what the interrupted calls left.
        backends: The backends under test; KeyboardInterrupt is raised in the packages of
            their classes.
        at_most: The most interrupted calls; the call after them is not interrupted.

    Raises:
        AssertionError: A repeated call failed by itself, or hangs.
    """
    is_own, place = FilesOf(backends), "nothing yet"
    for at in [*range(at_most), None]:
        error = _made(KeyboardInterrupt)
        tracing = _Tracing(is_own, at=at, error=error)
        try:
            ends_within(_HANGS_AFTER_S, partial(_traced, tracing, _nothing, call))
        except BaseException as exc:
            if exc is not error:
                told = f"repeated after it was broken off at {place}, the call fails"
                raise AssertionError(f"{told}: {exc!r}") from exc
        else:
            return
        place = tracing.place or place


def _nothing() -> None:
    """Come before a call for which nothing is made ready."""


def _break_off(
    tracing: "_Tracing",
    before: Callable[[], None],
    call: Callable[[], T],
    look: Callable[[BrokenOffCall[T]], None],
    never: tuple[type[BaseException], ...],
) -> None:
    raised = tracing.error
    assert raised is not None
    result: T | None = None
    arrived: BaseException | None = None
    with _left_to_python(raised) as left:
        try:
            result = _traced(tracing, before, call)
        except BaseException as exc:  # noqa: BLE001 - looked at below
            arrived = exc
            _let_go(exc)
    if tracing.place is None or left:
        # The call took another way, or the error came out of a finalizer.
        return
    if not isinstance(raised, OSError):
        assert arrived is not None, "it was swallowed: the call returned"
        assert arrived is raised, f"it became {type(arrived).__name__}"
    assert not isinstance(arrived, never), f"it became {type(arrived).__name__}"
    look(
        BrokenOffCall(
            kind=type(raised), place=tracing.place, result=result, error=arrived
        )
    )


def _traced(
    tracing: "_Tracing", before: Callable[[], None], call: Callable[[], T]
) -> T:
    before()
    sys.settrace(tracing.trace)
    try:
        return call()
    finally:
        sys.settrace(None)


class _Tracing:
    """
    Counts the lines of backends that a call runs, and raises an error at one of them.

    Attributes:
        lines: As they came; without those on which nothing can be raised.
        place: Where the error was raised.
    """

    def __init__(
        self,
        is_own: "FilesOf",
        *,
        at: int | None = None,
        error: BaseException | None = None,
    ) -> None:
        self._is_own = is_own
        self._at = at
        self.error = error
        self.lines: list[_Line] = []
        self.place: str | None = None

    def trace(self, frame: FrameType, event: str, _arg: object) -> TraceFunction | None:
        """Count a line, and raise the error if it is the chosen one; Python calls this at each call and line."""
        if event == "call" and not self._is_own(frame.f_code.co_filename):
            return None
        if event == "line" and _can_raise(frame):
            if len(self.lines) == self._at and self.error is not None:
                file = Path(frame.f_code.co_filename).name
                self.place = f"{file}:{frame.f_lineno}"
                raise self.error
            self.lines.append((frame.f_code, frame.f_lineno))
        return self.trace


class FilesOf:
    """
    The source files of backends: of their packages, or, for classes in hvcore itself, of the classes alone.

    The parameter ``is_counted`` of ``held_at`` takes an instance.
    """

    def __init__(self, backends: Sequence[object]) -> None:
        self._files: set[str] = set()
        self._folders: tuple[str, ...] = ()
        for backend in backends:
            for kind in inspect.getmro(type(backend)):
                self._add(kind.__module__)

    def __call__(self, file: str) -> bool:
        """Return whether a file belongs to one of the backends."""
        return file in self._files or file.startswith(self._folders)

    def _add(self, module: str) -> None:
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or module.startswith(_NOT_THE_BACKENDS):
            return
        self._files.add(getattr(sys.modules[module], "__file__", None) or "")
        if top != "hvcore":
            folders = getattr(sys.modules[top], "__path__", ())
            self._folders += tuple(f"{folder}/" for folder in folders)


def _chosen(lines: Sequence[_Line]) -> set[int]:
    """Return the places in the order of lines: each line's first two and its last."""
    times: Counter[_Line] = Counter()
    chosen = set()
    for at, line in enumerate(lines):
        times[line] += 1
        if times[line] <= 2:
            chosen.add(at)
    last = {line: at for at, line in enumerate(lines)}
    return chosen | set(last.values())


def _made(kind: type[BaseException]) -> BaseException:
    if kind is OSError:
        return OSError(errno.EIO, "raised by the kit")
    return kind("raised by the kit")


def _can_raise(frame: FrameType) -> bool:
    code = frame.f_code
    if code.co_name in _CLEANS_UP or frame.f_lasti not in _raising(code):
        return False
    return frame.f_lineno not in _cleaning_lines(code.co_filename)


@cache
def _raising(code: CodeType) -> frozenset[int]:
    """
    Return the places of a code that can raise.

    ``try`` cannot; nor can the end of a ``with`` block, which begins with a None for
    ``__exit__``: an error there would leave a lock held, and never comes in real life.
    """
    found = list(dis.get_instructions(code))
    return frozenset(
        one.offset
        for one, following in zip(found, [*found[1:], None], strict=True)
        if one.opname != "NOP"
        and not _is_none(one)
        # What is returned out of the block is put aside first.
        and not (one.opname == "SWAP" and following and _is_none(following))
    )


def _is_none(one: dis.Instruction) -> bool:
    return one.opname == "LOAD_CONST" and one.argval is None


@cache
def _cleaning_lines(file: str) -> frozenset[int]:
    """Return the numbers of the lines in ``finally`` blocks of a file."""
    tree = ast.parse("".join(linecache.getlines(file)))
    return frozenset(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Try | ast.TryStar)
        for cleaning in node.finalbody
        for line in range(cleaning.lineno, (cleaning.end_lineno or 0) + 1)
    )


def _let_go(error: BaseException) -> None:
    """Close files and generators in the frames of an error, as forgetting it does."""
    known: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in known:
            continue
        known.add(id(one))
        with warnings.catch_warnings():
            # Of files that were not closed: the line that would have was not come to.
            warnings.simplefilter("ignore", ResourceWarning)
            traceback.clear_frames(one.__traceback__)
        left += [one.__cause__, one.__context__]
        one.__traceback__ = None


@contextmanager
def _left_to_python(error: BaseException) -> Iterator[list[object]]:
    """Note whether Python gave an error up: one of a finalizer reaches no caller."""
    left: list[object] = []
    before = sys.unraisablehook

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if unraisable.exc_value is error:
            left.append(unraisable)
        else:
            before(unraisable)

    sys.unraisablehook = hook
    try:
        yield left
    finally:
        sys.unraisablehook = before
