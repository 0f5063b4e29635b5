"""
Store objects as files of this machine.

A marker file in the folder tells a storage from the empty folder that a disk which is
not mounted leaves behind: without the marker, no object is reported as absent. obstore
alone would report all objects as absent, and make the folder anew.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from obstore.store import LocalStore

from hvcore.plugin_api import ObjectInfo, UnavailableError
from hvcore_storage_obstore.objects import ObstoreStorage

MARK: Final = ".obstore"
"""Names the file that is there for as long as the folder is."""


class FileStorage(ObstoreStorage):
    """
    Stores objects as files below a folder.

    It also implements SupportsObjectUrl.
    """

    def __init__(self, root: Path, *, work_dir: Path) -> None:
        try:
            root.mkdir(parents=True, exist_ok=True)
            (root / MARK).touch()
        except OSError as exc:
            raise UnavailableError("The storage's folder cannot be used.") from exc
        # Folders that stay would be in the way of an object of their name.
        store = LocalStore(root, automatic_cleanup=True)
        super().__init__(store, url=root.as_uri(), work_dir=work_dir)
        self._root = root

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        """Store a local file as an object, whole or not at all; the local file stays."""
        self._check_there()
        return super().put_file(path, local, content_type=content_type)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        self._check_there()
        yield from super().walk(prefix)
        # Gone meanwhile, it would look like the end.
        self._check_there()

    def ping(self) -> None:
        """Raise UnavailableError if the folder is not there or not writable."""
        self._check_there()
        if not os.access(self._root, os.R_OK | os.W_OK | os.X_OK):
            raise UnavailableError("The storage's folder cannot be used.")
        super().ping()

    def _check(self, path: str) -> None:
        super()._check(path)
        if path.split("/", maxsplit=1)[0] == MARK:
            raise ValueError(f"not a path of an object: {path!r}")

    def _is_absent(self, path: str, error: Exception) -> bool:
        self._check_there()
        # obstore has no exception of its own for what would be below an object.
        return super()._is_absent(path, error) or self._is_below_a_file(path)

    def _is_below_a_file(self, path: str) -> bool:
        try:
            (self._root / path).lstat()
        except NotADirectoryError:
            return True
        except OSError:
            return False
        return False

    def _check_there(self) -> None:
        if not (self._root / MARK).exists():
            raise UnavailableError("The storage's folder is gone.")
