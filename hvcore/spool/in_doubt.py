"""
Remember beyond the death of a process what it had counted and not handed over.

A process that answers many at once counts their segments with one write, and then
sends one after the other. Killed in between, it has counted what nobody got. What
that is lies in memory that its parent has, too, and who takes its place reads it.
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
    Lines of segments that are counted, and of which nothing was handed over yet.

    To be made before the fork: parent and child share it. The child alone writes
    to it, and needs no lock. Whoever kills both at once kills what they know.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, ROOM_BYTES)
        self._left = 0

    @property
    def is_any_left(self) -> bool:
        """
        Tell whether a process that is no more has left any.
        """
        return self._memory[_LEFT] > 0

    def counted(self, lines: Sequence[bytes]) -> None:
        """
        Remember lines that were written down, in the order of their sending.

        All of them, or none if there is no room for all.
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
        """
        Forget the next one: it is about to be handed over.
        """
        if self._left:
            self._left -= 1
            self._memory[_LEFT] = self._left

    def take(self) -> Sequence[bytes]:
        """
        Return what a process that is no more had not handed over, and forget it.
        """
        left = self._memory[_LEFT]
        self._memory[_LEFT] = 0
        size = int.from_bytes(self._memory[_SIZE], "big")
        lines = self._memory[_LINES : _LINES + size].splitlines(keepends=True)
        return lines[-left:] if left else []
