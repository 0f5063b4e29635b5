"""
Keep a downloaded source for the next part of the same video.

Where storage is not on this machine, each part of a video needs the whole
source: a part is about a minute, the source may be hours.
"""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from hvcore.ports.storage import Storage

_FOLDER: Final = "source"
COPY_BYTES: Final = 1024 * 1024


@attrs.frozen(kw_only=True)
class KeptSources:
    """
    One source at a time, in a folder that its process removes at its end.

    Attributes:
        work_dir: Of this process alone.
    """

    storage: Storage
    work_dir: Path

    def fetch(self, path: str, check: Callable[[], None]) -> Path:
        """
        Return a local copy of a source, to be read only.

        It stays until another source is fetched: let go of it before that.

        Args:
            check: Called while bytes come; what it raises passes.

        Raises:
            ObjectNotFoundError: There is no such file in storage.
        """
        size_bytes = self.storage.stat(path).size_bytes
        folder = self.work_dir / _FOLDER
        # A source's path belongs to one sending; what lies there never changes.
        kept = folder / sha256(path.encode()).hexdigest()[:32]
        if kept.exists() and kept.stat().st_size == size_bytes:
            return kept
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        arriving = folder / "arriving"
        with self.storage.open(path) as source, arriving.open("wb") as copy:
            while block := source.read(COPY_BYTES):
                check()
                copy.write(block)
        return arriving.replace(kept)
