"""The promises of optional capabilities of a storage: one kit for each capability."""

from pathlib import Path

import pytest

from hvcore.ports.storage import (
    ObjectNotFoundError,
    Storage,
    SupportsCopy,
    SupportsHide,
    SupportsLocalPath,
    SupportsObjectUrl,
    SupportsUploadFile,
)
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line
from hvcore.testing.storage.broken_off import NOT_ABSENT, break_off_a_store
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


class CopyConformance(StorageKit):
    """The promises of a storage with SupportsCopy: copies of objects within the storage."""

    def test_a_copy_is_another_object(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A copy has a type of its own; the source stays, and a change of one does not change the other."""
        assert isinstance(storage, SupportsCopy)
        put(storage, "a/source", b"segment")
        put(storage, "b/there", b"what was there before")

        for target in ("b/c/0.m4s", "b/there"):
            made = storage.copy("a/source", target, content_type="text/vtt")

            assert (made.path, made.size_bytes) == (target, 7)
            assert made.content_type in {"text/vtt", None}
            assert storage.stat(target).content_type in {"text/vtt", None}
            assert get(reopened(), target) == b"segment"
        assert get(storage, "a/source") == b"segment"
        put(storage, "a/source", b"changed")
        assert get(storage, "b/c/0.m4s") == b"segment"
        storage.delete_tree("a")
        assert get(storage, "b/c/0.m4s") == b"segment"

    def test_a_copy_of_nothing_is_not_found(self, storage: Storage) -> None:
        """Copying an absent object raises ObjectNotFoundError and leaves the target as it was."""
        assert isinstance(storage, SupportsCopy)
        put(storage, "b/there", b"stays")

        for target in ("b/0.m4s", "b/there"):
            with pytest.raises(ObjectNotFoundError):
                storage.copy("a/absent", target, content_type=TYPE)
        assert paths(storage, "b") == ["b/there"]
        assert get(storage, "b/there") == b"stays"

    def test_a_copy_is_of_one_moment(self, storage: Storage, tmp_path: Path) -> None:
        """A large object is copied whole, with the bytes of one write."""
        assert isinstance(storage, SupportsCopy)
        size = 9 * 1024 * 1024
        local = tmp_path / "large"
        local.write_bytes(bytes(range(256)) * (size // 256))
        storage.put_file("a/large", local, content_type=TYPE)
        storage.copy("a/large", "b/large", content_type=TYPE)

        assert_same(get(storage, "b/large"), bytes(range(256)) * (size // 256))

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_copy_may_break_off_at_any_line(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An error at any line of a copy leaves the old target or the whole copy; the source stays."""
        assert isinstance(storage, SupportsCopy)
        copy, new = storage.copy, b"the copied bytes"
        put(storage, "source/a", new)

        def call() -> object:
            return copy("source/a", "v/a", content_type=TYPE)

        break_off_a_store(storage, reopened(), call, new, at_most=self.most_broken_off)
        assert get(storage, "source/a") == new


class HideConformance(StorageKit):
    """The promises of a storage with SupportsHide: trees that are hidden before they are removed."""

    @may_leave("open files", "descriptors", "threads", "files")
    def test_a_tree_that_is_hidden_may_break_off_at_any_line(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An error while a tree is hidden leaves the whole tree visible or none of it; a later removal counts each object."""
        assert isinstance(storage, SupportsHide)
        hide, other, names = storage.hide_tree, reopened(), ["v/1/a", "v/1/b/c"]

        def prepare() -> None:
            storage.delete_tree("v/1")
            for path in (*names, "v/10"):
                put(storage, path)

        def look(ended: BrokenOffCall[None]) -> None:
            left = [path for path in names if is_there(other, path)]
            assert left in ([], names), "some of it was hidden"
            assert ended.error is not None or not left, "it returned, and hid nothing"
            assert paths(other, "v") == [*left, "v/10"]
            hide("v/1")
            assert paths(other, "v") == ["v/10"]
            assert storage.delete_tree("v/1") == len(names), "what was hidden is lost"

        break_off_at_each_line(
            lambda: hide("v/1"),
            backends=[storage],
            before=prepare,
            look=look,
            never=NOT_ABSENT,
            at_most=self.most_broken_off,
        )

    def test_a_hidden_object_is_gone_for_readers(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A hidden object is gone for readers in every process, and other objects are not."""
        assert isinstance(storage, SupportsHide)
        for path in ("v/1/a", "v/1/b/c", "v/10/a"):
            put(storage, path)
        other = reopened()
        storage.hide_tree("v/1")
        storage.hide_tree("v/none")

        for each in (storage, other):
            assert not is_there(each, "v/1/a")
            assert not is_there(each, "v/1/b/c")
            assert paths(each, "v") == ["v/10/a"]

    def test_a_hidden_object_is_removed_later(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A later removal removes hidden objects; objects that were written after hiding stay visible until then."""
        assert isinstance(storage, SupportsHide)
        put(storage, "v/1/a")
        storage.hide_tree("v/1")
        put(storage, "v/1/a", b"late")
        for each in (storage, reopened()):
            assert is_there(each, "v/1/a"), "what is stored later is hidden, too"
            assert get(each, "v/1/a") == b"late"
        storage.hide_tree("v/1")
        put(storage, "v/1/b", b"later")

        assert paths(storage, "v") == ["v/1/b"]
        assert storage.delete_tree("v/1") == 3
        assert storage.delete_tree("v/1") == 0


class LocalPathConformance(StorageKit):
    """The promises of a storage with SupportsLocalPath: objects that are local files."""

    def test_a_local_path_is_where_the_bytes_are(self, storage: Storage) -> None:
        """The local path of an object has its bytes; absent objects have a path, too, and none leaves the storage."""
        assert isinstance(storage, SupportsLocalPath)
        put(storage, "v/a", b"here")

        assert storage.local_path("v/a").read_bytes() == b"here"
        assert not storage.local_path("v/none").exists()
        with pytest.raises(ValueError):
            storage.local_path("../a")


class UploadFileConformance(StorageKit):
    """The promises of a storage with SupportsUploadFile: local files in which uploads are received."""

    def test_an_upload_is_received_beside_its_target(self, storage: Storage) -> None:
        """A file that is being received is not visible as an object before ``put_file`` stores it."""
        assert isinstance(storage, SupportsUploadFile)
        upload = storage.upload_dir() / "kit-upload"
        upload.write_bytes(b"arrived")
        before = paths(storage, "v")
        storage.put_file("v/a", upload, content_type=TYPE)

        assert before == []
        assert get(storage, "v/a") == b"arrived"
        assert not upload.exists()


class ObjectUrlConformance(StorageKit):
    """The promises of a storage with SupportsObjectUrl: addresses for clients of the store."""

    def test_an_object_has_a_url_of_its_own(self, storage: Storage) -> None:
        """Each path has a URL of its own with a scheme, whether an object is there or not."""
        assert isinstance(storage, SupportsObjectUrl)
        urls = [storage.object_url(path) for path in ("v/1", "v/10", "v/1/a", "w/1")]

        assert len(set(urls)) == len(urls)
        for url, path in zip(urls, ("v/1", "v/10", "v/1/a", "w/1"), strict=True):
            assert "://" in url
            assert url.endswith(f"/{path}")
