"""A storage that keeps objects as blobs in one SQLite file, copies and hides."""

import io
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from hvcore.plugin_api import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    SupportsCopy,
    SupportsHide,
    UnavailableError,
    check_object_path,
)

CHUNK = 256 * 1024
TABLES = """
PRAGMA journal_mode=WAL;
CREATE TABLE IF NOT EXISTS objects (
  path TEXT PRIMARY KEY, id TEXT NOT NULL, size INTEGER NOT NULL,
  modified REAL NOT NULL, type TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hidden (path TEXT, id TEXT);
CREATE TABLE IF NOT EXISTS chunks (id TEXT, n INTEGER, data BLOB, PRIMARY KEY (id, n));
"""


class Blobs(Storage, SupportsCopy, SupportsHide):
    """
    Keeps each object in chunks, whose row in ``objects`` comes last.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        with closing(sqlite3.connect(file)) as db:
            db.executescript(TABLES)

    def stat(self, path: str) -> ObjectInfo:
        check_object_path(path)
        with self._opened() as db:
            return self._info(path, self._row(db, path))

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        check_object_path(path)
        if start < 0 or (end is not None and end < start):
            raise ValueError(f"not a range: {start} to {end}")
        with self._opened() as db:
            key, size, *_ = self._row(db, path)
        stop = size if end is None else min(end, size)
        return cast(BinaryIO, io.BufferedReader(_Range(self, path, key, start, stop)))

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        check_object_path(path)
        key, size, number = uuid.uuid4().hex, 0, 0
        try:
            while data := self._full(source):
                with self._opened() as db:
                    db.execute(
                        "INSERT INTO chunks VALUES (?, ?, ?)", (key, number, data)
                    )
                size, number = size + len(data), number + 1
            now = datetime.now(UTC).timestamp()
            with self._opened() as db, self._transaction(db):
                old = db.execute(
                    "SELECT id FROM objects WHERE path = ?", (path,)
                ).fetchone()
                db.execute(
                    "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?)",
                    (path, key, size, now, content_type),
                )
                if old:
                    db.execute("DELETE FROM chunks WHERE id = ?", old)
        except BaseException:
            with self._opened() as db:
                db.execute("DELETE FROM chunks WHERE id = ?", (key,))
            raise
        return self._info(path, (key, size, now, content_type))

    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        with local.open("rb") as file:
            return self.write(path, file, content_type=content_type)

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        with self.open(source) as file:
            return self.write(target, file, content_type=content_type)

    def hide_tree(self, prefix: str) -> None:
        where, names = _below(prefix)
        with self._opened() as db, self._transaction(db):
            db.execute(
                f"INSERT INTO hidden SELECT path, id FROM objects WHERE {where}", names
            )
            db.execute(f"DELETE FROM objects WHERE {where}", names)

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        where, names = _below(prefix)
        with self._opened() as db:
            rows = db.execute(
                f"SELECT path, id, size, modified, type FROM objects WHERE {where}",
                names,
            ).fetchall()
        return iter([self._info(row[0], row[1:]) for row in rows])

    def delete_tree(self, prefix: str) -> int:
        where, names = _below(prefix)
        removed = 0
        with self._opened() as db, self._transaction(db):
            for table in ("objects", "hidden"):
                db.execute(
                    "DELETE FROM chunks WHERE id IN"
                    f" (SELECT id FROM {table} WHERE {where})",
                    names,
                )
                gone = db.execute(f"DELETE FROM {table} WHERE {where}", names)
                removed += gone.rowcount
        return removed

    def ping(self) -> None:
        with self._opened() as db:
            db.execute("SELECT 1 FROM objects LIMIT 1")

    def chunk(self, path: str, key: str, number: int) -> bytes:
        with self._opened() as db:
            row = db.execute(
                "SELECT data FROM chunks WHERE id = ? AND n = ?", (key, number)
            ).fetchone()
        if row is None:
            raise ObjectNotFoundError(path)
        return bytes(row[0])

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(
                sqlite3.connect(
                    f"{self._file.absolute().as_uri()}?mode=rw",
                    uri=True,
                    isolation_level=None,
                    timeout=8,
                )
            ) as db:
                yield db
        except sqlite3.Error as exc:
            raise UnavailableError("The file of blobs does not answer.") from exc

    @contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")

    @staticmethod
    def _full(source: BinaryIO) -> bytes:
        parts, missing = [], CHUNK
        while missing and (data := source.read(missing)):
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)

    @staticmethod
    def _row(db: sqlite3.Connection, path: str) -> tuple[str, int, float, str]:
        row = db.execute(
            "SELECT id, size, modified, type FROM objects WHERE path = ?", (path,)
        ).fetchone()
        if row is None:
            raise ObjectNotFoundError(path)
        return cast(tuple[str, int, float, str], row)

    @staticmethod
    def _info(path: str, row: tuple[str, int, float, str]) -> ObjectInfo:
        key, size, modified, kind = row
        return ObjectInfo(
            path=path,
            size_bytes=size,
            content_type=kind,
            tag=key,
            modified_at=datetime.fromtimestamp(modified, UTC),
        )


def _below(prefix: str) -> tuple[str, tuple[str, str, str]]:
    top = check_object_path(prefix.removesuffix("/"))
    return "(path = ? OR (path > ? AND path < ?))", (top, top + "/", top + "0")


class _Range(io.RawIOBase):
    def __init__(
        self, blobs: Blobs, path: str, key: str, start: int, stop: int
    ) -> None:
        self._blobs, self._path, self._key = blobs, path, key
        self._at, self._stop = start, stop
        self._kept: tuple[int, bytes] = (-1, b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def, override]
        left = min(len(buffer), self._stop - self._at)
        if left <= 0:
            return 0
        number, begin = divmod(self._at, CHUNK)
        if self._kept[0] != number:
            self._kept = number, self._blobs.chunk(self._path, self._key, number)
        data = self._kept[1][begin : begin + left]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
