"""Copy stored objects into a backup and back, for storages whose objects are files."""

import errno
import mimetypes
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hvcore.ports.storage import ObjectNotFoundError, Storage, SupportsLocalPath
from hvcore.services.backups.object_list import ListedObject
from hvcore.services.processing.attempt_files import CONTENT_TYPES

# Another file system, one without links, or as many of a file as there may be.
_NO_LINKS: Final = {errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP}


def copy_objects(
    storage: SupportsLocalPath, listed: Iterable[ListedObject], folder: Path
) -> int:
    """
    Link or copy the listed objects of a storage into a backup's folder.

    Objects that are gone are left out. A stored file is replaced and never changed, so that a
    link is as good as a copy.

    Returns:
        The number of objects that are gone.

    Raises:
        OSError: The disk is full, or the like.
    """
    folder.mkdir(mode=0o700)
    gone = 0
    for one in listed:
        source = storage.local_path(one.path)
        target = folder / one.path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _link_or_copy(source, target)
        except (FileNotFoundError, NotADirectoryError):
            gone += 1
    return gone


def store_objects(
    storage: Storage, listed: Iterable[ListedObject], folder: Path
) -> int:
    """
    Write the objects of a backup's folder into a storage, unless it has them already.

    Returns:
        The number of listed objects that are not in the folder.

    Raises:
        UnavailableError: The storage does not answer.
    """
    absent = 0
    for one in listed:
        source = folder / one.path
        if not source.is_file():
            absent += 1
        elif not _is_stored(storage, one):
            with source.open("rb") as file:
                storage.write(one.path, file, content_type=_type_of(one))
    return absent


def _is_stored(storage: Storage, one: ListedObject) -> bool:
    try:
        return storage.stat(one.path).size_bytes == one.size_bytes
    except ObjectNotFoundError:
        return False


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError as exc:
        if exc.errno not in _NO_LINKS:
            raise
        shutil.copyfile(source, target)


def _type_of(one: ListedObject) -> str:
    suffix = Path(one.path).suffix
    guessed = mimetypes.types_map.get(suffix, "application/octet-stream")
    return one.content_type or CONTENT_TYPES.get(suffix, guessed)
