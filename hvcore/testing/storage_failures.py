"""
The promises of a storage that cannot answer, and of one that is closed.
"""

from collections.abc import Callable
from pathlib import Path

from hvcore.ports.storage import Storage
from hvcore.testing.byte_sources import arriving
from hvcore.testing.children import is_unavailable
from hvcore.testing.storage_kit import (
    TYPE,
    ReopenedStorage,
    StorageKit,
    get,
    paths,
    put,
)


class FailurePromises(StorageKit):
    """
    Foreign exceptions end in the storage, and silence is no answer.
    """

    def test_a_storage_that_works_answers(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """
        Also an empty one; asking leaves nothing behind.
        """
        storage.ping()
        put(storage, "v/a")
        storage.ping()
        reopened().ping()

        assert paths(storage, "v") == ["v/a"]
        assert storage.delete_tree("v") == 1
        storage.ping()

    def test_what_cannot_be_reached_is_unavailable(
        self, unreachable: Storage, tmp_path: Path
    ) -> None:
        """
        Not absent, not empty, not removed, and in time.
        """
        local = tmp_path / "local"
        local.write_bytes(b"data")
        calls: dict[str, Callable[[], object]] = {
            "ping": unreachable.ping,
            "stat": lambda: unreachable.stat("v/a"),
            "open": lambda: _read(unreachable, 0, None),
            "open a range": lambda: _read(unreachable, 1, 3),
            "write": lambda: put(unreachable, "v/a"),
            "write much": lambda: unreachable.write(
                "v/a", arriving(1_000_000), content_type=TYPE
            ),
            "put_file": lambda: unreachable.put_file("v/a", local, content_type=TYPE),
            "walk": lambda: list(unreachable.walk("v")),
            "delete_tree": lambda: unreachable.delete_tree("v"),
        }

        for name, call in calls.items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"
        assert local.read_bytes() == b"data"

    def test_closing_removes_nothing(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """
        Others go on with the same objects.
        """
        put(storage, "v/a", b"stays")
        other = reopened()
        storage.close()

        assert get(other, "v/a") == b"stays"
        put(other, "v/b")
        other.close()
        assert paths(reopened(), "v") == ["v/a", "v/b"]


def _read(storage: Storage, start: int, end: int | None) -> bytes:
    return get(storage, "v/a", start, end)
