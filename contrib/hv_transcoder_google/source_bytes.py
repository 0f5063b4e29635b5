"""
Ranges of a source that lies in the store, by its signed address.
"""

import re
from typing import Final

import urllib3
from urllib3.exceptions import HTTPError

from hvcore.plugin_api import TranscodeError, UnavailableError

WINDOW_BYTES: Final = 64 * 1024
"""What is read at a time: most headers of a file lie close together."""
MOST_WINDOWS: Final = 256
_CONNECT_S: Final = 5
_ANSWER_S: Final = 20
_PARTIAL: Final = 206
_NOT_IN_FILE: Final = 416
_SERVER_ERROR: Final = 500
_SIZE: Final = re.compile(r"bytes \d+-\d+/(\d+)")
_FAILED: Final = "The video could not be read."


class SourceBytes:
    """
    A file of which only what is asked for is fetched; for one thread.

    Attributes:
        size_bytes: Of the whole file.
        fetched: How many windows were read.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=_CONNECT_S, read=_ANSWER_S), retries=False
        )
        self._windows: dict[int, bytes] = {}
        self.size_bytes = WINDOW_BYTES
        self.fetched = 0
        self._window(0)

    def read(self, start: int, length: int) -> bytes:
        """
        Return bytes; fewer at the end of the file.

        Raises:
            UnavailableError: The store does not answer.
            TranscodeError: It refuses, or too much was asked for.
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

    def close(self) -> None:
        """
        Close the connection.
        """
        self._pool.clear()

    def _window(self, number: int) -> bytes:
        if number not in self._windows:
            self.fetched += 1
            if self.fetched > MOST_WINDOWS:
                raise TranscodeError(
                    _FAILED, log="the source's headers are strewn over the whole file"
                )
            self._windows[number] = self._fetched(number * WINDOW_BYTES)
        return self._windows[number]

    def _fetched(self, start: int) -> bytes:
        last = start + WINDOW_BYTES - 1
        try:
            answer = self._pool.request(
                "GET", self._address, headers={"Range": f"bytes={start}-{last}"}
            )
        except HTTPError as exc:
            # Its text would have the signed address in it.
            raise UnavailableError("The storage does not answer.") from exc
        if answer.status >= _SERVER_ERROR:
            raise UnavailableError(f"The storage answers {answer.status}.")
        if answer.status == _NOT_IN_FILE and not start:
            # An empty file has no first byte.
            self.size_bytes = 0
            return b""
        found = _SIZE.fullmatch(answer.headers.get("Content-Range", ""))
        if answer.status != _PARTIAL or found is None:
            raise TranscodeError(
                _FAILED, log=f"the storage answers {answer.status} to a range"
            )
        self.size_bytes = int(found[1])
        return answer.data
