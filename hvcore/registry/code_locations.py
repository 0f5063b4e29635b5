"""Tell locations in code: the module, file and line of a function or an error."""

import inspect
from collections.abc import Iterator, Sequence
from functools import partial
from types import CodeType, FrameType, TracebackType

import attrs


@attrs.frozen
class CodeLocation:
    """
    A line of code.

    Attributes:
        module: The dotted name of the module; empty for code that is not Python.
        function: The name of the function; ``Class.method`` for a method.
    """

    module: str
    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def locations_of(error: BaseException) -> Sequence[CodeLocation]:
    """Return the code locations of an error's traceback; the line that raised it is last."""
    found = list(_of_traceback(error.__traceback__))
    if isinstance(error, SyntaxError) and error.filename:
        # No line of it has run: the traceback ends where it was imported.
        found.append(CodeLocation("", error.filename, error.lineno or 1))
    return found


def locations_of_thread(frame: FrameType | None) -> Sequence[CodeLocation]:
    """
    Return the code locations of a thread's call stack, the innermost one last.

    Args:
        frame: The thread's innermost frame (see ``sys._current_frames``).
    """
    found = []
    while frame is not None:
        found.append(_of_frame(frame, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


def location_of_definition(made: object) -> CodeLocation | None:
    """Return the code location of the definition of a function, a class, or an instance's class; None if it is unknown, as in C."""
    while isinstance(made, partial):
        made = made.func
    made = inspect.unwrap(made) if callable(made) else made
    code = getattr(getattr(made, "__func__", made), "__code__", None)
    module = str(getattr(made, "__module__", ""))
    if isinstance(code, CodeType):
        return CodeLocation(module, code.co_filename, code.co_firstlineno)
    written = made if isinstance(made, type) else type(made)
    try:
        _, line = inspect.findsource(written)
        return CodeLocation(written.__module__, inspect.getfile(written), line + 1)
    except (OSError, TypeError):
        return None


def _of_traceback(trace: TracebackType | None) -> Iterator[CodeLocation]:
    while trace is not None:
        yield _of_frame(trace.tb_frame, trace.tb_lineno)
        trace = trace.tb_next


def _of_frame(frame: FrameType, line: int | None) -> CodeLocation:
    code = frame.f_code
    return CodeLocation(
        str(frame.f_globals.get("__name__", "")),
        code.co_filename,
        line or code.co_firstlineno,
        code.co_qualname,
    )
