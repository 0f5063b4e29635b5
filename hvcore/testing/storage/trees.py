"""The promises of a storage about listing and removing all objects under a prefix."""

from concurrent.futures import ThreadPoolExecutor

from hvcore.ports.storage import Storage
from hvcore.testing.storage.kit import (
    ReopenedStorage,
    StorageKit,
    get,
    is_there,
    paths,
    put,
)

_WRITERS = 8


class TreePromises(StorageKit):
    """The promises of a storage about listing and removing all objects under a prefix."""

    def test_a_prefix_is_no_beginning_of_a_name(self, storage: Storage) -> None:
        """A prefix ends at a slash: video 1 does not include video 10, with or without the slash."""
        for path in ("v/1/a", "v/1/b/c", "v/1/b/d/e", "v/10/a", "v/1x", "w/1/a"):
            put(storage, path)

        for prefix in ("v/1", "v/1/"):
            assert paths(storage, prefix) == ["v/1/a", "v/1/b/c", "v/1/b/d/e"]
        assert paths(storage, "v/1/b") == ["v/1/b/c", "v/1/b/d/e"]
        assert paths(storage, "v/1x") == ["v/1x"]
        assert storage.delete_tree("v/1") == 3
        assert storage.delete_tree("v/1/") == 0
        assert paths(storage, "v") == ["v/10/a", "v/1x"]
        assert storage.delete_tree("v/1x") == 1
        assert (paths(storage, "v"), paths(storage, "w")) == (["v/10/a"], ["w/1/a"])

    def test_a_list_tells_what_is_stored(self, storage: Storage) -> None:
        """A list names each object once, with the path and size that ``stat`` gives."""
        for number in range(5):
            put(storage, f"v/{number}/a", b"x" * number)
        listed = sorted(storage.walk("v"), key=lambda info: info.path)

        assert [info.path for info in listed] == [f"v/{n}/a" for n in range(5)]
        assert [info.size_bytes for info in listed] == list(range(5))
        for info in listed:
            seen = storage.stat(info.path)
            assert abs((seen.modified_at - info.modified_at).total_seconds()) < 2

    def test_a_deleted_object_is_gone_for_everybody(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A deleted object is gone for every reader and process, and can be stored anew."""
        other = reopened()
        for path in ("v/a", "v/b"):
            put(storage, path, b"first")
        seen = (paths(other, "v"), get(other, "v/a"), other.stat("v/a").size_bytes)
        removed = storage.delete_tree("v/a")

        assert seen == (["v/a", "v/b"], b"first", 5)
        assert removed == 1
        for each in (other, storage, reopened()):
            assert not is_there(each, "v/a")
            assert paths(each, "v") == ["v/b"]
        put(other, "v/a", b"again")
        assert get(storage, "v/a") == b"again"

    def test_an_object_of_another_process_is_seen_at_once(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An object that another process stored is seen at once: no cached list or answer hides it."""
        other = reopened()
        before = (paths(other, "v"), is_there(other, "v/a"))
        put(storage, "v/a")
        first = (paths(other, "v"), other.stat("v/a").size_bytes)
        put(storage, "v/b")
        put(storage, "v/a", b"longer than before")

        assert before == ([], False)
        assert first == (["v/a"], 4)
        assert paths(other, "v") == ["v/a", "v/b"]
        assert other.stat("v/a").size_bytes == 18
        assert {i.path: i.size_bytes for i in other.walk("v")} == {"v/a": 18, "v/b": 4}
        assert get(other, "v/a", 0, 6) == b"longer"

    def test_tenants_know_nothing_of_each_other(self, storage: Storage) -> None:
        """The same names below two organizations are different objects."""
        tenants = ("org_a", "org_A", "org_ab", "org_a-b", "org_a.b", "org")
        for tenant in tenants:
            for name in ("one", "two"):
                put(storage, f"{tenant}/{name}", tenant.encode())
        removed = storage.delete_tree("org_a")

        assert removed == 2
        assert paths(storage, "org_a") == []
        for tenant in tenants[1:]:
            assert paths(storage, tenant) == [f"{tenant}/one", f"{tenant}/two"]
            assert get(storage, f"{tenant}/one") == tenant.encode()

    def test_many_objects_are_listed_and_removed(self, storage: Storage) -> None:
        """More objects than a store lists or removes in one request are all listed and removed."""
        with ThreadPoolExecutor(_WRITERS) as pool:
            names = [f"many/{n % 7}/{n:05}" for n in range(self.many)]
            list(pool.map(lambda path: put(storage, path, b""), names))
        put(storage, "more/a")

        assert paths(storage, "many") == sorted(names)
        assert storage.delete_tree("many") == self.many
        assert paths(storage, "many") == []
        assert paths(storage, "more") == ["more/a"]
