"""List a storage's objects at one moment, and compare the list with a storage."""

import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

import attrs

from hvcore.errors import ConfigError
from hvcore.ports.storage import Storage, check_object_path

PREFIXES: Final = ("media", "uploads")
"""The prefixes of all stored objects; see domain.media_paths and domain.uploads."""


@attrs.frozen(kw_only=True)
class ListedObject:
    """
    An object that a storage had when the list was made.

    Attributes:
        content_type: The object's media type; None if the storage's list does not tell
            it.
    """

    path: str
    size_bytes: int
    content_type: str | None = None


class ObjectList:
    """A list of storage objects by path, kept in a temporary file: there may be millions."""

    def __init__(self) -> None:
        # "" is a database on the disk that goes with its connection.
        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute(
            "CREATE TABLE objects (path TEXT PRIMARY KEY, size_bytes INTEGER NOT NULL,"
            " content_type TEXT, is_listed INTEGER NOT NULL, found_bytes INTEGER)"
            " WITHOUT ROWID"
        )
        self._rows.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def add_all_of(self, storage: Storage) -> None:
        """
        Add every object of a storage to the list.

        Raises:
            UnavailableError: The storage does not answer.
        """
        for prefix in PREFIXES:
            for info in storage.walk(prefix):
                self.add(
                    ListedObject(
                        path=info.path,
                        size_bytes=info.size_bytes,
                        content_type=info.content_type,
                    )
                )

    def add(self, listed: ListedObject) -> None:
        """Add an object to the list, in place of an earlier one with the same path."""
        self._rows.execute(
            "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, 1, NULL)",
            (listed.path, listed.size_bytes, listed.content_type),
        )

    def find_in(self, storage: Storage) -> None:
        """
        Compare the listed objects with those of a storage.

        ``missing`` and ``unlisted`` give the result.

        Raises:
            UnavailableError: The storage does not answer.
        """
        for prefix in PREFIXES:
            for info in storage.walk(prefix):
                self._rows.execute(
                    "INSERT INTO objects VALUES (?, ?, NULL, 0, ?)"
                    " ON CONFLICT (path) DO UPDATE SET found_bytes ="
                    " excluded.found_bytes",
                    (info.path, info.size_bytes, info.size_bytes),
                )

    def __iter__(self) -> Iterator[ListedObject]:
        """Give the listed objects, by their paths."""
        return self._select("is_listed = 1")

    def missing(self) -> Iterator[ListedObject]:
        """Yield the listed objects that ``find_in`` did not find, or found with another length."""
        return self._select("is_listed = 1 AND found_bytes IS NOT size_bytes")

    def totals(self) -> tuple[int, int]:
        """Return the number of listed objects, and their size in bytes together."""
        return self._sums("is_listed = 1")

    def unlisted(self) -> int:
        """Return the number of objects in the storage of ``find_in`` that are not in this list."""
        return self._sums("is_listed = 0")[0]

    def write(self, path: Path) -> None:
        """
        Write the list into a gzip file, one line of JSON for each object.

        Raises:
            OSError: The disk is full, or the like.
        """
        with path.open("xb") as raw, gzip.GzipFile("", "wb", 6, raw, 0) as file:
            for listed in self:
                text = json.dumps(attrs.asdict(listed), ensure_ascii=False)
                file.write(text.encode() + b"\n")

    def read(self, path: Path) -> None:
        """
        Add the objects that the object list file of a backup names.

        Raises:
            ConfigError: The file is damaged.
        """
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    listed = ListedObject(**json.loads(line))
                    check_object_path(listed.path)
                    self.add(listed)
        except (OSError, EOFError, ValueError, TypeError) as exc:
            raise ConfigError(f"{path} is damaged; use another backup.") from exc

    def _select(self, condition: str) -> Iterator[ListedObject]:
        asked = "SELECT path, size_bytes, content_type FROM objects WHERE "
        asked += f"{condition} ORDER BY path"
        for path, size_bytes, content_type in self._rows.execute(asked):
            yield ListedObject(
                path=path, size_bytes=size_bytes, content_type=content_type
            )

    def _sums(self, condition: str) -> tuple[int, int]:
        asked = "SELECT count(*), coalesce(sum(size_bytes), 0) FROM objects WHERE "
        asked += condition
        count, size_bytes = self._rows.execute(asked).fetchone()
        return count, size_bytes
