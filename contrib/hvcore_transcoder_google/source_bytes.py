"""Read parts of a source in the store, and fetch each part only once."""

from typing import Final

from hvcore.plugin_api import SourceRanges, TranscodeError

WINDOW_BYTES: Final = 64 * 1024
"""The bytes that are fetched at a time: most headers of a file lie close together."""
MOST_WINDOWS: Final = 256
_FAILED: Final = "The video could not be read."


class SourceBytes:
    """
    Read parts of a source, fetched in windows of 64 KiB; for one thread.

    Attributes:
        size_bytes: The size of the whole source.
    """

    def __init__(self, ranges: SourceRanges) -> None:
        self._ranges = ranges
        self._windows: dict[int, bytes] = {}
        self.size_bytes = ranges.size_bytes

    def read(self, start: int, length: int) -> bytes:
        """
        Return ``length`` bytes of the source from ``start``; fewer at the source's end.

        Raises:
            UnusableSourceError: The source is gone.
            UnavailableError: The store does not answer.
            StorageRefusedError: The store does not permit reading.
            TranscodeError: More than 256 windows were needed for this source.
        """
        end = min(start + length, self.size_bytes)
        made = bytearray()
        while start < end:
            number, offset = divmod(start, WINDOW_BYTES)
            piece = self._window(number)[offset : offset + end - start]
            if not piece:
                break
            made += piece
            start += len(piece)
        return bytes(made)

    def _window(self, number: int) -> bytes:
        if number not in self._windows:
            if len(self._windows) >= MOST_WINDOWS:
                raise TranscodeError(
                    _FAILED, log="the source's headers are strewn over the whole file"
                )
            start = number * WINDOW_BYTES
            end = min(start + WINDOW_BYTES, self.size_bytes)
            self._windows[number] = self._ranges.read(start, end)
        return self._windows[number]
