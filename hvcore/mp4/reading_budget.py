"""Limit the reading of a foreign file's index, whatever its size."""

from typing import Final

import attrs

_MAX_PIECES: Final = 10_000
"""The headers of 64 tracks have some 2000; a million of eight bytes took 4 s to walk."""


@attrs.define
class ReadingBudget:
    """Count the boxes or elements of a file, those within others included."""

    left: int = _MAX_PIECES

    def take(self) -> bool:
        """Return whether one more may be read."""
        self.left -= 1
        return self.left >= 0
