"""
Keep a downloaded source file for the next part of the same video.

Where the storage is not on this machine, each part of a video needs the whole
source: a part is about a minute, the source may be hours. The copy is removed soon
after the last part: nothing tells a worker that a video was deleted.
"""

import shutil
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from hvcore.ports.storage import Storage

_FOLDER: Final = "source"
COPY_BYTES: Final = 1024 * 1024
KEPT_IDLE_S: Final = 600.0
"""How long an unused copy is kept: the next part usually comes in seconds."""


@attrs.define(kw_only=True)
class SourceCache:
    """
    Keep the local copy of one source file at a time; for use in one thread.

    Attributes:
        work_dir: The temporary folder of this process alone, which removes it at its end.
        now: A clock that only goes forward, in seconds.
    """

    storage: Storage
    work_dir: Path
    now: Callable[[], float] = time.monotonic
    _let_go_at: float | None = attrs.field(default=None, init=False)

    def fetch(self, path: str, check: Callable[[], None]) -> Path:
        """
        Return the path of a local copy of a source, to be read only.

        The source is downloaded unless its copy is here. The copy stays until ``let_go``.

        Args:
            check: Called while bytes come; an exception that it raises ends the download.

        Raises:
            ObjectNotFoundError: There is no such file in storage.
        """
        self._let_go_at = None
        size_bytes = self.storage.stat(path).size_bytes
        folder = self.work_dir / _FOLDER
        # A source's path belongs to one sending; what is there never changes.
        cached = folder / sha256(path.encode()).hexdigest()[:32]
        if cached.exists() and cached.stat().st_size == size_bytes:
            return cached
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        arriving = folder / "arriving"
        try:
            with self.storage.open(path) as source, arriving.open("wb") as copy:
                while block := source.read(COPY_BYTES):
                    check()
                    copy.write(block)
            return arriving.replace(cached)
        except BaseException:
            arriving.unlink(missing_ok=True)
            raise

    def let_go(self) -> None:
        """Record that the local copy of the source is not read any more, so that it may be removed."""
        self._let_go_at = self.now()

    def remove_idle(self) -> None:
        """Remove the local copy of a source KEPT_IDLE_S after ``let_go``; call it now and then."""
        if self._let_go_at is None or self.now() - self._let_go_at < KEPT_IDLE_S:
            return
        self._let_go_at = None
        shutil.rmtree(self.work_dir / _FOLDER, ignore_errors=True)
