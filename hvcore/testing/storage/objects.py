"""The promises of a storage for one object."""

import io
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.testing.storage.byte_sources import MOST_AT_ONCE, arrived, arriving
from hvcore.testing.storage.kit import (
    TYPE,
    ReopenedStorage,
    StorageKit,
    assert_same,
    get,
    is_there,
    paths,
    put,
)

_LONG_AGO_UNIX: Final = 1_000_000_000
_A_SECOND_S: Final = 1.1
_LARGE_BYTES: Final = 300_000
_CHANGED_AT: Final = ((0, 1), (0, 2), (150_000, 1), (_LARGE_BYTES - 1, 1))
"""A byte and its place: which of them a tag does not see."""


class ObjectPromises(StorageKit):
    """The promises of a storage about reading, writing and describing one object."""

    def test_a_written_object_can_be_read(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A written object is read back with all bytes, its size and about the present time."""
        data = bytes(range(256)) * 10
        written = storage.write("a/b/c.bin", io.BytesIO(data), content_type=TYPE)

        for found in (written, storage.stat("a/b/c.bin"), *storage.walk("a")):
            assert (found.path, found.size_bytes) == ("a/b/c.bin", len(data))
            assert found.modified_at.utcoffset() == timedelta(0), "not in UTC"
            age = datetime.now(UTC) - found.modified_at
            assert abs(age) < timedelta(minutes=5)
        assert get(storage, "a/b/c.bin") == data
        assert get(reopened(), "a/b/c.bin") == data

    def test_an_empty_object_is_an_object(self, storage: Storage) -> None:
        """An empty object is found, listed and counted like every other."""
        written = storage.write("v/empty", arriving(0), content_type=TYPE)

        assert (written.size_bytes, storage.stat("v/empty").size_bytes) == (0, 0)
        assert is_there(storage, "v/empty")
        assert get(storage, "v/empty") == b""
        assert storage.delete_tree("v") == 1

    def test_a_source_may_give_a_few_bytes_at_a_time(self, storage: Storage) -> None:
        """A source of bytes may give short reads, as a connection does; the storage reads on."""
        size = 5 * MOST_AT_ONCE + 1
        written = storage.write("a", arriving(size), content_type=TYPE)

        assert written.size_bytes == size
        assert_same(get(storage, "a"), arrived(size))

    def test_the_type_is_the_one_that_was_sent(
        self, storage: Storage, reopened: ReopenedStorage, tmp_path: Path
    ) -> None:
        """An object has the content type that its writer gave, or none; the storage guesses none."""
        local = tmp_path / "local.txt"
        # Twice, and the other way round: each replaces the other.
        for type_ in ("video/iso.segment", "text/vtt", "video/iso.segment"):
            written = storage.write("odd/written.html", arriving(9), content_type=type_)
            local.write_bytes(b"local")
            moved = storage.put_file("odd/moved.html", local, content_type=type_)

            assert {written.content_type, moved.content_type} <= {type_, None}
            for each in (storage, reopened()):
                for info in (*each.walk("odd"), each.stat("odd/written.html")):
                    assert info.content_type in {type_, None}, info.path
                assert each.stat("odd/moved.html").content_type in {type_, None}

    def test_a_replaced_object_is_newer(self, storage: Storage, tmp_path: Path) -> None:
        """A replaced object has a later modification time than before, also if a local file with an old date replaced it."""
        local = tmp_path / "local"
        local.write_bytes(b"local")
        os.utime(local, (_LONG_AGO_UNIX, _LONG_AGO_UNIX))
        put(storage, "v/a", b"first")
        first = storage.stat("v/a").modified_at
        moved = storage.put_file("v/b", local, content_type=TYPE)
        dates = {info.path: info.modified_at for info in storage.walk("v")}
        # Dates are kept to the second, at least.
        threading.Event().wait(_A_SECOND_S)
        written = put(storage, "v/a", b"again")

        for info in (written, storage.stat("v/a"), *storage.walk("v/a")):
            assert info.modified_at > first, "it has the date of the object before it"
        for found in (
            *(moved.modified_at, dates["v/b"]),
            storage.stat("v/b").modified_at,
        ):
            age = abs(datetime.now(UTC) - found)
            assert age < timedelta(minutes=5), "it has the date of the local file"

    def test_other_bytes_have_another_tag(self, storage: Storage) -> None:
        """The tag of an object changes with its bytes, even at the same size, and stays while they do."""
        put(storage, "v/a", b"123")
        first, again = storage.stat("v/a").tag, storage.stat("v/a").tag
        put(storage, "v/a", b"456")
        put(storage, "v/b", b"789")
        for number, (at, mark) in enumerate(_CHANGED_AT):
            large = bytearray(_LARGE_BYTES)
            large[at] = mark
            put(storage, f"v/large/{number}", bytes(large))
        tags = [info.tag for info in storage.walk("v") if info.tag is not None]
        tags_of = [storage.stat(f"v/large/{n}").tag for n in range(len(_CHANGED_AT))]

        assert first == again
        if first is not None:
            assert storage.stat("v/a").tag not in {first, None}
        assert len(set(tags)) == len(tags)
        assert len(set(tags_of)) == len(tags_of) or set(tags_of) == {None}
        for info in storage.walk("v"):
            assert info.tag in {storage.stat(info.path).tag, None}, "two tags of one"

    def test_a_range_is_half_open(self, storage: Storage) -> None:
        """A read of the range [start, end) does not include the byte at end."""
        put(storage, "r", b"0123456789")

        assert get(storage, "r", 2, 5) == b"234"
        assert get(storage, "r", 0, 1) == b"0"
        assert get(storage, "r", 7) == b"789"
        assert get(storage, "r", 3, 3) == b""
        assert get(storage, "r", 0, 0) == b""
        assert get(storage, "r", 0, 10) == b"0123456789"

    def test_a_range_may_end_behind_the_object(self, storage: Storage) -> None:
        """A range that ends behind the object gives the bytes up to the object's end."""
        put(storage, "r", b"0123456789")
        put(storage, "empty", b"")

        for end in (11, 1_000, 10**12, None):
            assert get(storage, "r", 8, end) == b"89", end
            for start in (10, 11, 1_000):
                assert get(storage, "r", start, end and max(start, end)) == b"", start
            assert get(storage, "empty", 0, end) == b""

    def test_a_wrong_range_is_refused(self, storage: Storage) -> None:
        """A storage refuses a range that is no range, even if Python could slice by it."""
        put(storage, "r", b"0123456789")

        for start, end in ((3, 2), (-1, None), (-3, -1), (0, -1)):
            with pytest.raises(ValueError):
                storage.open("r", start=start, end=end)

    def test_readers_do_not_disturb_one_another(self, storage: Storage) -> None:
        """Several readers of one object have positions of their own and close independently."""
        put(storage, "r", b"0123456789")

        with storage.open("r") as one, storage.open("r", start=5) as two:
            assert one.read(3) == b"012"
            assert two.read(2) == b"56"
            two.close()
            assert one.read() == b"3456789"
            assert one.read() == b""

    def test_an_absent_object_is_not_found(self, storage: Storage) -> None:
        """A path without an object raises ObjectNotFoundError, also if it is the beginning of another path or below an object."""
        put(storage, "folder/file")

        for path in ("none", "folder", "folder/fil", "folder/file/none"):
            with pytest.raises(ObjectNotFoundError):
                storage.stat(path)
            # When it is opened, not when it is read: the answer has begun by then.
            for start, end in ((0, None), (0, 4), (2, None)):
                with pytest.raises(ObjectNotFoundError):
                    storage.open(path, start=start, end=end)
        assert paths(storage, "none") == []
        assert storage.delete_tree("none") == 0
        assert storage.delete_tree("none/at/all") == 0

    def test_an_object_is_replaced_whole(self, storage: Storage) -> None:
        """Shorter, longer and empty bytes replace an object whole."""
        for data in (b"the first one", b"2nd", b"a third that is longer", b""):
            put(storage, "a", data)

            assert get(storage, "a") == data
            assert storage.stat("a").size_bytes == len(data)
            assert [info.size_bytes for info in storage.walk("a")] == [len(data)]

    def test_a_local_file_is_stored(self, storage: Storage, tmp_path: Path) -> None:
        """A local file is stored whole and replaces the object at its path."""
        size = 3 * 1024 * 1024 + 1
        put(storage, "deep/er/file", b"old")
        local = tmp_path / "local"
        local.write_bytes(arrived(size))
        info = storage.put_file("deep/er/file", local, content_type=TYPE)

        assert (info.path, info.size_bytes) == ("deep/er/file", size)
        assert_same(get(storage, "deep/er/file"), arrived(size))
