"""
Storages in memory that write, copy or name objects wrongly.
"""

import io
import threading
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo
from hvcore.testing.fakes import MemoryObject, MemoryStorage


class TakesOneRead(MemoryStorage):
    def write(self, path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        data = io.BytesIO(source.read(8 * 1024 * 1024))
        return super().write(path, data, content_type=content_type)


class KeepsNothingEmpty(MemoryStorage):
    def keep(self, path: str, data: bytes, content_type: str) -> ObjectInfo:
        info = super().keep(path, data, content_type)
        if not data:
            del self.objects[path]
        return info


class GuessesTypes(MemoryStorage):
    def info(self, path: str, found: MemoryObject) -> ObjectInfo:
        return attrs.evolve(super().info(path, found), content_type="text/html")


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
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
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
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
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
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
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
