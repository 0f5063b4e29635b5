"""The promises of a storage about objects while they are being written."""

import shutil
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from hvcore.ports.storage import Storage, SupportsCopy
from hvcore.testing.children import Child, Report, at_once, in_child, in_children
from hvcore.testing.storage.byte_sources import (
    MOST_AT_ONCE,
    arrived,
    arrived_piece,
    arriving,
    digest,
)
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

_SIZE: Final = 5 * MOST_AT_ONCE
_WRITERS: Final = 4
_WAITS_S: Final = 10.0
_LARGE_TAKES_S: Final = 120.0
"""Disks that others use, too, write some MiB a second."""


class WriterPromises(StorageKit):
    """The promises of a storage about writes: an object is stored whole or not at all, also with many writers."""

    def test_an_object_is_seen_when_it_is_whole(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Until a write has ended, readers get the old object or none, and wait for nobody."""
        put(storage, "v/old", b"old")
        other, looks = reopened(), 0

        def look() -> None:
            for each in (storage, other):
                assert not is_there(each, "v/new"), "a half was seen"
                assert get(each, "v/old") == b"old", "a half was seen"
                assert paths(each, "v") == ["v/old"]

        with ThreadPoolExecutor(1) as pool:

            def before(position: int) -> None:
                nonlocal looks
                if position in {0, MOST_AT_ONCE, _SIZE}:
                    looks += 1
                    pool.submit(look).result(_WAITS_S)

            for path in ("v/new", "v/old"):
                source = arriving(_SIZE, before=before)
                storage.write(path, source, content_type=TYPE)
                assert_same(get(other, path), arrived(_SIZE))
                storage.delete_tree(path)
                put(storage, "v/old", b"old")
        assert looks >= 6

    def test_a_killed_writer_leaves_the_old_object(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A killed writer leaves the old object, or none, and does not hinder the next writer."""
        put(storage, "v/old", b"old")

        for path in ("v/old", "v/new"):
            child = Child(partial(_write_and_wait, reopened, path))
            assert child.line() == "half"
            child.kill()
        assert get(storage, "v/old") == b"old"
        assert paths(storage, "v") == ["v/old"]
        assert not is_there(reopened(), "v/new")
        put(reopened(), "v/new", b"another")
        assert get(storage, "v/new") == b"another"

    def test_writers_of_one_object_do_not_mix(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Writers that write one object at the same time do not mix their bytes: one of them wins."""
        whole = [arrived(_SIZE, mark=number) for number in range(_WRITERS)]

        def write(own: Storage, number: int, together: threading.Barrier) -> None:
            # Each waits for all the others at every piece.
            source = arriving(_SIZE, before=lambda _: _wait(together), mark=number)
            own.write("v/a", source, content_type=TYPE)

        for storages in (
            [storage] * _WRITERS,
            [reopened() for _ in range(_WRITERS)],
        ):
            together = threading.Barrier(_WRITERS, timeout=_WAITS_S)
            at_once(
                [
                    partial(write, own, number, together)
                    for number, own in enumerate(storages)
                ]
            )

            assert get(storage, "v/a") in whole, "the bytes of several writers"
            assert paths(storage, "v") == ["v/a"]

    def test_threads_do_not_mix(self, storage: Storage) -> None:
        """Many threads use one storage at the same time, and each finds its own objects."""
        together = threading.Barrier(_WRITERS, timeout=_WAITS_S)

        def work(number: int) -> None:
            path = f"v/{number}/a"
            source = arriving(_SIZE, before=lambda _: _wait(together), mark=number)
            storage.write(path, source, content_type=TYPE)
            with storage.open(path) as file:
                head = file.read(100)
                together.wait()
                assert_same(head + file.read(), arrived(_SIZE, mark=number))
            together.wait()
            assert storage.delete_tree(f"v/{number}") == 1

        at_once([partial(work, number) for number in range(_WRITERS)])

        assert paths(storage, "v") == []

    def test_processes_see_one_storage(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Objects that several processes write at the same time are seen by all, at once and whole."""
        assert self.is_shared, "its objects are in the memory of one process"
        put(storage, "v/parent")

        def work(number: int) -> str:
            own = reopened()
            assert is_there(own, "v/parent")
            for turn in range(3):
                put(own, f"v/{number}/{turn}", str(number).encode() * 1_000)
            own.close()
            return "done"

        works: list[Callable[[], str]] = [partial(work, n) for n in range(_WRITERS)]
        assert in_children(works) == ["done"] * _WRITERS

        wanted = [f"v/{n}/{turn}" for n in range(_WRITERS) for turn in range(3)]
        assert paths(storage, "v") == [*wanted, "v/parent"]
        for path in wanted:
            assert get(storage, path) == path[2].encode() * 1_000

    def test_a_large_object_passes_through(
        self, storage: Storage, reopened: ReopenedStorage, tmp_path: Path
    ) -> None:
        """A large object is written, moved and copied with every byte, and never held in memory whole."""
        size = self.large_bytes
        whole, local = digest(arriving(size)), tmp_path / "local"
        moved = size * 3 // 4
        with local.open("wb") as file:
            shutil.copyfileobj(arriving(moved), file)

        def work() -> str:
            own = reopened()
            tracemalloc.start()
            written = own.write("v/large", arriving(size), content_type=TYPE)
            with own.open("v/large") as file:
                found = digest(file)
            own.put_file("v/moved", local, content_type=TYPE)
            if isinstance(own, SupportsCopy):
                own.copy("v/moved", "v/copied", content_type=TYPE)
            with own.open("v/moved", start=1, end=moved) as file:
                assert len(file.read(10)) == 10
            _, peak = tracemalloc.get_traced_memory()
            return f"{written.size_bytes}|{found}|{peak}"

        told = in_child(work, timeout_s=_LARGE_TAKES_S) if self.is_shared else work()
        tracemalloc.stop()
        written, found, peak = told.split("|")

        assert (int(written), found) == (size, whole)
        for info in storage.walk("v"):
            bytes_wanted = size if info.path == "v/large" else moved
            assert info.size_bytes == storage.stat(info.path).size_bytes == bytes_wanted
        for start in (0, size // 2 - 1, size - 10):
            wanted = arrived_piece(size, start, start + 10)
            assert get(storage, "v/large", start, start + 10) == wanted
        if self.is_shared:
            assert int(peak) <= self.most_memory_bytes, "it was held in memory"


def _write_and_wait(reopened: ReopenedStorage, path: str, report: Report) -> None:
    def before(position: int) -> None:
        if position == _SIZE - MOST_AT_ONCE:
            report("half")
            # Until it is killed.
            threading.Event().wait()

    reopened().write(path, arriving(_SIZE, before=before), content_type=TYPE)


def _wait(together: threading.Barrier) -> None:
    try:
        together.wait()
    except threading.BrokenBarrierError as exc:
        raise AssertionError("one writer waits for another") from exc
