"""The promises of a storage that cannot answer, and of one that is closed."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from hvcore.ports.storage import ObjectNotFoundError, Storage, SupportsCopy
from hvcore.testing.children import is_unavailable
from hvcore.testing.leftovers import open_things
from hvcore.testing.storage.byte_sources import arriving
from hvcore.testing.storage.kit import (
    TYPE,
    ReopenedStorage,
    StorageKit,
    get,
    paths,
    put,
)

_CLOSED_WITHIN_S: Final = 1.0
"""How long a server may take to close what was ended."""


class FailurePromises(StorageKit):
    """The promises of a storage about failures: errors are those of the port, and silence is no answer."""

    def test_a_storage_that_works_answers(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A working storage answers a ping, also if it is empty, and the ping leaves nothing behind."""
        storage.ping()
        put(storage, "v/a")
        storage.ping()
        reopened().ping()

        assert paths(storage, "v") == ["v/a"]
        assert storage.delete_tree("v") == 1
        storage.ping()

    def test_a_store_out_of_reach_is_unavailable(
        self, unreachable: Storage, tmp_path: Path
    ) -> None:
        """A store out of reach raises UnavailableError in time; no object is called absent or removed."""
        local = tmp_path / "local"
        local.write_bytes(b"data")

        for name, call in _calls(unreachable, local).items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"
        assert local.read_bytes() == b"data"

    def test_a_missing_bucket_is_no_missing_object(
        self, without_bucket: Storage, tmp_path: Path
    ) -> None:
        """A missing bucket raises UnavailableError, because nothing is known about its objects."""
        local = tmp_path / "local"
        local.write_bytes(b"data")

        for name, call in _calls(without_bucket, local).items():
            assert is_unavailable(self.gives_up_within_s, call), f"{name} answered"

    def test_a_removal_that_is_refused_is_none(self, refusing_removal: Storage) -> None:
        """A removal that the store refuses raises an error, so that the removal is tried again."""
        assert paths(refusing_removal, "v") == ["v/kept"]

        for prefix in ("v/kept", "v"):
            remove = partial(refusing_removal.delete_tree, prefix)
            assert is_unavailable(self.gives_up_within_s, remove), (
                f"the removal of {prefix} answered"
            )

        assert get(refusing_removal, "v/kept") == b"data"

    def test_a_range_that_is_ignored_is_no_range(
        self, ignoring_ranges: Storage
    ) -> None:
        """A store that ignores a range gives an error, never the whole object or its first bytes as that range."""
        for start, end in ((2, 5), (0, 5), (7, None)):
            read = partial(get, ignoring_ranges, "v/whole", start, end)
            assert is_unavailable(self.gives_up_within_s, read), (
                f"bytes were given for {start} to {end}"
            )

    def test_closing_removes_nothing(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Closing a storage removes no object, and other storages go on."""
        put(storage, "v/a", b"stays")
        other = reopened()
        storage.close()

        assert get(other, "v/a") == b"stays"
        put(other, "v/b")
        other.close()
        assert paths(reopened(), "v") == ["v/a", "v/b"]

    def test_calls_leave_nothing_open(
        self, storage: Storage, reopened: ReopenedStorage, tmp_path: Path
    ) -> None:
        """Repeated calls leave no further descriptors or threads open."""
        local = tmp_path / "local"

        def serve() -> None:
            own = reopened()
            for each in (storage, own):
                local.write_bytes(b"data")
                put(each, "v/a", b"x" * 100_000)
                for name, call in _calls(each, local).items():
                    if name == "copy":
                        # It comes after the removal.
                        put(each, "v/a", b"x" * 100_000)
                    call()
                put(each, "v/a", b"x" * 100_000)
                with each.open("v/a") as file:
                    file.read(10)
                put(each, "v/b")
                next(each.walk("v"))
                with suppress(ObjectNotFoundError):
                    each.stat("v/none")
            own.close()

        for _ in range(self.rounds):
            # Some things are there once, from the first call on.
            serve()
        before = open_things()
        for _ in range(self.rounds):
            serve()
        ends_s = time.monotonic() + _CLOSED_WITHIN_S
        while True:
            # A connection that was renewed is another one, and they are no more.
            now = open_things()
            more = len(now) - len(before)
            if more < max(self.rounds, 3) or time.monotonic() > ends_s:
                break
            time.sleep(0.05)
        new = sorted(words for key, words in now.items() if key not in before)
        assert more < max(self.rounds, 3), f"these stay open: {new[:9]}"


def _calls(storage: Storage, local: Path) -> Mapping[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {
        "ping": storage.ping,
        "stat": lambda: storage.stat("v/a"),
        "open": lambda: _read(storage, 0, None),
        "open a range": lambda: _read(storage, 1, 3),
        "write": lambda: put(storage, "v/a"),
        "write much": lambda: storage.write(
            "v/a", arriving(1_000_000), content_type=TYPE
        ),
        "put_file": lambda: storage.put_file("v/a", local, content_type=TYPE),
        "walk": lambda: list(storage.walk("v")),
        "delete_tree": lambda: storage.delete_tree("v"),
    }
    if isinstance(storage, SupportsCopy):
        calls["copy"] = lambda: storage.copy("v/a", "v/b", content_type=TYPE)
    return calls


def _read(storage: Storage, start: int, end: int | None) -> bytes:
    return get(storage, "v/a", start, end)
