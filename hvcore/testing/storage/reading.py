"""The promises of a storage about the bytes that its readers return."""

from functools import partial
from typing import BinaryIO, Final

from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.testing.storage.byte_sources import (
    arrived,
    arrived_piece,
    arriving,
)
from hvcore.testing.storage.kit import (
    TYPE,
    ReopenedStorage,
    StorageKit,
    assert_same,
    get,
    put,
)

CUT_BYTES: Final = 200_000
_MIB: Final = 1024 * 1024
_SIZE: Final = 9 * _MIB + 3
_EDGES: Final = (*(2**power for power in range(12, 24)), 5 * _MIB, 6 * _MIB)
"""Offsets at which storages may begin another piece of an object; the last is 8 MiB."""


class ReadingPromises(StorageKit):
    """The promises of a storage about the bytes that its readers return: all of them, or an error."""

    def test_a_range_may_begin_and_end_anywhere(self, storage: Storage) -> None:
        """A range may begin and end at any byte, also on the edges of pieces in which a storage keeps an object."""
        storage.write("v/a", arriving(_SIZE), content_type=TYPE)

        for edge in _EDGES:
            for start, end in (
                (edge - 2, edge),
                (edge - 1, edge + 1),
                (edge, edge + 2),
            ):
                found = get(storage, "v/a", start, end)
                assert found == arrived_piece(_SIZE, start, end), f"{start} to {end}"
        for end in (_SIZE - 1, _SIZE, _SIZE + 1):
            start = _SIZE - 70_000
            wanted = arrived_piece(_SIZE, start, min(end, _SIZE))
            assert_same(get(storage, "v/a", start, end), wanted)

    def test_an_object_may_be_read_in_any_pieces(self, storage: Storage) -> None:
        """An object may be read in pieces of any size; a read returns no bytes only at the end."""
        size = 3 * _MIB + 5
        storage.write("v/a", arriving(size), content_type=TYPE)

        for piece_bytes in (7_777, 65_536, _MIB + 1, size, 2 * size):
            with storage.open("v/a") as file:
                assert file.read(0) == b""
                pieces = list(iter(partial(file.read, piece_bytes), b""))
                assert file.read(piece_bytes) == file.read() == b""
            assert all(len(piece) <= piece_bytes for piece in pieces), "too many bytes"
            assert_same(b"".join(pieces), arrived(size))
        with storage.open("v/a", start=1, end=size - 1) as file:
            found = file.read(10) + file.read()
            file.close()
        assert_same(found, arrived(size)[1 : size - 1])

    def test_a_reader_whose_object_goes_is_not_cut_short(
        self, storage: Storage, reopened: ReopenedStorage
    ) -> None:
        """A reader whose object is removed or replaced gives the full number of bytes or raises an error."""
        size = 9 * _MIB
        other = reopened()
        storage.write("v/other", arriving(size, mark=1), content_type=TYPE)

        for change in ("replaced", "removed"):
            storage.write("v/a", arriving(size), content_type=TYPE)
            with storage.open("v/a") as file:
                head = file.read(10)
                if change == "removed":
                    other.delete_tree("v/a")
                else:
                    other.write("v/a", arriving(size, mark=1), content_type=TYPE)
                rest = _read_or_error(file)
            assert head == arrived_piece(size, 0, 10)
            assert rest is None or len(rest) == size - 10, (
                f"of an object that was {change}, {len(rest or b'') + 10} of {size} "
                "bytes were given, as if they were all"
            )

    def test_an_answer_that_ends_early_is_no_shorter_object(
        self, ending_early: Storage
    ) -> None:
        """A connection that breaks in the middle of a read gives an error or all bytes, never fewer."""
        # Else the errors below would be those of a storage that is out of reach.
        assert ending_early.stat("v/cut").size_bytes == CUT_BYTES

        for start, end in ((0, None), (1, CUT_BYTES - 1)):
            wanted = arrived(CUT_BYTES)[start:end]
            try:
                with ending_early.open("v/cut", start=start, end=end) as file:
                    found = _read_or_error(file)
            except UnavailableError:
                found = None
            if found is not None:
                assert_same(found, wanted)

    def test_a_reader_may_be_left(self, storage: Storage) -> None:
        """A reader may be closed before its end, or twice; the next reader gives all bytes."""
        put(storage, "v/a", arrived(300_000))

        for _ in range(20):
            file = storage.open("v/a")
            assert len(file.read(10)) == 10
            file.close()
            file.close()
            storage.open("v/a", start=5, end=200_000).close()
        assert_same(get(storage, "v/a"), arrived(300_000))


def _read_or_error(file: BinaryIO) -> bytes | None:
    try:
        return file.read()
    except (ObjectNotFoundError, UnavailableError):
        return None
