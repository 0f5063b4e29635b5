"""The responses of delivery: bytes, and how long caches may store them."""

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
    The time for which a browser or a cache may keep an answer.

    ONCE is made for one request: nobody keeps it, and there is nothing to
    compare it with or to resume.
    """

    IMMUTABLE = "immutable"
    PLAYLIST = "playlist"
    PICTURE = "picture"
    ONCE = "once"


@attrs.frozen(kw_only=True, eq=False)
class StoredFile:
    """
    A published file in storage, or its beginning; equal to itself alone.

    Attributes:
        file_bytes: As it was measured when it was made.
        first_bytes: Where only the beginning is served: how much.
    """

    storage: Storage
    path: str
    file_bytes: int
    first_bytes: int | None = None

    @cached_property
    def local(self) -> Path | None:
        """The place of the file on this machine, if it has one."""
        if not isinstance(self.storage, SupportsLocalPath):
            return None
        return self.storage.local_path(self.path)

    @property
    def size_bytes(self) -> int:
        """Length of the served bytes."""
        return self.file_bytes if self.first_bytes is None else self.first_bytes

    @property
    def is_local(self) -> bool:
        """Return whether ``open`` gives a file of this machine, fit for sendfile."""
        return self.local is not None

    def open(self, start: int, end: int) -> BinaryIO:
        """
        Open the file; a local one stands at start and does not end at end.

        Raises:
            FileNotFoundError: It is not there (any more); a local one.
            ObjectNotFoundError: Likewise, in another storage.
            UnavailableError: It does not have the size it was published with.
        """
        if self.local is None:
            return self.storage.open(self.path, start=start, end=end)
        # Unbuffered: sendfile begins where the descriptor stands.
        file = os.fdopen(self.open_local(), "rb", buffering=0)
        file.seek(start)
        return file

    def read(self, start: int, end: int) -> bytes:
        """
        Return the bytes from start to before end; nothing stays open.

        Raises:
            ConnectionAbortedError: It is shorter.
            FileNotFoundError: As open does.
            ObjectNotFoundError: Likewise.
            UnavailableError: Likewise.
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
        Open a file of this machine and return its descriptor.

        Raises:
            FileNotFoundError: It is not there (any more).
            UnavailableError: It does not have the size it was published with,
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
    An answer of delivery.

    Nothing changes it, but to make a frozen one for each request takes twice as long.

    Attributes:
        etag: Differs whenever the bytes differ; without quotes.
        is_public: Shared caches may keep it, too.
        is_text: Worth compressing.
        segment: To be counted if the answer has more than half of it and is not one
            to HEAD or a 304: before more than half is sent, and as late as can be.
        never_counted: Why this file is not counted, whatever the answer; None
            for a segment of a video rung.
        on_ignored: Called with the reason when an answer was not counted; None if
            this is not recorded.
        elsewhere: Returns an address that serves the body, or None after all;
            None where there never is one. May raise UnavailableError.
        save_as: What browsers call the file that they save; None where they show it.
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
        Record that an answer is not counted.

        Args:
            reason: If the file is one that may count.
        """
        if self.on_ignored is not None:
            self.on_ignored(self.never_counted or reason)

    def break_off(self) -> None:
        """Record that an answer ended before more than half was sent."""
        self.ignore(IgnoredReason.TOO_FEW_BYTES)

    @property
    def size_bytes(self) -> int:
        """Length of the whole body."""
        if isinstance(self.body, bytes):
            return len(self.body)
        return self.body.size_bytes
