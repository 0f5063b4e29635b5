"""
Keep the counts in a folder of files, and replace its state atomically.

``current.json`` names the files that hold the counts, and how far each spool file has
been read. No file that it names ever changes. A writer makes new files, then puts a
new ``current.json`` in the place of the old one: that one renaming is when counts and
position change, together, for everybody. A writer that is killed before that has
changed nothing; the next one removes its files.

Writers take turns by a lock that ends with its process; readers wait for nobody. A
file that is no longer named stays for a minute, for its readers.
"""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import attrs

from hvcore.plugin_api import ConfigError, UnavailableError

VERSION: Final = 2
"""The version of the file format; from 2 on, files have a reason beside each count."""
LOCK_WAIT_S: Final = 20
"""The seconds to wait for the lock: longer than joining the largest parts takes (7 to 20 s)."""
RETIRED_RETENTION_S: Final = 60
"""The seconds for which a replaced file stays: longer than any question takes."""
_POLL_S: Final = 0.01
_CURRENT: Final = "current.json"
_LOCK: Final = "lock"
_MADE: Final = re.compile(
    r"(tmp_)?(tail-\d+\.csv|part-\d+\.parquet)|current\.json\.new"
)
"""The names of files that writers make; DuckDB puts ``tmp_`` before a file that it rewrites."""


@attrs.frozen(kw_only=True)
class ParquetFile:
    """The name and the number of rows of a Parquet file."""

    name: str
    rows: int


