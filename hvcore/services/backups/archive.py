"""Pack a backup's folder into one tar file, and unpack such a file."""

import os
import tarfile
from pathlib import Path

from hvcore.errors import ConfigError


def pack(folder: Path, file: Path) -> None:
    """
    Pack a folder into a new tar file, and flush the file to the disk.

    Raises:
        OSError: The disk is full, or the like.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with tarfile.open(fileobj=raw, mode="w") as archive:
            archive.add(folder, arcname=".")
        raw.flush()
        os.fsync(raw.fileno())


def unpack(file: Path, folder: Path) -> None:
    """
    Unpack a tar file that ``pack`` has written into a folder.

    Raises:
        ConfigError: The file is no such tar file, or its paths lead out of the folder.
        OSError: The disk is full, or the like.
    """
    try:
        with tarfile.open(file) as archive:
            archive.extractall(folder, filter="data")
    except tarfile.TarError as exc:
        raise ConfigError(f"{file} is damaged, or no backup.") from exc
