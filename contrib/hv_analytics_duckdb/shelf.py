"""
The folder of files, and how it goes from one state to the next.

``current.json`` names the files that hold the counts, and how far each spool
file has been read. No file that it names ever changes. A writer makes new
files, then puts a new ``current.json`` in the place of the old one: that one
renaming is when counts and position change, together, for everybody. Who is
killed before it has changed nothing; what it left is removed by the next.

Writers take turns by a lock that ends with its process; readers wait for
nobody. A file that is named no more stays for a minute, for those who read it.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore.plugin_api import ConfigError, UnavailableError

VERSION: Final = 1
LOCK_WAIT_S: Final = 20
"""Far longer than joining parts takes."""
KEPT_S: Final = 60
"""Longer than any question takes."""
_POLL_S: Final = 0.01
_CURRENT: Final = "current.json"
_LOCK: Final = "lock"


@attrs.frozen(kw_only=True)
class Part:
    """
    A Parquet file.
    """

    name: str
    rows: int


@attrs.frozen(kw_only=True)
class State:
    """
    What ``current.json`` says.

    Attributes:
        positions: By spool file.
        tail: A CSV file of the latest counts; empty if there are none.
        parts: Everything older; the largest come first.
        retired: Files that are named no more, and since when (Unix time).
    """

    generation: int = 0
    positions: Mapping[str, int] = attrs.field(factory=dict)
    tail: str = ""
    tail_rows: int = 0
    parts: tuple[Part, ...] = ()
    retired: Mapping[str, float] = attrs.field(factory=dict)

    @property
    def names(self) -> frozenset[str]:
        """
        The files that hold counts now.
        """
        return frozenset({part.name for part in self.parts} | {self.tail} - {""})


class Shelf:
    """
    Read the state, and put another one in its place; thread-safe.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> State:
        """
        Return the state of now.

        Raises:
            UnavailableError: It cannot be read, or was never made.
            ConfigError: It is of a newer version.
        """
        found = self._read()
        if found is None:
            raise UnavailableError(
                f"{self.folder} holds no counts yet; run: hv migrate."
            )
        return found

    def is_prepared(self) -> bool:
        """
        Tell whether there is a state.
        """
        return self._read() is not None

    def prepare(self) -> None:
        """
        Make the folder and its first state, unless they are there.
        """
        with _explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with self.locked():
            if self._read() is None:
                self._put(State())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Be the only writer.

        Raises:
            UnavailableError: Another one is at it for too long.
        """
        with _explained(self.folder):
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

    def replace(self, old: State, **changes: Any) -> State:  # noqa: ANN401 - as attrs.evolve
        """
        Put a changed state in the place of the old one; for who has the lock.
        """
        now = time.time()
        new = attrs.evolve(old, generation=old.generation + 1, **changes)
        gone = {name for name, since in old.retired.items() if now - since > KEPT_S}
        kept = {name: since for name, since in old.retired.items() if name not in gone}
        new = attrs.evolve(
            new, retired=kept | dict.fromkeys(old.names - new.names, now)
        )
        self._put(new)
        with _explained(self.folder):
            for name in gone:
                (self.folder / name).unlink(missing_ok=True)
        return new

    def sweep(self, state: State) -> None:
        """
        Remove what killed writers left; for who has the lock.
        """
        known = state.names | state.retired.keys() | {_CURRENT, _LOCK}
        with _explained(self.folder):
            for path in self.folder.iterdir():
                if path.name not in known and path.is_file():
                    path.unlink()

    def new_file(self, name: str, data: bytes) -> None:
        """
        Write a file that will be there after a power cut, too.
        """
        with _explained(self.folder), (self.folder / name).open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def data_of(self, name: str) -> bytes:
        """
        Return what a file holds.
        """
        with _explained(self.folder):
            return (self.folder / name).read_bytes()

    def keep(self, name: str) -> None:
        """
        Have a file, which somebody else wrote, outlast a power cut.
        """
        with _explained(self.folder):
            _sync(self.folder / name)

    def _read(self) -> State | None:
        with _explained(self.folder):
            try:
                text = (self.folder / _CURRENT).read_bytes()
            except FileNotFoundError:
                return None
        stored = json.loads(text)
        if stored.pop("version") > VERSION:
            raise ConfigError(
                f"The counts in {self.folder} are of a newer version of "
                "hv_analytics_duckdb than this one; install that version, or restore "
                "a backup."
            )
        stored["parts"] = tuple(Part(**part) for part in stored["parts"])
        return State(**stored)

    def _put(self, state: State) -> None:
        text = json.dumps({"version": VERSION, **attrs.asdict(state)})
        self.new_file(f"{_CURRENT}.new", text.encode())
        with _explained(self.folder):
            (self.folder / f"{_CURRENT}.new").replace(self.folder / _CURRENT)
            _sync(self.folder)


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
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise UnavailableError(
            f"The counts in {folder} cannot be read or written: {exc.strerror}. Mend "
            "the folder, or name another one in analytics.options.duckdb.folder."
        ) from exc