@attrs.frozen(kw_only=True)
class StoreState:
    """
    The state of the store that ``current.json`` holds.

    Attributes:
        positions: By the name of each spool file, the number of its bytes that are
            counted.
        tail: The name of the CSV file with the latest counts; empty if there is none.
        parts: The Parquet files with all older counts, the largest first.
        retired: Files that no longer belong to the state, with the Unix time at which
            they left it.
    """

    generation: int = 0
    positions: Mapping[str, int] = attrs.field(factory=dict)
    tail: str = ""
    tail_rows: int = 0
    parts: tuple[ParquetFile, ...] = ()
    retired: Mapping[str, float] = attrs.field(factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """The names of the files that hold counts in this state."""
        return frozenset({part.name for part in self.parts} | {self.tail} - {""})


class ParquetStore:
    """Reads and replaces the state of the analytics store in its folder; thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> StoreState:
        """
        Return the present state of the store.

        Raises:
            UnavailableError: The state cannot be read, is damaged, or was never made.
            ConfigError: The state is of a newer version.
        """
        found = self._read()
        if found is None:
            raise UnavailableError(
                f"{self.folder} holds no counts yet; run: hv migrate."
            )
        return found

    def check(self) -> None:
        """Raise UnavailableError if a file of the present state is missing."""
        for name in sorted(self.read().names):
            if not (self.folder / name).is_file():
                raise UnavailableError(
                    f"{self.folder / name} is missing; restore the folder from a backup."
                )

    def is_prepared(self) -> bool:
        return self._read() is not None

    def prepare(self) -> None:
        """Make the folder and an empty state, unless they exist."""
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with self.locked():
            if self._read() is None:
                _put(self.folder, StoreState())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Hold the lock that allows one process to write to the store, while a block runs.

        Raises:
            UnavailableError: Another process has held the lock for too long.
        """
        with explained(self.folder):
            fd = os.open(
                self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
        try:
            deadline = time.monotonic() + LOCK_WAIT_S
            while not _try_lock(fd):
                if time.monotonic() > deadline:
                    raise UnavailableError(
                        f"Another process writes to {self.folder} for over "
                        f"{LOCK_WAIT_S} s; trying again."
                    )
                time.sleep(_POLL_S)
            yield
        finally:
            os.close(fd)

    def replace(self, old: StoreState, **changes: Any) -> StoreState:  # noqa: ANN401 - as attrs.evolve
        """
        Replace the state by a changed one and return it; the caller must hold the lock.

        Args:
            old: The present state.
            changes: The new values of attributes of the state.
        """
        now = time.time()
        new = attrs.evolve(old, generation=old.generation + 1, **changes)
        gone = {
            name
            for name, since in old.retired.items()
            if now - since > RETIRED_RETENTION_S
        }
        unretired = {
            name: since for name, since in old.retired.items() if name not in gone
        }
        new = attrs.evolve(
            new, retired=unretired | dict.fromkeys(old.names - new.names, now)
        )
        _put(self.folder, new)
        with explained(self.folder):
            for name in gone:
                (self.folder / name).unlink(missing_ok=True)
        return new

    def copy_to(self, folder: Path) -> None:
        """
        Copy the present state and its files into an empty folder.

        Raises:
            UnavailableError: A file cannot be read.
            OSError: A copy cannot be written.
        """
        far: list[tuple[str, BinaryIO]] = []
        with ExitStack() as opened:
            # Within it no file goes; those that must be copied stay open.
            with self.locked():
                state = self.read()
                for name in sorted(state.names):
                    if not _is_linked(self.folder / name, folder / name):
                        with explained(self.folder):
                            named = (self.folder / name).open("rb")
                        far.append((name, opened.enter_context(named)))
            for name, file in far:
                with (folder / name).open("xb") as copied:
                    shutil.copyfileobj(file, copied)
        _put(folder, attrs.evolve(state, retired={}))

    def take_from(self, folder: Path) -> None:
        """
        Restore a copy that ``copy_to`` made; the store must be empty.

        Raises:
            ConfigError: The store has other counts, or the copy is of a newer version.
            UnavailableError: The copy or the store cannot be read or written.
        """
        copied = ParquetStore(folder).read()
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with self.locked():
            there = self._read()
            if there == copied:
                return
            if there is not None and there != StoreState():
                raise ConfigError(
                    f"{self.folder} has counts already, which are kept. Move its content "
                    "away, or name another folder in analytics.options.duckdb.folder."
                )
            for name in sorted(copied.names):
                self.new_file(name, ParquetStore(folder).data_of(name))
            _put(self.folder, copied)

    def sweep(self, state: StoreState) -> None:
        """
        Remove files that killed writers left behind; the caller must hold the lock.

        Other files stay, because other programs may use the folder.
        """
        known = state.names | state.retired.keys()
        with explained(self.folder):
            for path in self.folder.iterdir():
                if _MADE.fullmatch(path.name) and path.name not in known:
                    # One that cannot go is in nobody's way.
                    with suppress(OSError):
                        path.unlink()

    def new_file(self, name: str, data: bytes) -> None:
        """Write a file to the folder so that it survives a power cut."""
        _new_file(self.folder / name, data)

    def data_of(self, name: str) -> bytes:
        """Return the bytes of a file of the store; no bytes for an empty name."""
        if not name:
            return b""
        with explained(self.folder):
            return (self.folder / name).read_bytes()

    def keep(self, name: str) -> None:
        """Flush a file that DuckDB wrote to the disk, so that it survives a power cut."""
        with explained(self.folder):
            _sync(self.folder / name)

    def _read(self) -> StoreState | None:
        with explained(self.folder):
            try:
                text = (self.folder / _CURRENT).read_bytes()
            except FileNotFoundError:
                return None
        try:
            stored = json.loads(text)
            is_newer = stored.pop("version") > VERSION
            if not is_newer:
                stored["parts"] = tuple(ParquetFile(**part) for part in stored["parts"])
                return StoreState(**stored)
        except (ValueError, LookupError, TypeError, AttributeError) as exc:
            raise UnavailableError(
                f"{self.folder / _CURRENT} is damaged; restore the folder from a backup."
            ) from exc
        raise ConfigError(
            f"The counts in {self.folder} are of a newer version of "
            "hvcore_analytics_duckdb than this one; install that version, or restore "
            "a backup."
        )


def _put(folder: Path, state: StoreState) -> None:
    text = json.dumps({"version": VERSION, **attrs.asdict(state)})
    _new_file(folder / f"{_CURRENT}.new", text.encode())
    with explained(folder):
        (folder / f"{_CURRENT}.new").replace(folder / _CURRENT)
        _sync(folder)


def _new_file(path: Path, data: bytes) -> None:
    with explained(path.parent), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _is_linked(source: Path, target: Path) -> bool:
    try:
        # No file that is named ever changes.
        target.hardlink_to(source)
    except OSError:
        # Another file system, or one without links.
        return False
    return True


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of the operating system in a block into UnavailableError."""
    try:
        yield
    except OSError as exc:
        raise UnavailableError(
            f"The counts in {folder} cannot be read or written: {exc.strerror}. Repair the folder, or name another one in analytics.options.duckdb.folder."
        ) from exc
