"""
Storages in memory that are wrong about what they read.
"""

import io
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo, ObjectNotFoundError
from hvcore.testing.fakes import MemoryObject, MemoryStorage


class LosesTheLastByte(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(path, data[:-1], content_type)


class TellsNaiveTimes(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        naive = found.modified_at.replace(tzinfo=None)
        return super().info(path, attrs.evolve(found, modified_at=naive))


class KnowsNoTimes(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        first = datetime.fromtimestamp(0, found.modified_at.tzinfo)
        return super().info(path, attrs.evolve(found, modified_at=first))


class TellsWhatWasAnnounced(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return attrs.evolve(super().keep(path, data, content_type), size_bytes=0)


class TagsByPath(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        return attrs.evolve(super().info(path, found), tag=path)


class TagsBySize(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        return attrs.evolve(super().info(path, found), tag=str(len(found.data)))


class GivesTheEndToo(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return super().open(path, start=start, end=end if end is None else end + 1)


class TakesLengthsForEnds(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return super().open(path, start=start, end=end if end is None else start + end)


class TakesZeroForNone(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return super().open(path, start=start, end=end or None)


class FailsBehindTheEnd(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if start and start >= self.stat(path).size_bytes:
            raise UnavailableError("416")
        return super().open(path, start=start, end=end)


class PadsBehindTheEnd(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        with super().open(path, start=start, end=end) as file:
            data = file.read()
        if end is None or end > 2_000:
            return io.BytesIO(data)
        return io.BytesIO(data.ljust(end - start, b"\0"))


class TakesSlices(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return io.BytesIO(self.found(path).data[start:end])


class HasOneReader(MemoryStorage):
    reader: io.BytesIO | None = None

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        with super().open(path, start=start, end=end) as file:
            data = file.read()
        self.reader = self.reader or io.BytesIO()
        self.reader.seek(0)
        self.reader.truncate()
        self.reader.write(data)
        self.reader.seek(0)
        return self.reader


class OpensWhatIsAbsent(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        try:
            return super().open(path, start=start, end=end)
        except ObjectNotFoundError:
            return io.BytesIO()


class FindsOutWhenRead(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        storage, opened = super(), []

        class Late(io.RawIOBase):
            def readable(self) -> bool:
                return True

            def read(self, size: int = -1) -> bytes:
                if not opened:
                    opened.append(storage.open(path, start=start, end=end))
                return opened[0].read(size)

        return Late()  # type: ignore[return-value]


class RaisesKeyErrors(MemoryStorage):
    def found(self, path: str) -> MemoryObject:
        try:
            return super().found(path)
        except ObjectNotFoundError:
            raise KeyError(path) from None


class HasFolders(MemoryStorage):
    def found(self, path: str) -> MemoryObject:
        if path not in self.objects and self.below(path):
            return MemoryObject(data=b"")
        return super().found(path)


class MindsWhatIsAbsent(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        removed = super().delete_tree(prefix)
        if not removed:
            raise ObjectNotFoundError(prefix)
        return removed


class GivesTheWholeForAPart(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return io.BytesIO(b"0123456789")


class NamesNoFile(MemoryStorage):
    def local_path(self, path: str) -> Path:
        return Path("/none", self.check(path))
