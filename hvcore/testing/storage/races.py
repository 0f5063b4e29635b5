"""The promises of a storage when a second call runs in between at any line of the first one."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.testing.children import spread
from hvcore.testing.held_calls import held_at, lines_of
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import FilesOf
from hvcore.testing.storage.byte_sources import MOST_AT_ONCE, arrived, arriving
from hvcore.testing.storage.kit import (
    TYPE,
    ReopenedStorage,
    StorageKit,
    get,
    is_there,
    paths,
    put,
)

_NEW_BYTES: Final = MOST_AT_ONCE + 1
_NEW: Final = arrived(_NEW_BYTES)
_OTHER: Final = arrived(_NEW_BYTES, mark=1)
_LISTED: Final = 40
_READS: Final = 5


class RacePromises(StorageKit):
    """The promises of a storage when a second call runs in between at any line of the first one."""

    def test_an_object_is_replaced_in_one_step(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """At each line of a write, readers find the old object or the new one, whole."""
        other = reopened()

        def look() -> None:
            info, listed = other.stat("v/a"), list(other.walk("v"))
            found = _read(other)
            assert found in {b"old", _NEW}, "a half was seen"
            assert [one.path for one in listed] == ["v/a"]
            assert {info.size_bytes, listed[0].size_bytes, len(found)} <= {3, len(_NEW)}
            assert is_there(other, "v/a"), "for a moment it was not there"

        def prepare() -> None:
            put(storage, "v/a", b"old")

        self._held(storage, partial(_store, storage), look, prepare=prepare)
        assert get(other, "v/a") == _NEW

    def test_two_writes_leave_one_object(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Two writes that overlap at any line leave one object, with bytes, size and type of one of them."""
        other = reopened()

        def beside() -> None:
            source = arriving(_NEW_BYTES, mark=1)
            other.write("v/a", source, content_type="text/vtt")

        def look() -> None:
            found, type_ = get(other, "v/a"), other.stat("v/a").content_type
            assert found in {_NEW, _OTHER}, "the bytes of both"
            assert type_ in {TYPE if found == _NEW else "text/vtt", None}, (
                "of the other"
            )
            assert paths(other, "v") == ["v/a"]
            assert storage.delete_tree("v") == 1

        self._held(storage, partial(_store, storage), beside, look=look)

    def test_a_removal_beside_a_write_breaks_neither(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A removal during a write leaves the object whole or removed; the write may raise UnavailableError."""
        other = reopened()

        given_up: list[UnavailableError] = []

        def look_once() -> None:
            is_left = is_there(other, "v/1/a")
            assert not is_left or get(other, "v/1/a") == _NEW
            assert paths(other, "v") == [*(["v/1/a"] * is_left), "v/2"]

        def look() -> None:
            # The bytes of a write that was given up may be on their way to a server, and
            # come between two questions.
            within_s = self.gives_up_within_s if given_up else 0.0
            _holds_within(within_s, look_once)

        def prepare() -> None:
            put(storage, "v/1/a", b"old")
            put(storage, "v/2", b"stays")

        def write() -> None:
            # Some look at what they have stored, and find nothing.
            try:
                _store(storage, "v/1/a")
            except UnavailableError as exc:
                given_up.append(exc)

        remove = partial(other.delete_tree, "v/1")
        self._held(storage, write, remove, prepare=prepare, look=look)
        self._held(storage, remove, write, prepare=prepare, look=look)

    def test_a_list_goes_on_while_objects_come_and_go(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A list names each object that stays once while others come and go, and does not end in an error."""
        other = reopened()
        for began_with in (1, _LISTED // 2):
            names = [f"v/{n % 3}/{n:03}" for n in range(_LISTED)]
            for path in names:
                put(storage, path)
            walk, listed = storage.walk("v"), list[str]()
            for _ in range(began_with):
                listed.append(next(walk).path)
            gone = names[::2]
            for path in gone:
                other.delete_tree(path)
            for number in range(3):
                put(other, f"v/{number}/new")
            listed += [info.path for info in walk]

            assert len(set(listed)) == len(listed), "an object was listed twice"
            assert set(listed) >= set(names) - set(gone), (
                "one that stayed was not listed"
            )
            assert set(listed) <= {*names, *(f"v/{n}/new" for n in range(3))}
            assert storage.delete_tree("v") == _LISTED - len(gone) + 3

    @may_leave("open files", "descriptors")
    def test_a_list_and_a_removal_meet(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A list and a removal work while others remove and store objects at any of their lines."""
        other, names = reopened(), ["v/1/a", "v/1/b/c", "v/2"]

        def prepare() -> None:
            for path in names:
                put(storage, path)

        def remove() -> None:
            other.delete_tree("v/1")
            put(other, "v/3")

        def look() -> None:
            storage.delete_tree("v/3")
            assert paths(other, "v") == ["v/2"]

        def walk() -> list[str]:
            found = paths(storage, "v")
            assert "v/2" in found, "one that stayed was not listed"
            assert len(set(found)) == len(found), "an object was listed twice"
            return found

        self._held(storage, walk, remove, prepare=prepare, look=look)
        self._held(
            storage,
            partial(storage.delete_tree, "v/1"),
            remove,
            prepare=prepare,
            look=look,
        )

    def _held(
        self,
        storage: Storage,
        first: Callable[[], object],
        second: Callable[[], object],
        *,
        prepare: Callable[[], None] = lambda: None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        is_counted = FilesOf([storage])
        prepare()
        lines = lines_of(first, is_counted=is_counted)
        assert lines, "no line of the storage's own code was called"
        held_times = 0
        for line in spread(lines, at_most=self.most_held):
            prepare()
            with held_at(line, is_counted=is_counted) as hold:
                held_times += hold(first, second) is not None
                look()
        assert held_times, f"it was held at none of its {lines} lines"


def _holds_within(within_s: float, look: Callable[[], None]) -> None:
    """Look again while an assertion fails, for a time."""
    deadline_s = time.monotonic() + within_s
    while True:
        try:
            return look()
        except AssertionError:
            if time.monotonic() >= deadline_s:
                raise


def _store(storage: Storage, path: str = "v/a") -> None:
    storage.write(path, arriving(_NEW_BYTES), content_type=TYPE)


def _read(storage: Storage) -> bytes:
    for _ in range(_READS):
        # A reader of the old object may be told that its bytes are gone.
        with suppress(ObjectNotFoundError):
            return get(storage, "v/a")
    return get(storage, "v/a")
