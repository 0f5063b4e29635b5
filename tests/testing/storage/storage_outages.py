"""
Storages in memory that say wrongly that they, or their bucket, are gone.
"""

import threading

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo, ObjectNotFoundError
from hvcore.testing.fakes import MemoryObject, MemoryStorage


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
