"""The promises of a storage for one object."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

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

NO_PATHS = (
    *("", "/", "/absolute", "a//b", "a/", "//a"),
    *("..", "../a", "a/../../b", "a/..", ".", "a/.", "./a", "a\0b"),
)
"""None of these is the path of an object."""
_ODD_NAMES = (
    *("a b", " a", "a ", "a+b", "a%20b", "a%2Fb", "%", "a&b=c", "a#b", "a?b", "a*b"),
    *("a[0]", "{a}", "~a", "a\\b", "a:b", "a;b", "a'b", 'a"b', "<a>", "a\nb", "$a"),
    *("é", "e\u0301", "日本", "🎬", "\u202ea", "a\u200bb", "x" * 200),
)
"""Each is kept under this very name, or refused."""
_PLAIN_NAMES = (
    *(".a", "..a", "a..b", "a.", "...", "-a", "--", "_", "A", "a", "aux", "con.mp4"),
    *("0", "00", "a.tar.gz", "index.html", "x" * 100),
)
"""What every storage takes."""


class ObjectPromises(StorageKit):
    """Bytes, ranges, names, and what is known about an object."""

    def test_a_written_object_can_be_read(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """All bytes, with their number, at a moment that is about now."""
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
        """A connection does: a short read is not the end."""
        size = 5 * MOST_AT_ONCE + 1
        written = storage.write("a", arriving(size), content_type=TYPE)

        assert written.size_bytes == size
        assert_same(get(storage, "a"), arrived(size))

    def test_the_type_is_the_one_that_was_sent(self, storage: Storage) -> None:
        """Or none at all; a guess would be played as it is."""
        for number, type_ in enumerate(("video/iso.segment", "text/vtt")):
            path = f"odd-{number}.html"
            written = storage.write(path, arriving(9), content_type=type_)

            assert written.content_type in {type_, None}
            assert storage.stat(path).content_type in {type_, None}

    def test_other_bytes_have_another_tag(self, storage: Storage) -> None:
        """Also if there are as many; while nothing changes, the tag stays."""
        put(storage, "v/a", b"123")
        first, again = storage.stat("v/a").tag, storage.stat("v/a").tag
        put(storage, "v/a", b"456")
        put(storage, "v/b", b"789")
        tags = [info.tag for info in storage.walk("v") if info.tag is not None]

        assert first == again
        if first is not None:
            assert storage.stat("v/a").tag not in {first, None}
        assert len(set(tags)) == len(tags)

    def test_a_range_is_half_open(self, storage: Storage) -> None:
        """The byte at its end does not belong to it."""
        put(storage, "r", b"0123456789")

        assert get(storage, "r", 2, 5) == b"234"
        assert get(storage, "r", 0, 1) == b"0"
        assert get(storage, "r", 7) == b"789"
        assert get(storage, "r", 3, 3) == b""
        assert get(storage, "r", 0, 0) == b""
        assert get(storage, "r", 0, 10) == b"0123456789"

    def test_a_range_may_end_behind_the_object(self, storage: Storage) -> None:
        """The bytes in the range are given, and nothing behind the object."""
        put(storage, "r", b"0123456789")
        put(storage, "empty", b"")

        for end in (11, 1_000, 10**12, None):
            assert get(storage, "r", 8, end) == b"89", end
            for start in (10, 11, 1_000):
                assert get(storage, "r", start, end and max(start, end)) == b"", start
            assert get(storage, "empty", 0, end) == b""

    def test_a_wrong_range_is_refused(self, storage: Storage) -> None:
        """A wrong range is a mistake of the core, even if a slice could be made of it."""
        put(storage, "r", b"0123456789")

        for start, end in ((3, 2), (-1, None), (-3, -1), (0, -1)):
            with pytest.raises(ValueError):  # noqa: PT011 - the text is the storage's own
                storage.open("r", start=start, end=end)

    def test_readers_do_not_disturb_one_another(self, storage: Storage) -> None:
        """Each has a position of its own, and closes for itself."""
        put(storage, "r", b"0123456789")

        with storage.open("r") as one, storage.open("r", start=5) as two:
            assert one.read(3) == b"012"
            assert two.read(2) == b"56"
            two.close()
            assert one.read() == b"3456789"
            assert one.read() == b""

    def test_an_absent_object_is_not_found(self, storage: Storage) -> None:
        """Nor is what others' paths begin with, nor what would be below an object."""
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
        """By a shorter one, by a longer one, and by an empty one."""
        for data in (b"the first one", b"2nd", b"a third that is longer", b""):
            put(storage, "a", data)

            assert get(storage, "a") == data
            assert storage.stat("a").size_bytes == len(data)
            assert [info.size_bytes for info in storage.walk("a")] == [len(data)]

    def test_a_local_file_is_stored(self, storage: Storage, tmp_path: Path) -> None:
        """Whole, and in place of what was there."""
        size = 3 * 1024 * 1024 + 1
        put(storage, "deep/er/file", b"old")
        local = tmp_path / "local"
        local.write_bytes(arrived(size))
        info = storage.put_file("deep/er/file", local, content_type=TYPE)

        assert (info.path, info.size_bytes) == ("deep/er/file", size)
        assert_same(get(storage, "deep/er/file"), arrived(size))

    def test_names_stay_as_they_are(self, storage: Storage) -> None:
        """Each is another object: none is folded, decoded, trimmed or hidden."""
        stored = {f"n/{name}" for name in _PLAIN_NAMES}
        for path in stored:
            put(storage, path, path.encode())
        for path in sorted(f"n/{name}" for name in _ODD_NAMES):
            try:
                put(storage, path, path.encode())
            except ValueError:
                # This storage cannot keep it, and says so.
                continue
            stored.add(path)

        assert set(paths(storage, "n")) == stored
        for path in stored:
            assert get(storage, path) == path.encode(), path
            assert storage.delete_tree(path) == 1, path
        assert paths(storage, "n") == []

    def test_a_wrong_path_is_refused(self, storage: Storage, tmp_path: Path) -> None:
        """Before anything is done: an empty prefix would be everything."""
        put(storage, "a/b", b"stays")
        local = tmp_path / "local"
        local.write_bytes(b"data")

        for path in NO_PATHS:
            is_prefix = path == "a/"
            with pytest.raises(ValueError):  # noqa: PT011 - see above
                storage.stat(path)
            with pytest.raises(ValueError):  # noqa: PT011
                storage.open(path)
            with pytest.raises(ValueError):  # noqa: PT011
                put(storage, path)
            with pytest.raises(ValueError):  # noqa: PT011
                storage.put_file(path, local, content_type=TYPE)
            if is_prefix:
                continue
            with pytest.raises(ValueError):  # noqa: PT011
                list(storage.walk(path))
            with pytest.raises(ValueError):  # noqa: PT011
                storage.delete_tree(path)
        assert paths(storage, "a") == ["a/b"]
        assert get(storage, "a/b") == b"stays"
