"""The promises of a storage whose calls are interrupted by an error at any line."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line
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

OLD: Final = b"old"
_NEW_BYTES: Final = MOST_AT_ONCE + 1
_NEW: Final = arrived(_NEW_BYTES)
NOT_ABSENT: Final = (ObjectNotFoundError, ValueError)
"""Errors of the port that a failing disk or network must not be turned into."""


class BrokenOffPromises(StorageKit):
    """
    The promises of a storage when an error interrupts a call: the error arrives, and objects stay whole.

    Temporary files that the next start or sweep removes may be left over.
    """

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_write_may_break_off_at_any_line(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An error at any line of a write reaches the caller; other objects stay, and the next write works."""
        other = reopened()

        def write() -> object:
            return storage.write("v/a", arriving(_NEW_BYTES), content_type=TYPE)

        for old in (OLD, None):
            break_off_a_store(
                storage, other, write, _NEW, old=old, at_most=self.most_broken_off
            )

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_local_file_may_break_off_at_any_line(
        self, storage: Storage, reopened: ReopenedStorage, tmp_path: Path
    ) -> None:
        """An error at any line of ``put_file`` leaves the bytes in the local file or in the object."""
        other, local = reopened(), tmp_path / "local"

        def look(ended: BrokenOffCall[object]) -> None:
            if ended.error is not None and get(other, "v/a") == OLD:
                assert local.exists(), "the bytes are in neither"
                assert local.read_bytes() == _NEW, "the local file has changed"

        break_off_a_store(
            storage,
            other,
            lambda: storage.put_file("v/a", local, content_type=TYPE),
            _NEW,
            before=lambda: local.write_bytes(_NEW),
            look=look,
            at_most=self.most_broken_off,
        )

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_removal_may_break_off_at_any_line(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An error at any line of a removal leaves each object whole or gone; the next removal works."""
        other, names = reopened(), ["v/1/a", "v/1/b/c"]

        def prepare() -> None:
            for path in (*names, "v/10"):
                put(storage, path)

        def look(ended: BrokenOffCall[int]) -> None:
            left = [path for path in names if is_there(other, path)]
            assert all(get(other, path) == b"data" for path in left)
            assert paths(other, "v") == [*left, "v/10"], "an object is half gone"
            assert ended.error is not None or (ended.result, left) == (2, [])
            assert storage.delete_tree("v/1") == len(left), "it was told removed"
            assert paths(other, "v") == ["v/10"]

        break_off_at_each_line(
            lambda: storage.delete_tree("v/1"),
            backends=[storage],
            before=prepare,
            look=look,
            never=NOT_ABSENT,
            at_most=self.most_broken_off,
        )

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_question_may_break_off_at_any_line(self, storage: Storage) -> None:
        """An error at any line of a read or list is not taken for the end of an object or list, or for absence."""
        for number in range(3):
            put(storage, f"v/{number}", _NEW)
        questions: list[Callable[[], object]] = [
            lambda: storage.stat("v/1").size_bytes,
            lambda: get(storage, "v/1"),
            lambda: get(storage, "v/1", 1, _NEW_BYTES - 1),
            lambda: [info.size_bytes for info in storage.walk("v")],
            storage.ping,
        ]
        for ask in questions:
            wanted = ask()

            break_off_at_each_line(
                ask,
                backends=[storage],
                look=partial(_is_answered, wanted, ask),
                never=NOT_ABSENT,
                at_most=self.most_broken_off,
            )


def break_off_a_store(  # noqa: PLR0913 - each is another thing
    storage: Storage,
    other: Storage,
    call: Callable[[], object],
    new: bytes,
    *,
    old: bytes | None = OLD,
    before: Callable[[], object] = lambda: None,
    look: Callable[[BrokenOffCall[object]], None] = lambda _: None,
    at_most: int,
) -> None:
    """
    Interrupt a call that stores the bytes ``new`` at ``v/a`` at each line, and check ``v/a`` and ``v/b``.

    Args:
        old: The bytes that are at ``v/a`` before each call; None if no object is.
        before: Called before each call.
        look: Called with the outcome of each call, for further checks.
        at_most: The most calls that are interrupted.
    """
    put(storage, "v/b", b"stays")

    def prepare() -> None:
        if old is None:
            storage.delete_tree("v/a")
        else:
            put(storage, "v/a", old)
        before()

    def look_at_both(ended: BrokenOffCall[object]) -> None:
        if old is not None or ended.error is None or is_there(other, "v/a"):
            _assert_old_or_new(other, ended, {old, new}, new)
        else:
            assert paths(other, "v") == ["v/b"], "the list tells of others"
        look(ended)
        put(storage, "v/a", b"again")
        assert get(other, "v/a") == b"again"

    break_off_at_each_line(
        call,
        backends=[storage],
        before=prepare,
        look=look_at_both,
        never=NOT_ABSENT,
        at_most=at_most,
    )


def _assert_old_or_new(
    other: Storage, ended: BrokenOffCall[object], either: set[bytes | None], new: bytes
) -> None:
    found = get(other, "v/a")
    assert found in either, f"{len(found)} bytes of neither the old nor the new"
    assert ended.error is not None or found == new, "it returned, and stored nothing"
    assert other.stat("v/a").size_bytes == len(found), "stat tells of others"
    sizes = {info.path: info.size_bytes for info in other.walk("v")}
    assert sizes == {"v/a": len(found), "v/b": 5}, "the list tells of others"
    assert get(other, "v/b") == b"stays"


def _is_answered(
    wanted: object, ask: Callable[[], object], ended: BrokenOffCall[object]
) -> None:
    if ended.error is None:
        assert ended.result == wanted, "the answer was not whole"
    assert ask() == wanted, "later answers are others"
