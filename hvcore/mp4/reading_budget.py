"""Limit the number of boxes or elements that are read of a stranger's file, whatever the file's size."""

from typing import Final

import attrs

_MAX_PIECES: Final = 10_000
"""The headers of 64 tracks have some 2000; a million of eight bytes took 4 s to walk."""


@attrs.define
class ReadingBudget:
    """Counts the boxes or elements read of a file, inner ones included, up to a limit."""

    left: int = _MAX_PIECES

    def take(self) -> bool:
        """Count one more box or element; return whether it may be read."""
        self.left -= 1
        return self.left >= 0
