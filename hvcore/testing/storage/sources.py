"""The promises of a storage about the byte sources that a write reads from."""

import io
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, cast

from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.testing.storage.byte_sources import (
    MOST_AT_ONCE,
    OnlyRead,
    arrived,
    arriving,
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
_WAITS_S: Final = 10.0
_RAISED: Final = (
    *(ConnectionResetError, FileNotFoundError, IsADirectoryError, TimeoutError),
    *(EOFError, ValueError, LookupError, ObjectNotFoundError, UnavailableError),
    *(KeyboardInterrupt, SystemExit, GeneratorExit),
)
"""What a source raises is the source's, whatever the storage would mean by it."""


class SourcePromises(StorageKit):
    """The promises of a storage about the byte sources that a write reads from."""

    def test_a_source_that_breaks_off_changes_nothing(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """An error of a source reaches the caller as it is; the old object stays, and nothing is left over."""
        put(storage, "v/a", b"old")
        other = reopened()

        for number, kind in enumerate(_RAISED):
            at = (0, MOST_AT_ONCE)[number % 2]
            for path in ("v/a", "v/new"):
                error = kind("cut off")
                arrived_error = _error_of_write(storage, path, _breaking(at, error))
                assert arrived_error is error, f"{kind.__name__} of the source is gone"
                assert get(other, "v/a") == b"old"
                assert paths(other, "v") == ["v/a"]
        assert storage.delete_tree("v") == 1

    def test_a_source_is_only_read(self, storage: Storage) -> None:
        """A write only reads its source, which may refuse seek, tell and close."""
        data = arrived(2 * MOST_AT_ONCE + 7)
        source = OnlyRead(data)
        written = storage.write("v/a", cast(BinaryIO, source), content_type=TYPE)

        assert written.size_bytes == len(data)
        assert_same(get(storage, "v/a"), data)
        closing = {"close", "detach"} & {*source.used}
        assert not closing, "the source belongs to the caller, who closes it"

    def test_a_source_is_read_from_its_position_and_stays_open(
        self, storage: Storage, tmp_path: Path
    ) -> None:
        """A write reads a source from its present position on and leaves it open."""
        (tmp_path / "local").write_bytes(b"head, and the rest")

        with (tmp_path / "local").open("rb") as file:
            for source in (io.BytesIO(b"head, and the rest"), file):
                source.seek(6)
                written = storage.write("v/a", source, content_type=TYPE)

                assert get(storage, "v/a") == b"and the rest"
                assert written.size_bytes == 12
                assert not source.closed, "the storage closed its source"
                source.seek(0)
                assert source.read(4) == b"head"

    def test_the_writer_that_ends_last_wins(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """Of two writers of an object, the one that ends last wins, and neither waits for the other."""
        put(storage, "v/a", b"old")
        late = b"began later, ended earlier"

        for other in (storage, reopened()):
            seen: list[bytes] = []

            def beside(own: Storage = other, seen: list[bytes] = seen) -> None:
                put(own, "v/a", late)
                seen.append(get(storage, "v/a"))

            with ThreadPoolExecutor(1) as pool:

                def before(position: int, pool: ThreadPoolExecutor = pool) -> None:
                    if position == MOST_AT_ONCE:
                        pool.submit(beside).result(_WAITS_S)

                source = arriving(_SIZE, before=before)
                written = storage.write("v/a", source, content_type=TYPE)

            assert seen == [late], "the writer that ended was not seen"
            assert written.size_bytes == storage.stat("v/a").size_bytes == _SIZE
            assert_same(get(other, "v/a"), arrived(_SIZE))

    def test_an_object_that_is_removed_while_it_is_written_is_there_at_the_end(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A removal during a write waits for nobody; the write that ends later leaves a whole object."""
        other = reopened()
        for prefix in ("v/1", "v"):
            put(storage, "v/1/a", b"old")

            with ThreadPoolExecutor(1) as pool:

                def before(
                    position: int,
                    pool: ThreadPoolExecutor = pool,
                    prefix: str = prefix,
                ) -> None:
                    if position == MOST_AT_ONCE:
                        removal = pool.submit(other.delete_tree, prefix)
                        assert removal.result(_WAITS_S) == 1
                        assert not is_there(other, "v/1/a")

                source = arriving(_SIZE, before=before)
                storage.write("v/1/a", source, content_type=TYPE)

            assert_same(get(other, "v/1/a"), arrived(_SIZE))
            assert paths(other, "v") == ["v/1/a"]

    def test_a_pipe_is_a_source(self, storage: Storage) -> None:
        """A pipe, which has a descriptor but neither size nor position, can be stored."""
        data = arrived(_SIZE)
        reading, writing = os.pipe()

        def fill() -> None:
            # A storage that takes a part of it has hung up.
            with suppress(BrokenPipeError), os.fdopen(writing, "wb") as file:
                file.write(data)

        thread = threading.Thread(target=fill)
        thread.start()
        with os.fdopen(reading, "rb", buffering=0) as source:
            written = storage.write("v/a", cast(BinaryIO, source), content_type=TYPE)
        thread.join(_WAITS_S)

        assert written.size_bytes == _SIZE
        assert_same(get(storage, "v/a"), data)


def _breaking(at: int, error: BaseException) -> BinaryIO:
    def before(position: int) -> None:
        if position >= at:
            raise error

    return arriving(_SIZE, before=before)


def _error_of_write(
    storage: Storage, path: str, source: BinaryIO
) -> BaseException | None:
    try:
        storage.write(path, source, content_type=TYPE)
    except BaseException as exc:  # noqa: BLE001 - looked at by the caller
        return exc
    return None
