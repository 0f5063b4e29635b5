"""Storages in memory that are wrong while something breaks off or comes in between."""

import fnmatch
import io
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, cast

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo, ObjectNotFoundError
from hvcore.testing.fakes import MemoryObject, MemoryStorage
from hvcore.testing.storage import CUT_BYTES, arrived
from hvcore_storage_fsspec.local import LocalStorage


class ListsByPattern(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        self.ping()
        pattern = self.check(prefix.removesuffix("/")).replace("_", "?")
        return [
            one
            for one in list(self.objects.items())
            if fnmatch.fnmatchcase(one[0], pattern)
            or fnmatch.fnmatchcase(one[0], f"{pattern}/*")
        ]


class FoldsPrefixes(MemoryStorage):
    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        self.ping()
        name = self.check(prefix.removesuffix("/")).lower()
        return [
            one
            for one in list(self.objects.items())
            if one[0].lower() == name or one[0].lower().startswith(f"{name}/")
        ]


class CutsPaths(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        info = super().keep(path[:120], data, content_type)
        return attrs.evolve(info, path=path)

    def found(self, path: str) -> MemoryObject:
        return super().found(path[:120])


class KeepsFolders(MemoryStorage):
    folders: ClassVar = set[tuple[int, str]]()

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        if (id(self.objects), path) in self.folders:
            raise UnavailableError("a folder is there")
        self.folders.update((id(self.objects), str(one)) for one in Path(path).parents)
        return super().keep(path, data, content_type)


class KeepsTheFirstDate(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        before = self.objects.get(path)
        info = super().keep(path, data, content_type)
        if before is None:
            return info
        self.objects[path] = attrs.evolve(
            self.objects[path], modified_at=before.modified_at
        )
        return self.stat(path)


class KeepsDatesOfFiles(MemoryStorage):
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        date = datetime.fromtimestamp(local.stat().st_mtime, UTC)
        super().put_file(path, local, content_type=content_type)
        self.objects[path] = attrs.evolve(self.objects[path], modified_at=date)
        return self.stat(path)


class KeepsTheFirstType(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        before = self.objects.get(path)
        type_ = before.content_type if before and before.content_type else content_type
        return super().keep(path, data, type_)


class TagsTheHead(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        tag = f"{hash(found.data[:65_536])} {len(found.data)}"
        return attrs.evolve(super().info(path, found), tag=tag)


class LosesAByteAtEdges(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        is_edge = end is not None and start < end and end % 65_536 == 0
        return super().open(path, start=start, end=end - 1 if end and is_edge else end)


class _Stopping(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        at_most = 1024 * 1024
        if self.tell() and self.tell() % at_most == 0:
            return b""
        left = at_most - self.tell() % at_most
        return super().read(left if size is None or size < 0 else min(size, left))


class StopsAtMiB(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return _Stopping(super().open(path, start=start, end=end).read())


class _Late(io.RawIOBase):
    def __init__(self, storage: MemoryStorage, path: str, start: int) -> None:
        super().__init__()
        self.storage, self.path, self.at = storage, path, start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - see the kit's sources
        found = self.storage.objects.get(self.path, MemoryObject(data=b"")).data
        data = found[self.at : self.at + len(buffer)]
        buffer[: len(data)] = data
        self.at += len(data)
        return len(data)


class EndsWithItsObject(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        if end is not None or start:
            return super().open(path, start=start, end=end)
        self.found(path)
        return cast(BinaryIO, io.BufferedReader(_Late(self, path, start)))


class EndsEarly(MemoryStorage):
    def __init__(self, objects: dict[str, MemoryObject] | None = None) -> None:
        super().__init__(objects)
        self.objects["v/cut"] = MemoryObject(data=arrived(CUT_BYTES)[:100_000])

    def stat(self, path: str) -> ObjectInfo:
        return attrs.evolve(super().stat(path), size_bytes=CUT_BYTES)


class _Once(io.BytesIO):
    def close(self) -> None:
        if self.closed:
            raise ValueError("closed twice")
        super().close()


class ClosesOnce(MemoryStorage):
    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        return _Once(super().open(path, start=start, end=end).read())


class SwallowsClosings(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        try:
            return super().write(path, source, content_type=content_type)
        except GeneratorExit:
            return self.keep(path, b"", content_type)


class ClosesSources(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        info = super().write(path, source, content_type=content_type)
        with suppress(AttributeError):
            source.close()
        return info


class RewindsSources(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        source.seek(0)
        return super().write(path, source, content_type=content_type)


class MeasuresSources(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        data = io.BytesIO(source.read(os.fstat(source.fileno()).st_size))
        return super().write(path, data, content_type=content_type)


class TheFirstToEndWins(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        before = self.objects.get(path)
        data = source.read()
        if self.objects.get(path) is not before:
            return self.stat(path)
        return self.keep(path, data, content_type)


class MindsRemovals(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        was_there = path in self.objects
        data = source.read()
        if was_there and path not in self.objects:
            raise UnavailableError("it was removed")
        return self.keep(path, data, content_type)


class RemovesFirst(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        self.objects.pop(path, None)
        return super().keep(path, data, content_type)


class LooksAfterWriting(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        super().keep(path, data, content_type)
        return self.stat(path)


class StoresWhatItGaveUp(MemoryStorage):
    """
    Gives up writing an object, whose bytes come all the same, once somebody has asked for it.

    That is right: a server may get a request for whose answer nobody waits any more.
    """

    on_their_way: ClassVar = list[tuple[str, bytes, str]]()

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        if data == b"old" or not path.endswith("/a"):
            return super().keep(path, data, content_type)
        self.on_their_way.append((path, data, content_type))
        raise UnavailableError("The storage does not answer.")

    def stat(self, path: str) -> ObjectInfo:
        try:
            return super().stat(path)
        finally:
            while self.on_their_way:
                super().keep(*self.on_their_way.pop())


class ListsWhatItGaveUp(StoresWhatItGaveUp):
    """And lists an object whose bytes never come."""

    def found(self, path: str) -> MemoryObject:
        found = super().found(path)
        if found.data != b"old" and path.endswith("/a"):
            raise ObjectNotFoundError(path)
        return found


class KeepsTypesApart(MemoryStorage):
    types: ClassVar = dict[str, str]()

    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        self.types[path] = content_type
        return super().keep(path, data, content_type)

    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        type_ = self.types.get(path)
        return attrs.evolve(super().info(path, found), content_type=type_)


class MindsOtherRemovals(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        below = self.below(prefix)
        for path, _ in below:
            del self.objects[path]
        return len(below)


class WalksTheDictionary(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        self.ping()
        name = self.check(prefix.removesuffix("/"))
        for path, found in self.objects.items():
            if path == name or path.startswith(f"{name}/"):
                yield self.info(path, found)


class WalksByNumber(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        number = 0
        while number < len(below := self.below(prefix)):
            yield self.info(*below[number])
            number += 1


class AsksForEach(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        for path, _ in self.below(prefix):
            yield self.stat(path)


class SwallowsInterrupts(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        with suppress(KeyboardInterrupt):
            return super().keep(path, data, content_type)
        return self.stat(path)


class MovesLocalFilesFirst(MemoryStorage):
    def put_file(self, path: str, local: Path, *, content_type: str) -> ObjectInfo:
        data = local.read_bytes()
        local.unlink()
        return self.keep(path, data, content_type)


class TellsRemovedWhatFailed(MemoryStorage):
    def delete_tree(self, prefix: str) -> int:
        below = self.below(prefix)
        for path, _ in below:
            with suppress(OSError):
                self.objects.pop(path, None)
        return len(below)


class EndsListsAtFailures(MemoryStorage):
    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        try:
            yield from super().walk(prefix)
        except OSError:
            return


class TakesFailuresForAbsence(MemoryStorage):
    def stat(self, path: str) -> ObjectInfo:
        try:
            return super().stat(path)
        except OSError as exc:
            raise ObjectNotFoundError(path) from exc


class LeaksDescriptors(MemoryStorage):
    kept: ClassVar = list[int]()

    def stat(self, path: str) -> ObjectInfo:
        self.kept.append(os.open(os.devnull, os.O_RDONLY))
        return super().stat(path)


class LeavesThreads(MemoryStorage):
    ends: ClassVar = threading.Event()

    def ping(self) -> None:
        super().ping()
        threading.Thread(target=self.ends.wait, daemon=True).start()


class TellsSizesOf16Bits(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        info = super().info(path, found)
        return attrs.evolve(info, size_bytes=info.size_bytes & 0xFFFF)


class HidesOneByOne(LocalStorage):
    def hide_tree(self, prefix: str) -> None:
        for info in list(self.walk(prefix)):
            super().hide_tree(info.path)
