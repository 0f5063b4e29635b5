"""
Back up the counts that wait in this machine's spool, as of the moment of the backup's rows.

A sink in the database stores its position in each spool file beside its counts. So rows and
files of the same moment hold each segment exactly once: the next flusher brings the lines
behind the position again, and skips the lines before it.
"""

import gzip
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Self

import attrs

from hvcore.errors import ConfigError, UnavailableError
from hvcore.services.backups.manifest import (
    SPOOL_FOLDER,
    BackedUpFile,
    sha256_of,
)
from hvcore.spool import spool_files, the_only_reader

WAITS_FOR_FLUSHER_S: Final = 150.0
"""How long a backup waits for the flusher; one that hangs is ended after two minutes."""
_POLL_S: Final = 0.05
_COMPRESSION: Final = 1
_BLOCK_BYTES: Final = 1024 * 1024


@attrs.frozen(eq=False)
class _OpenedFile:
    name: str
    file: BinaryIO
    size_bytes: int


class WaitingCounts:
    """
    Keep the spool files of one moment open for a backup; a context manager.

    A file may grow or be removed meanwhile, but its content at that moment stays readable.
    """

    def __init__(self, spool: Path) -> None:
        self._spool = spool
        self._files: list[_OpenedFile] = []
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """
        Open the present spool files; within the block, no flusher brings counts to a sink.

        Raises:
            UnavailableError: A flusher of another process does not stop for minutes.
        """
        if not self._spool.is_dir():
            # Nothing has been delivered here.
            yield
            return
        with _without_flusher(self._spool):
            for path in spool_files(self._spool):
                file = self._opened.enter_context(path.open("rb"))
                size_bytes = os.fstat(file.fileno()).st_size
                self._files.append(_OpenedFile(path.name, file, size_bytes))
            yield

    def write(self, folder: Path) -> Sequence[BackedUpFile]:
        """
        Write the spool files into a backup's folder, compressed, and return these files.

        Raises:
            OSError: The disk is full, or the like.
        """
        written = []
        (folder / SPOOL_FOLDER).mkdir(mode=0o700)
        for one in self._files:
            name = f"{SPOOL_FOLDER}/{one.name}.gz"
            _compress(one, folder / name)
            written.append(BackedUpFile(file=name, sha256=sha256_of(folder / name)))
        return written


def restore_counts(files: Sequence[BackedUpFile], folder: Path, spool: Path) -> None:
    """
    Put a backup's spool files into the spool for the next flusher, each completely or not at all.

    A file that is in the spool already is left: it has the same lines, or more.

    Raises:
        ConfigError: A file of the backup is damaged.
        OSError: The disk is full, or the like.
    """
    for one in files:
        name = Path(one.file).name.removesuffix(".gz")
        target = spool / name
        if target.exists():
            continue
        spool.mkdir(parents=True, exist_ok=True)
        temporary = target.with_suffix(".restored")
        try:
            with (
                gzip.open(folder / one.file, "rb") as source,
                _private(temporary) as made,
            ):
                shutil.copyfileobj(source, made, _BLOCK_BYTES)
                made.flush()
                os.fsync(made.fileno())
        except (gzip.BadGzipFile, EOFError) as exc:
            raise ConfigError(
                f"{folder / one.file} is damaged; use another backup."
            ) from exc
        temporary.rename(target)


@contextmanager
def _without_flusher(spool: Path) -> Iterator[None]:
    deadline = time.monotonic() + WAITS_FOR_FLUSHER_S
    while True:
        with the_only_reader(spool) as is_alone:
            if is_alone:
                yield
                return
        if time.monotonic() > deadline:
            raise UnavailableError(
                "Counts are being brought to the sinks for minutes; see the log of the "
                "flusher, and make the backup again."
            )
        time.sleep(_POLL_S)


def _compress(one: _OpenedFile, target: Path) -> None:
    left, offset = one.size_bytes, 0
    # No time in it: the same lines give the same file.
    with (
        _private(target) as raw,
        gzip.GzipFile("", "wb", _COMPRESSION, raw, 0) as file,
    ):
        while left:
            data = os.pread(one.file.fileno(), min(left, _BLOCK_BYTES), offset)
            if not data:
                break
            file.write(data)
            offset += len(data)
            left -= len(data)


def _private(path: Path) -> BinaryIO:
    """Open a file anew, for its owner alone."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "wb")
