"""
Make a backup beside its target, and put it there in one step when it is complete.

Only one run at a time makes backups in a folder.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from hvcore.errors import ConfigError
from hvcore.failpoints import failpoint
from hvcore.services.backups.archive import pack

LOCK: Final = ".hv-backup.lock"
"""The lock file in the folder of a backup, while the backup is made."""
UNFINISHED: Final = ".unfinished"
"""The end of a backup's name while it is being made, or after it was cut off."""


@contextmanager
def only_backup_in(folder: Path) -> Iterator[None]:
    """
    Lock a folder for the ``with`` block, so that no other run makes or removes backups there.

    Raises:
        ConfigError: Another run holds the lock.
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    with _locked(path):
        try:
            yield
        finally:
            # While it is locked: whoever has opened it sees that it is gone.
            path.unlink(missing_ok=True)


@contextmanager
def new_backup(target: Path) -> Iterator[Path]:
    """
    Yield an empty folder for a backup, and move it to its target when the block ends.

    The move is one step. The target becomes a folder, or a tar file if its name ends with .tar.
    If the block fails, the target stays as it was, and the new folder is removed.

    Raises:
        ConfigError: The target exists, or another backup is being made in its folder.
        OSError: The disk is full, or the like.
    """
    target = target.absolute()
    with only_backup_in(target.parent):
        _refuse_what_is_there(target)
        # Beside the target: only there it can be moved in one step.
        name = tempfile.mkdtemp(UNFINISHED, f".{target.name}.", target.parent)
        made = Path(name)
        try:
            yield made
            failpoint("backup.written")
            _put(made, target)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def is_file(target: Path) -> bool:
    """Return whether a backup at this path is a tar file (``.tar``) and not a folder."""
    return target.suffix == ".tar"


def sync_tree(folder: Path) -> None:
    """
    Flush all files and folders below a folder to the disk, so that they survive a power cut.

    Raises:
        OSError: A file or folder cannot be flushed to the disk.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            _sync(Path(parent, name))
        _sync(Path(parent))


def _put(made: Path, target: Path) -> None:
    if is_file(target):
        packed = made.with_suffix(f".tar{UNFINISHED}")
        try:
            pack(made, packed)
            # Somebody else than hv backup may have written one.
            _refuse_what_is_there(target)
            packed.rename(target)
        finally:
            packed.unlink(missing_ok=True)
    else:
        sync_tree(made)
        # Of an empty folder it takes the place; of another one it fails.
        made.rename(target)
    _sync(target.parent)


def _refuse_what_is_there(target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        return
    if is_file(target) or not target.is_dir() or any(target.iterdir()):
        raise ConfigError(f"{target} is there already; name another one.")
    if target.is_symlink() or os.path.ismount(target):
        raise ConfigError(
            f"{target} is no folder of {target.parent}, and a backup comes into its place "
            f"in one step. Name a new folder in it, such as {target / 'backup'}."
        )


@contextmanager
def _locked(path: Path) -> Iterator[TextIO]:
    while True:
        with path.open("a+", encoding="utf-8") as file:
            try:
                # The kernel drops the lock when its holder ends, however.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                raise ConfigError(
                    f"Another hv backup writes into {path.parent} just now. Wait until "
                    "it has ended, or name another folder."
                ) from exc
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    yield file
                    return
            # Removed by its last holder between the two: nobody else sees it.


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
