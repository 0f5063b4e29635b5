"""The responses of delivery: their bodies, and how long caches may keep them."""

import os
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.errors import UnavailableError
from hvcore.ports.counting import CountedSegment
from hvcore.ports.storage import Storage, SupportsLocalPath
from hvcore.services.playback.shared_texts import PiecewiseBody


class Lifetime(Enum):
    """
    The time for which browsers and caches may keep a response.

    ``ONCE`` is made for one request: no cache keeps it, and it has no ETag to compare and no
    ranges to resume.
    """

    IMMUTABLE = "immutable"
    PLAYLIST = "playlist"
    PICTURE = "picture"
    ONCE = "once"


@attrs.frozen(kw_only=True, eq=False)
class StoredFile:
    """
    A published file in storage, or its beginning; compared by identity.

    Attributes:
        file_bytes: The size of the file when it was made.
        first_bytes: The length of the beginning, if only that is served.
    """

    storage: Storage
    path: str
    file_bytes: int
    first_bytes: int | None = None

    @cached_property
    def local(self) -> Path | None:
        """The path of the file on this machine, or None if it is elsewhere."""
        if not isinstance(self.storage, SupportsLocalPath):
            return None
        return self.storage.local_path(self.path)

    @property
    def size_bytes(self) -> int:
        """Length of the served bytes of the file."""
        return self.file_bytes if self.first_bytes is None else self.first_bytes

    @property
    def is_local(self) -> bool:
        """Return whether the file is on this machine; ``open`` then gives one fit for sendfile."""
        return self.local is not None

    def open(self, start: int, end: int) -> BinaryIO:
        """
        Open the file for reading.

        A remote file gives the bytes from start to before end. A local file stands at start, but
        does not end at end.

        Raises:
            FileNotFoundError: A local file is not there (any more).
            ObjectNotFoundError: A remote file is not there (any more).
            UnavailableError: The file does not have the size it was published with.
        """
        if self.local is None:
            return self.storage.open(self.path, start=start, end=end)
        # Unbuffered: sendfile begins where the descriptor stands.
        file = os.fdopen(self.open_local(), "rb", buffering=0)
        file.seek(start)
        return file

    def read(self, start: int, end: int) -> bytes:
        """
        Return the bytes of the file from start to before end, and close the file.

        Raises:
            ConnectionAbortedError: The file ends before ``end``.
            FileNotFoundError: A local file is not there (any more).
            ObjectNotFoundError: A remote file is not there (any more).
            UnavailableError: The file does not have the size it was published with.
        """
        found = bytearray()
        with self.open(start, end) as file:
            while len(found) < end - start:
                data = file.read(end - start - len(found))
                if not data:
                    raise ConnectionAbortedError("a stored file is too short")
                found += data
        return bytes(found)

    def open_local(self) -> int:
        """
        Open a file of this machine and return its file descriptor.

        Raises:
            FileNotFoundError: The file does not exist (any more).
            UnavailableError: The file does not have the size it was published with,
                or the storage itself is gone.
        """
        try:
            descriptor = os.open(str(self.local), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            # Raises UnavailableError if it is the storage that is gone.
            self.storage.stat(self.path)
            raise
        if os.fstat(descriptor).st_size != self.file_bytes:
            os.close(descriptor)
            raise UnavailableError("The stored file is damaged.")
        return descriptor


@attrs.define(kw_only=True)
class PlaybackResponse:
    """
    The response of delivery to a playback request.

    Treat it as immutable. It is not frozen, as making a frozen one takes twice as long.

    Attributes:
        etag: The HTTP entity tag, without quotes; it differs whenever the bytes differ.
        is_public: Whether shared caches may keep it, too.
        is_text: Whether the body is text, which is worth compressing.
        segment: The segment to count if the response has more than half of the segment and is not
            one to HEAD or a 304: before more than half is sent, and as late as can be.
        never_counted: The reason why this file never counts, whatever the response; None
            for a segment of a video rung.
        on_ignored: Called with the reason when a response was not counted; None if
            this is not recorded.
        elsewhere: Returns an address that serves the body, or None if there is none now;
            None where there never is one. May raise UnavailableError.
        save_as: The file name for browsers that save the file; None where they show it.
    """

    body: bytes | StoredFile | PiecewiseBody
    content_type: str
    etag: str
    lifetime: Lifetime
    is_public: bool
    is_text: bool = False
    segment: CountedSegment | None = None
    never_counted: IgnoredReason | None = None
    on_ignored: Callable[[IgnoredReason], None] | None = None
    elsewhere: Callable[[], str | None] | None = None
    save_as: str | None = None

    def ignore(self, reason: IgnoredReason) -> None:
        """
        Record that the delivery of this response is not counted, and why.

        Args:
            reason: Recorded unless the file itself never counts.
        """
        if self.on_ignored is not None:
            self.on_ignored(self.never_counted or reason)

    def break_off(self) -> None:
        """Record that the connection ended before more than half of the file was sent."""
        self.ignore(IgnoredReason.TOO_FEW_BYTES)

    @property
    def size_bytes(self) -> int:
        """Length of the whole body in bytes."""
        if isinstance(self.body, bytes):
            return len(self.body)
        return self.body.size_bytes
