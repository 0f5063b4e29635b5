"""Pack a backup's folder into one tar file, and unpack such a file."""

import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath

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
            for member in archive:
                _unpack(archive, member, folder)
    except (tarfile.TarError, EOFError) as exc:
        raise ConfigError(f"{file} is damaged, or no backup.") from exc


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    # Not extractall: Python before 3.11.4 has no filter that keeps it within the folder.
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts:
        raise tarfile.TarError(f"{member.name} leads out of the folder")
    if member.isdir():
        (folder / path).mkdir(mode=0o700, parents=True, exist_ok=True)
        return
    source = archive.extractfile(member) if member.isfile() else None
    if source is None:
        raise tarfile.TarError(f"{member.name} is neither a file nor a folder")
    descriptor = os.open(folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source, os.fdopen(descriptor, "wb") as target:
        shutil.copyfileobj(source, target)
