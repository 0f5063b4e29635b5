"""
Remember the counted segments that a process had not sent when it died.

A process that answers many requests at once counts their segments with one
write, and then sends one after the other. If it is killed in between, it has
counted segments that nobody got. Their lines are in memory that it shares with its parent;
the process that replaces it reads them there.
"""

import mmap
from collections.abc import Sequence
from typing import Final

MOST_LINES: Final = 255
ROOM_BYTES: Final = 64 * 1024
"""Of 64 lines with some 120 bytes each an eighth is used."""
_LEFT: Final = 0
_SIZE: Final = slice(1, 5)
_LINES: Final = 5


class InDoubt:
    """
    The spool lines of segments that are counted and not sent yet, in memory shared with the parent process.

    Make it before the fork. Only the child writes to it, so it needs no lock. If parent and
    child are killed at once, the lines are lost.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, ROOM_BYTES)
        self._left = 0

    @property
    def is_any_left(self) -> bool:
        """Return whether a process that has ended left counted segments which it had not sent."""
        return self._memory[_LEFT] > 0

    def counted(self, lines: Sequence[bytes]) -> None:
        """
        Remember the lines of segments that were counted and are not sent yet, in the order of sending.

        Remembers all of them, or none if there is no room for all.
        """
        data = b"".join(lines)
        if len(data) > ROOM_BYTES - _LINES or len(lines) > MOST_LINES:
            lines, data = (), b""
        # Nothing is in doubt until all of it is there.
        self._left = self._memory[_LEFT] = 0
        self._memory[_SIZE] = len(data).to_bytes(4, "big")
        self._memory[_LINES : _LINES + len(data)] = data
        self._left = self._memory[_LEFT] = len(lines)

    def hand_over(self) -> None:
        """Forget the line of the first remembered segment, because it is about to be sent."""
        if self._left:
            self._left -= 1
            self._memory[_LEFT] = self._left

    def take(self) -> Sequence[bytes]:
        """Return the lines of the counted segments that an ended process had not sent; forget them."""
        left = self._memory[_LEFT]
        self._memory[_LEFT] = 0
        size = int.from_bytes(self._memory[_SIZE], "big")
        lines = self._memory[_LINES : _LINES + size].splitlines(keepends=True)
        return lines[-left:] if left else []
