"""
Count nginx's answers with a status of 500 or above, by reading nginx's log.

If the service is away or refuses a connection, nginx answers the request itself, so that
no process of the service can count it.
"""

import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs

from hvcore.metrics.declared import EDGE_FAILURES

LOG_FILE: Final = "trouble.log"
MOST_READ_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a log that are read in one round: about 40,000 lines."""
_STATUS: Final = re.compile(rb"^\S+ (5\d\d) ", re.MULTILINE)


@attrs.define
class FailureLog:
    """
    Reads new lines of nginx's log of failed requests; for one thread.

    Lines that were there when the process started are not counted: an earlier process has
    counted them.

    Attributes:
        folder: The folder in which the running edge keeps its files.
    """

    folder: Path
    _inode: int = attrs.field(default=0, init=False)
    _read_bytes: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Begin to read at the present end of the log."""
        with suppress(OSError):
            found = (self.folder / LOG_FILE).stat()
            self._inode, self._read_bytes = found.st_ino, found.st_size

    def count_new(self) -> None:
        """Add the failed requests in lines that are new in the log to the metrics."""
        try:
            with (self.folder / LOG_FILE).open("rb") as log:
                about = os.fstat(log.fileno())
                # It was emptied, or another one has begun.
                if about.st_ino != self._inode or about.st_size < self._read_bytes:
                    self._inode, self._read_bytes = about.st_ino, 0
                log.seek(self._read_bytes)
                found = log.read(MOST_READ_BYTES)
        except OSError:
            # nginx makes it when it starts.
            return
        # A line that is being written counts when it is whole.
        lines = found[: found.rfind(b"\n") + 1]
        self._read_bytes += len(lines)
        for status, count in Counter(_STATUS.findall(lines)).items():
            EDGE_FAILURES.add(status.decode(), amount=count)
