"""Sources of bytes for the kit of storages: slow, short, broken, or large."""

import hashlib
import io
import random
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, cast

MOST_AT_ONCE: Final = 64 * 1024
"""The most bytes that one read of a source returns, as with a connection."""
_BLOCK_BYTES: Final = 1024 * 1024
_SEED: Final = 25


def arriving(
    size_bytes: int, *, before: Callable[[int], None] = lambda _: None, mark: int = 0
) -> BinaryIO:
    """
    Return a file that gives bytes like a connection: a few at a time, and without seeking.

    Args:
        before: Called before each read with the number of bytes that were given.
        mark: Chooses the bytes: another mark gives other bytes.
    """
    return cast(BinaryIO, _Arriving(size_bytes, before, mark))


def arrived(size_bytes: int, *, mark: int = 0) -> bytes:
    """Return all bytes of the test content that a file of ``arriving`` yields."""
    return arriving(size_bytes, mark=mark).read()


def arrived_piece(size_bytes: int, start: int, end: int) -> bytes:
    """Return the bytes from ``start`` to before ``end`` of the test content that ``arriving(size_bytes)`` yields."""
    source = _Arriving(size_bytes, lambda _: None, 0)
    source.position = start
    return io.BufferedReader(source).read(end - start)


def sparse(size_bytes: int, marks: Mapping[int, bytes]) -> BinaryIO:
    """Return a source of zeros with the given bytes at the given offsets."""
    return cast(BinaryIO, _Sparse(size_bytes, marks))


def digest(file: BinaryIO) -> str:
    """Return a hash and the size of the bytes that are left in a file."""
    found, size = hashlib.blake2b(), 0
    while chunk := file.read(_BLOCK_BYTES):
        found.update(chunk)
        size += len(chunk)
    return f"{found.hexdigest()} {size}"


class _Arriving(io.RawIOBase):
    def __init__(
        self, size_bytes: int, before: Callable[[int], None], mark: int
    ) -> None:
        super().__init__()
        self._size_bytes = size_bytes
        self._before = before
        self.position = 0
        self._number = -1
        # The same for everybody, each time.
        self._common = random.Random(_SEED + mark).randbytes(_BLOCK_BYTES - 8)  # noqa: S311
        self._block = memoryview(b"")

    def readable(self) -> bool:
        """Return that it is."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - "any buffer" has no name before Python 3.12
        """Give a few bytes."""
        self._before(self.position)
        number, begin = divmod(self.position, _BLOCK_BYTES)
        if number != self._number:
            self._number = number
            # Begins with its number: none can be taken for another.
            self._block = memoryview(number.to_bytes(8) + self._common)
        left = self._size_bytes - self.position
        given = self._block[begin : begin + min(len(buffer), MOST_AT_ONCE, left)]
        buffer[: len(given)] = given
        self.position += len(given)
        return len(given)


class _Sparse(io.RawIOBase):
    def __init__(self, size_bytes: int, marks: Mapping[int, bytes]) -> None:
        super().__init__()
        self._left, self._position = size_bytes, 0
        self._marks = marks

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - see above
        """Give zeros, and the marks that are among them."""
        given = min(len(buffer), self._left, _BLOCK_BYTES)
        begin, end = self._position, self._position + given
        buffer[:given] = bytes(given)
        for at, mark in self._marks.items():
            for place, byte in enumerate(mark, at):
                if begin <= place < end:
                    buffer[place - begin] = byte
        self._position, self._left = end, self._left - given
        return given


class OnlyRead:
    """
    A byte source that only allows ``read``, gives few bytes at a time, and refuses all other methods.

    Attributes:
        used: The names of other methods that were asked for.
    """

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.used: list[str] = []

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes of the source."""
        most = len(self._data) if size < 0 else size
        given = bytes(self._data[: min(most, MOST_AT_ONCE)])
        self._data = self._data[len(given) :]
        return given

    def seekable(self) -> bool:
        """Return False: the source cannot be sought."""
        return False

    def readable(self) -> bool:
        """Return True: the source can be read."""
        return True

    def __getattr__(self, name: str) -> object:
        """Record and refuse the use of any other method of the source."""
        if not name.startswith("__"):
            self.used.append(name)
        raise AttributeError(f"the source can be read alone: it has no {name}")
