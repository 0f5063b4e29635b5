"""Prepare standard input, output and errors, which may be closed, full, or not in UTF-8."""

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_INPUT, _OUTPUT, _ERRORS = range(3)


class OutputError(OSError):
    """Standard output cannot be written."""


class _Output(io.FileIO):
    """Standard output, of which a failure is told from those of other files."""

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except OSError as exc:
            raise OutputError(exc.errno, exc.strerror) from exc


def prepare_streams() -> None:
    """
    Open the standard streams that are closed, and escape characters they cannot encode.

    Otherwise the next opened file would get the descriptor of a closed stream, and printed text
    would end in that file.
    """
    for number in (_INPUT, _OUTPUT, _ERRORS):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest number that is free, which is this one. Output stays a
            # failure for who prints, as cat and others have it.
            os.open(os.devnull, os.O_RDONLY if number == _OUTPUT else os.O_RDWR)
    was = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Output(_OUTPUT, "w", closefd=False)),
        encoding=getattr(was, "encoding", None) or "utf-8",
        # As escapes, where the encoding has no such character.
        errors="backslashreplace",
        # With PYTHONUNBUFFERED, too.
        line_buffering=getattr(was, "line_buffering", False)
        or getattr(was, "write_through", False),
    )
    if sys.stderr is None:
        sys.stderr = os.fdopen(_ERRORS, "w", encoding="utf-8", closefd=False)


def why_output_fails(error: OutputError) -> str:
    """
    Return the reason why standard output cannot be written; "" if its reader has closed the pipe.

    The rest of the output is dropped, because the interpreter would report it when it ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), _OUTPUT)
    if error.errno == errno.EPIPE:
        # The reader has gone, as in ``hv tasks | head``.
        return ""
    is_closed = error.errno == errno.EBADF
    return "it is closed" if is_closed else str(error.strerror).lower()


def can_be_printed(text: str) -> bool:
    """Return whether the encoding of standard output has all characters of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
