"""
Storages in memory that list or remove wrongly.
"""

from collections.abc import Iterator
from contextlib import suppress

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import ObjectInfo, ObjectNotFoundError
from hvcore.testing.fakes import MemoryObject, MemoryStorage


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


class HidesWhatItRemoves(MemoryStorage):
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
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
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
        super().__init__(objects)
        self.lists: dict[str, list[tuple[str, MemoryObject]]] = {}

    def below(self, prefix: str) -> list[tuple[str, MemoryObject]]:
        self.ping()
        return self.lists.setdefault(prefix, super().below(prefix))


class KeepsAnswers(MemoryStorage):
    def __init__(self, objects: dict[str, MemoryObject]) -> None:
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


class EmptiesWhenClosed(MemoryStorage):
    def close(self) -> None:
        self.objects.clear()
