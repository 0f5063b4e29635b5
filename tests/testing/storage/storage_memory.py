"""
Storages in memory that are wrong in one way each.
"""

import io
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo, ObjectNotFoundError
from hvcore.testing.fakes import MemoryObject, MemoryStorage

OldObjects = dict[str, MemoryObject]


class LosesTheLastByte(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(path, data[:-1], content_type)


class TakesOneRead(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        data = io.BytesIO(source.read(8 * 1024 * 1024))
        return super().write(path, data, content_type=content_type)


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


class KeepsNothingEmpty(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        info = super().keep(path, data, content_type)
        if not data:
            del self.objects[path]
        return info


class GuessesTypes(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        return attrs.evolve(super().info(path, found), content_type="text/html")


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


class WritesOver(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        old = self.objects[path].data if path in self.objects else b""
        return super().keep(path, data + old[len(data) :], content_type)


class KeepsTheFirst(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        if path in self.objects:
            return self.stat(path)
        return super().keep(path, data, content_type)


class PutsOneMiB(MemoryStorage):
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        return self.keep(path, local.read_bytes()[: 1024 * 1024], content_type)


class FoldsCase(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(path.lower(), data, content_type)

    def found(self, path: str) -> MemoryObject:
        return super().found(path.lower())


class DecodesNames(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(unquote(path), data, content_type)


class TrimsNames(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(path.rstrip("."), data, content_type)


class HidesDots(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        return [one for one in super().below(prefix) if "/." not in one[0]]


class TakesAnyPath(MemoryStorage):
    def check(self, path: str) -> str:
        return path


class TakesNothingForAll(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        return super().below(prefix) if prefix else list(self.objects.items())


class TakesPrefixesForTexts(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        name = self.check(prefix.removesuffix("/"))
        self.ping()
        return [one for one in self.objects.items() if one[0].startswith(name)]


class MindsTheSlash(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        found = super().below(prefix)
        return [] if prefix.endswith("/") else found


class ListsOneFloor(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        depth = prefix.rstrip("/").count("/") + 2
        return [one for one in super().below(prefix) if one[0].count("/") < depth]


class ListsNoObjectItself(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        return [one for one in super().below(prefix) if one[0] != prefix]


class ListsNames(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        return (attrs.evolve(info, size_bytes=0) for info in super().walk(prefix))


class ListsTwice(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        found = super().below(prefix)
        return found + found[:1]


class RemovesNothing(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        return len(self.below(prefix))


class BelievesItHasRemoved(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        with suppress(UnavailableError):
            super().delete_tree(prefix)
        return len(self.below(prefix))


class IsAbsentWithoutBucket(MemoryStorage):
    def found(self, path: str) -> MemoryObject:
        self.check(path)
        try:
            return super().found(path)
        except UnavailableError:
            raise ObjectNotFoundError(path) from None


class IsEmptyWithoutBucket(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        try:
            return super().below(prefix)
        except UnavailableError:
            return []


class CopiesWithoutBucket(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        try:
            return super().copy(source, target, content_type=content_type)
        except UnavailableError:
            raise ObjectNotFoundError(source) from None


class HidesWhatItRemoves(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)
        self.removed: set[str] = set()

    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        return [one for one in super().below(prefix) if one[0] not in self.removed]

    def delete_tree(self, prefix: str) -> int:
        gone = {path for path, _ in self.below(prefix)}
        self.removed |= gone
        return len(gone)

    def found(self, path: str) -> MemoryObject:
        if path in self.removed:
            raise ObjectNotFoundError(path)
        return super().found(path)

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        self.removed.discard(path)
        return super().keep(path, data, content_type)


class KeepsLists(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)
        self.lists: dict[str, list[tuple[str, MemoryObject]]] = {}

    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        self.ping()
        return self.lists.setdefault(prefix, super().below(prefix))


class KeepsAnswers(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)
        self.known: dict[str, ObjectInfo] = {}

    def stat(self, path: str) -> ObjectInfo:
        if path not in self.known:
            self.known[path] = super().stat(path)
        return self.known[path]

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        self.known.pop(path, None)
        return super().keep(path, data, content_type)


class ListsAThousand(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        return (self.info(*one) for one in self.below(prefix)[:1_000])


class RemovesAThousand(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        for path, _ in self.below(prefix)[:1_000]:
            del self.objects[path]
        return self.kit_many

    kit_many = 1_050


class KeepsHalves(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.check(path)
        self.ping()
        pieces: list[bytes] = []
        try:
            while piece := source.read(65_536):
                pieces.append(piece)
        finally:
            self.keep(path, b"".join(pieces), content_type)
        return self.stat(path)


class EmptiesFirst(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.objects.pop(self.check(path), None)
        return super().write(path, source, content_type=content_type)


class RenamesErrors(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        try:
            return super().write(path, source, content_type=content_type)
        except OSError as exc:
            raise UnavailableError("The storage does not answer.") from exc


class ShowsHalves(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.check(path)
        self.ping()
        data = b""
        while piece := source.read(65_536):
            data += piece
            self.keep(path, data, content_type)
        return self.keep(path, data, content_type)


class LocksOthersOut(MemoryStorage):
    lock = threading.Lock()

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        with self.lock:
            return super().write(path, source, content_type=content_type)

    def found(self, path: str) -> MemoryObject:
        with self.lock:
            return super().found(path)


class MixesWriters(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)
        self.arriving: dict[str, list[bytes]] = {}

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.check(path)
        self.ping()
        pieces = self.arriving.setdefault(path, [])
        while piece := source.read(65_536):
            pieces.append(piece)
        return self.keep(path, b"".join(self.arriving.pop(path, [])), content_type)


class HasOneBuffer(MemoryStorage):
    def __init__(self, objects: OldObjects) -> None:
        super().__init__(objects)
        self.buffer = bytearray()

    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        self.check(path)
        self.ping()
        self.buffer.clear()
        while piece := source.read(65_536):
            self.buffer += piece
        return self.keep(path, bytes(self.buffer), content_type)


class KeepsFourMiB(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        return super().keep(path, data[: 4 * 1024 * 1024], content_type)


class PingsWithAnObject(MemoryStorage):
    def ping(self) -> None:
        super().ping()
        self.objects["v/ping"] = MemoryObject(data=b"ping")


class NeedsAnObject(MemoryStorage):
    def ping(self) -> None:
        super().ping()
        if not self.objects:
            raise UnavailableError("nothing is there")


class LeaksErrors(MemoryStorage):
    def ping(self) -> None:
        if self.is_down:
            raise TimeoutError("timed out")


class IsAbsentWhenDown(MemoryStorage):
    def found(self, path: str) -> MemoryObject:
        if self.is_down:
            raise ObjectNotFoundError(path)
        return super().found(path)


class IsEmptyWhenDown(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        return [] if self.is_down else super().below(prefix)


class PingsWhenDown(MemoryStorage):
    def ping(self) -> None:
        pass

    def found(self, path: str) -> MemoryObject:
        MemoryStorage.ping(self)
        return super().found(path)


class HangsWhenDown(MemoryStorage):
    def ping(self) -> None:
        if self.is_down:
            threading.Event().wait(2.0)
        super().ping()


class GivesTheWholeForAPart(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return io.BytesIO(b"0123456789")


class EmptiesWhenClosed(MemoryStorage):
    def close(self) -> None:
        self.objects.clear()


class MovesInsteadOfCopying(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        info = super().copy(source, target, content_type=content_type)
        del self.objects[source]
        return info


class KeepsTheTypeOfTheSource(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        return self.keep(target, self.found(source).data, "video/mp4")


class CopiesNothing(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        if source not in self.objects:
            return self.keep(target, b"", content_type)
        return super().copy(source, target, content_type=content_type)


class EmptiesTheTarget(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        self.objects.pop(target, None)
        return super().copy(source, target, content_type=content_type)


class CopiesEightMiB(MemoryStorage):
    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        data = self.found(source).data[: 8 * 1024 * 1024]
        return self.keep(target, data, content_type)


class NamesNoFile(MemoryStorage):
    def local_path(self, path: str) -> Path:
        return Path("/none", self.check(path))
