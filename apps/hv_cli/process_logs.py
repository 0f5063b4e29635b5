"""
The log of a process: how its lines look, and the file that keeps them.
"""

import logging
import re
import sys
from pathlib import Path
from typing import BinaryIO, Final

MAX_LOG_BYTES: Final = 5 * 1024 * 1024
"""With one older file beside it, a process keeps at most twice as much."""

_IMPORTANT = re.compile(rb"^\S+ \S+ (?:WARNING|ERROR|CRITICAL) ")


class _LineFormatter(logging.Formatter):
    """
    One line a record: the message, then its data.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """
        Append the record's ``hv_`` attributes.
        """
        data = [
            f"{name.removeprefix('hv_')}={value!r}"
            for name, value in sorted(vars(record).items())
            if name.startswith("hv_")
        ]
        return " ".join([super().formatMessage(record), *data])


def configure() -> None:
    """
    Send this process's log to standard error.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LineFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    # These tell of every job and every request that they make.
    for chatty in ("rq.worker", "botocore", "aiobotocore", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def is_important(line: bytes) -> bool:
    """
    Tell whether an operator who watches shall see this line.
    """
    return _IMPORTANT.match(line) is not None


class LogFile:
    """
    A log file that cannot fill the disk.

    Attributes:
        reason: The last line that may say why the process has ended.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reason = b""
        self._file = self._open()

    def write(self, line: bytes) -> None:
        """
        Append a line; a full disk loses it.
        """
        # Gunicorn's last words are that it ends, and not why.
        if line.strip() and b" gunicorn.error: " not in line:
            self.reason = line.strip()
        try:
            if self._file.tell() + len(line) > MAX_LOG_BYTES:
                self._file.close()
                self.path.replace(self.path.with_suffix(".log.1"))
                self._file = self._open()
            self._file.write(line)
        except OSError:
            # There is nowhere to complain to, and the service goes on.
            return

    def close(self) -> None:
        """
        Close the file.
        """
        self._file.close()

    def _open(self) -> BinaryIO:
        # Unbuffered: the line that tells of a crash must be there after it.
        file = self.path.open("ab", buffering=0)
        self.path.chmod(0o600)
        return file
