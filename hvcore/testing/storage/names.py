"""The promises of a storage for the names of objects."""

from pathlib import Path
from typing import Final

import pytest

from hvcore.ports.storage import Storage
from hvcore.testing.storage.kit import TYPE, StorageKit, get, is_there, paths, put

NO_PATHS = (
    *("", "/", "/absolute", "a//b", "a/", "//a"),
    *("..", "../a", "a/../../b", "a/..", ".", "a/.", "./a", "a\0b"),
)
"""Texts that a storage must refuse as the path of an object."""
_ODD_NAMES = (
    *("a b", " a", "a ", "a+b", "a%20b", "a%2Fb", "%", "a&b=c", "a#b", "a?b", "a*b"),
    *("a[0]", "{a}", "~a", "a\\b", "a:b", "a;b", "a'b", 'a"b', "<a>", "a\nb", "$a"),
    *("é", "e\u0301", "日本", "🎬", "\u202ea", "a\u200bb", "x" * 200),
    *(
        "I",
        "\u0131",
        "\u0130",
        "i",
        "\u00df",
        "ss",
        "SS",
        "\u00c9",
        "\ufb01",
        "fi",
        "K",
    ),
    "\u212a",
)
"""Unusual names that a storage either keeps letter by letter or refuses."""
_PLAIN_NAMES = (
    *(".a", "..a", "a..b", "a.", "...", "-a", "--", "_", "A", "a", "aux", "con.mp4"),
    *("0", "00", "a.tar.gz", "index.html", "x" * 100, "a_b", "aXb", "a-b", "a.b"),
    *("a.tmp", "a.new", "a.part", "a.lock", "a.meta", "a.json", "tmp"),
    *(
        ".meta",
        ".tmp",
        ".part",
        ".keep",
        ".gitkeep",
        "index",
        "objects",
        "null",
        "None",
    ),
)
"""Names that every storage must accept."""
_LONGEST: Final = 500
_SEGMENT: Final = "s" * 99


class NamePromises(StorageKit):
    """The promises of a storage about paths: valid paths are kept letter by letter, others are refused."""

    def test_names_stay_as_they_are(self, storage: Storage) -> None:
        """Each odd name is an object of its own: a storage folds, decodes, trims and hides none."""
        stored = {f"n/{name}" for name in _PLAIN_NAMES}
        for path in stored:
            put(storage, path, path.encode())
        for path in sorted({f"n/{name}" for name in _ODD_NAMES} - stored):
            try:
                put(storage, path, path.encode())
            except ValueError:
                # This storage cannot keep it, and says so.
                continue
            stored.add(path)

        assert set(paths(storage, "n")) == stored
        for path in stored:
            assert get(storage, path) == path.encode(), path
            assert paths(storage, path) == [path]
        for path in stored:
            assert storage.delete_tree(path) == 1, path
        assert paths(storage, "n") == []

    def test_a_prefix_stays_as_it_is(self, storage: Storage) -> None:
        """A storage compares prefixes letter by letter: in the given case, and not as patterns."""
        alike = ("v_1", "vx1", "V_1", "v.1", "v-1", "v_", "v_1x", "v_11")
        for name in alike:
            put(storage, f"p/{name}/a", name.encode())

        for number, name in enumerate(alike):
            assert paths(storage, f"p/{name}") == [f"p/{name}/a"]
            assert paths(storage, f"p/{name}/") == [f"p/{name}/a"]
            assert storage.delete_tree(f"p/{name}") == 1
            left = sorted(f"p/{one}/a" for one in alike[number + 1 :])
            assert paths(storage, "p") == left

    def test_long_paths_stay_apart(self, storage: Storage) -> None:
        """Paths of up to 500 characters, in segments of up to 100, stay apart if one letter differs."""
        first = "/".join([_SEGMENT, _SEGMENT, _SEGMENT, _SEGMENT, "s" * 100])
        alike = {first}
        for at in (10, 62, 98, 102, 150, 197, 254, 258, 330, 398, 402, 460, 499):
            alike.add(f"{first[:at]}t{first[at + 1 :]}" if first[at] == "s" else first)
        alike.add("/".join("d" * 200))
        for path in alike:
            assert len(path) <= _LONGEST
            put(storage, path, path.encode())

        for path in alike:
            assert get(storage, path) == path.encode()
            assert storage.stat(path).path == path
            assert paths(storage, path) == [path]
        for path in sorted(alike):
            assert storage.delete_tree(path) == 1
            assert not is_there(storage, path)

    def test_a_path_may_be_a_prefix_later(self, storage: Storage) -> None:
        """A path whose object was removed may become the prefix of others, and the reverse: there are no folders."""
        for _ in range(2):
            put(storage, "v/1/a/b", b"below")
            assert storage.delete_tree("v/1") == 1
            put(storage, "v/1", b"at it")
            assert get(storage, "v/1") == b"at it"
            assert paths(storage, "v") == ["v/1"]
            assert storage.delete_tree("v/1") == 1

    def test_a_wrong_path_is_refused(self, storage: Storage, tmp_path: Path) -> None:
        """A storage refuses a wrong path before it does anything; an empty prefix would mean all objects."""
        put(storage, "a/b", b"stays")
        local = tmp_path / "local"
        local.write_bytes(b"data")

        for path in NO_PATHS:
            is_prefix = path == "a/"
            with pytest.raises(ValueError):
                storage.stat(path)
            with pytest.raises(ValueError):
                storage.open(path)
            with pytest.raises(ValueError):
                put(storage, path)
            with pytest.raises(ValueError):
                storage.put_file(path, local, content_type=TYPE)
            if is_prefix:
                continue
            with pytest.raises(ValueError):
                list(storage.walk(path))
            with pytest.raises(ValueError):
                storage.delete_tree(path)
        assert paths(storage, "a") == ["a/b"]
        assert get(storage, "a/b") == b"stays"
        assert local.read_bytes() == b"data"
