"""
Send a file in a resumable upload, and go on where a connection broke.

Source: tus 1.0, "Core Protocol", "Creation".
"""

import base64
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from hv_cli.api_client import (
    ApiClient,
    ApiError,
    UnreachableError,
    exchange,
    file_pieces,
)

VERSION: Final = {"Tus-Resumable": "1.0.0"}
CHUNK_TYPE: Final = "application/offset+octet-stream"
WAITS_S: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 30.0, 30.0)
"""Between tries that bring nothing; what arrives begins them anew."""
_PASSING: Final = frozenset({409, 423, 429, 500, 502, 503, 504})
"""Another try may do: at another offset, after another request, later."""


def create_upload(
    client: ApiClient, size_bytes: int, fields: Mapping[str, object]
) -> dict[str, Any]:
    """
    Create a resumable upload; return its answer.

    Args:
        fields: Those of ``upload-url``.

    Raises:
        ApiError: It was refused.
    """
    return client.call(
        "POST",
        "/uploads",
        headers={
            **VERSION,
            "Upload-Length": str(size_bytes),
            "Upload-Metadata": ",".join(_pair(*item) for item in fields.items()),
        },
    )


@attrs.define(kw_only=True)
class ResumableSender:
    """
    Sends a file to the address of a resumable upload.

    Attributes:
        at: Called with the offset that was reached, whenever it changes.
        wait: For some seconds.
    """

    url: str
    path: Path
    at: Callable[[int], None]
    wait: Callable[[float], None] = time.sleep

    def is_reachable(self) -> bool:
        """
        Return whether somebody answers at the address.
        """
        try:
            self._offset()
        except UnreachableError:
            return False
        return True

    def send(self) -> None:
        """
        Send all of it, however often the connection breaks.

        Raises:
            ApiError: The upload was refused, or has ended.
            UnreachableError: Nobody answers, also after several tries.
        """
        offset, tries = self._offset(), 0
        while True:
            try:
                offset = self._send_from(offset)
            except (ApiError, UnreachableError) as error:
                if not _is_passing(error) or tries == len(WAITS_S):
                    raise
                self.wait(getattr(error, "retry_after_s", None) or WAITS_S[tries])
                reached = self._offset_or(offset)
                tries = 0 if reached > offset else tries + 1
                offset = reached
            if offset == self.path.stat().st_size:
                return

    def _send_from(self, offset: int) -> int:
        size_bytes = self.path.stat().st_size
        headers = {
            **VERSION,
            "Content-Type": CHUNK_TYPE,
            "Content-Length": str(size_bytes - offset),
            "Upload-Offset": str(offset),
        }
        answer = exchange("PATCH", self.url, self._pieces(offset), headers)
        return int(answer.headers["Upload-Offset"])

    def _pieces(self, offset: int) -> Iterator[bytes]:
        for piece in file_pieces(self.path, offset):
            yield piece
            offset += len(piece)
            self.at(offset)

    def _offset(self) -> int:
        answer = exchange("HEAD", self.url, None, VERSION)
        return int(answer.headers["Upload-Offset"])

    def _offset_or(self, known: int) -> int:
        try:
            reached = self._offset()
        except (ApiError, UnreachableError) as error:
            if not _is_passing(error):
                raise
            return known
        self.at(reached)
        return reached


def _is_passing(error: ApiError | UnreachableError) -> bool:
    return isinstance(error, UnreachableError) or error.status in _PASSING


def _pair(name: str, value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{name} {base64.b64encode(text.encode()).decode()}"
