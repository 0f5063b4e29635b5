"""Write small files whole or not at all, even if other processes write the same files at the same time."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, text: str, *, mode: int = 0o600) -> None:
    """
    Replace the content of a file by a text in one step; the file has the permission bits ``mode`` from the start.

    Raises:
        OSError: The file cannot be written, for example because the disk is full; it is unchanged.
    """
    with _written_beside(path, text, mode) as temporary:
        temporary.replace(path)


def create_file(path: Path, text: str) -> None:
    """
    Write a text into a new file that only its owner can read.

    Raises:
        FileExistsError: The file exists already.
        OSError: The file cannot be written, for example because the disk is full; there is no file.
    """
    with _written_beside(path, text, 0o600) as temporary:
        # link, not rename: of several that begin at once, one wins.
        os.link(temporary, path)


@contextmanager
def _written_beside(path: Path, text: str, mode: int) -> Iterator[Path]:
    # A process id is no name: containers that share a folder have the same ones.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
