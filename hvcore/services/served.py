"""
What delivery answers with: bytes and how long they may be kept.
"""

import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.errors import UnavailableError
from hvcore.ports.storage import Storage, SupportsLocalPath


class Lifetime(Enum):
    """
    How long a browser or a cache may keep an answer.

    ONCE is made for one request: nobody keeps it, and there is nothing to
    compare it with or to resume.
    """

    IMMUTABLE = "immutable"
    PLAYLIST = "playlist"
    PICTURE = "picture"
    ONCE = "once"


@attrs.frozen(kw_only=True)
class StoredFile:
    """
    A published file in storage, or its beginning.

    Attributes:
        file_bytes: As it was measured when it was made.
        first_bytes: Where only the beginning is served: how much.
    """

    storage: Storage
    path: str
    file_bytes: int
    first_bytes: int | None = None

    @property
    def size_bytes(self) -> int:
        """
        Length of what is served.
        """
        return self.file_bytes if self.first_bytes is None else self.first_bytes

    @property
    def is_local(self) -> bool:
        """
        Tell whether ``open`` gives a file of this machine, fit for sendfile.
        """
        return isinstance(self.storage, SupportsLocalPath)

    def open(self, start: int, end: int) -> BinaryIO:
        """
        Open the file; a local one stands at start and does not end at end.

        Raises:
            FileNotFoundError: It is not there (any more); a local one.
            ObjectNotFoundError: Likewise, in another storage.
            UnavailableError: It does not have the size it was published with.
        """
        if not isinstance(self.storage, SupportsLocalPath):
            return self.storage.open(self.path, start=start, end=end)
        return self._open_local(self.storage.local_path(self.path), start)

    def _open_local(self, local: Path, start: int) -> BinaryIO:
        # Unbuffered: sendfile begins where the descriptor stands.
        try:
            file = local.open("rb", buffering=0)
        except FileNotFoundError:
            # Raises UnavailableError if it is the storage that is gone.
            self.storage.stat(self.path)
            raise
        if os.fstat(file.fileno()).st_size != self.file_bytes:
            file.close()
            raise UnavailableError("The stored file is damaged.")
        file.seek(start)
        return file


@attrs.frozen(kw_only=True)
class Served:
    """
    An answer of delivery.

    Attributes:
        etag: Differs whenever the bytes differ; without quotes.
        is_public: Shared caches may keep it, too.
        is_text: Worth compressing.
        on_answer: Called once the body is about to be handed over from its
            first byte on; not for HEAD, 304, or a range that begins later.
    """

    body: bytes | StoredFile
    content_type: str
    etag: str
    lifetime: Lifetime
    is_public: bool
    is_text: bool = False
    on_answer: Callable[[], None] | None = None

    @property
    def size_bytes(self) -> int:
        """
        Length of the whole body.
        """
        if isinstance(self.body, bytes):
            return len(self.body)
        return self.body.size_bytes
