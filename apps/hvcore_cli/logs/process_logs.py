"""The log of a process: the format of its lines, and the file that keeps them."""

import logging
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from hvcore.log_context import AddIds
from hvcore.settings.observing import JSON, TEXT
from hvcore_cli.logs import json_lines
from hvcore_cli.printable import printable

MAX_LOG_BYTES: Final = 5 * 1024 * 1024
"""The size at which a log file is replaced. One older file is kept, so a process keeps at
most twice as much."""

_LAST_WORDS: Final = (b" gunicorn.error: ", b'"logger": "gunicorn.error"')
_IMPORTANT = re.compile(rb"^\S+ \S+ (?:WARNING|ERROR|CRITICAL) ")


class _LineFormatter(logging.Formatter):
    """One line a record: the message, then its data."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Append the record's ``hv_`` attributes."""
        data = [
            f"{name.removeprefix('hv_')}={value!r}"
            for name, value in sorted(vars(record).items())
            if name.startswith("hv_")
        ]
        return " ".join([super().formatMessage(record), *data])

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text without characters that a terminal would obey."""
        return printable(super().format(record), keeps="\n\t")


def configure(log_format: str = TEXT) -> None:
    """
    Send the log of the calling process to standard error, as text or as JSON.

    Args:
        log_format: The value of the setting ``log.format``.
    """
    handler = logging.StreamHandler(sys.stderr)
    if log_format == JSON:
        handler.setFormatter(json_lines.JsonFormatter())
        handler.addFilter(AddIds())
    else:
        handler.setFormatter(_LineFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # These tell of every job and every request that they make.
    for chatty in ("rq.worker", "botocore", "aiobotocore", "alembic", "azure", "gcsfs"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def is_important(line: bytes) -> bool:
    """Return whether a log line has the level WARNING or above, and is shown to the operator."""
    return _IMPORTANT.match(line) is not None or json_lines.is_important(line)


def rotate(path: Path) -> None:
    """Rename a log file so that it ends with ``.log.1``; empty the file if that fails."""
    try:
        path.replace(path.with_suffix(".log.1"))
    except OSError:
        # It was removed, or the older file's name is taken.
        with suppress(OSError):
            os.truncate(path, 0)


class LogFile:
    """
    A log file of limited size, in which a supervisor keeps the output of a process.

    Attributes:
        reason: The last line of output, which may say why the process has ended.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reason = b""
        self._file: BinaryIO | None = None

    def write(self, line: bytes) -> None:
        """Append a line; the line is lost if the disk is full or the folder is gone."""
        # Gunicorn's last words are that it ends, and not why.
        if line.strip() and not any(mark in line for mark in _LAST_WORDS):
            self.reason = json_lines.as_text(line.strip())
        # There is nowhere to complain to, and the service goes on.
        with suppress(OSError):
            self._file_for(line).write(line)

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _file_for(self, line: bytes) -> BinaryIO:
        if self._file is None:
            self._file = self._open()
        if self._file.tell() + len(line) > MAX_LOG_BYTES:
            self.close()
            rotate(self.path)
            self._file = self._open()
        return self._file

    def _open(self) -> BinaryIO:
        # Unbuffered: the line that tells of a crash must be there after it.
        file = self.path.open("ab", buffering=0)
        self.path.chmod(0o600)
        return file
