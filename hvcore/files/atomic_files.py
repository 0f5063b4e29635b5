"""Small files that are written whole or not at all, whoever else writes them meanwhile."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def replace_file(path: Path, text: str, *, mode: int = 0o600) -> None:
    """
    Write a text into a file, in one step and with its mode from the first byte on.

    Raises:
        OSError: The disk is full, or the like; the file is as it was.
    """
    with _written_beside(path, text, mode) as temporary:
        temporary.replace(path)


def create_file(path: Path, text: str) -> None:
    """
    Write a text into a new file that its owner alone can read.

    Raises:
        FileExistsError: Somebody else was first.
        OSError: The disk is full, or the like; there is no file.
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
