"""The fixtures and short ways to use a storage that its promises share."""

import io
from collections.abc import Callable
from typing import Final, TypeAlias

import pytest

from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage
from hvcore.testing.kit import Kit

TYPE: Final = "video/mp4"

ReopenedStorage: TypeAlias = Callable[[], Storage]
"""
Opens another storage on the same objects, as another process would.
"""


class StorageKit(Kit):
    """
    The fixtures and settings of every storage kit, which a plugin's test class overrides.

    Attributes:
        is_shared: Whether other processes see the same objects; False for a storage in
            the memory of one process.
        gives_up_within_s: The most seconds that a call may take while the storage does not
            answer.
        large_bytes: The size of the large object that tests write and read.
        most_memory_bytes: The most bytes of Python objects that the storage may hold in
            memory while it handles the large object.
        many: A number of objects greater than a store lists in one request.
        most_broken_off: The most calls of a kind that a test interrupts; set a lower number
            if each call asks a server.
        most_held: The most lines at which a call is held while another call is made.
        rounds: How often a test makes all calls to find descriptors that they leave open.
        very_large_bytes: The size, over 4 GiB, of an object of tests with ``--hv-large``.
        very_many: The number of objects of tests with ``--hv-large``.
    """

    is_shared = True
    gives_up_within_s = 10.0
    large_bytes = 64 * 1024 * 1024
    most_memory_bytes = 40 * 1024 * 1024
    many = 1_050
    most_broken_off = 100
    most_held = 40
    rounds = 5
    very_large_bytes = 4 * 1024**3 + 10
    very_many = 10_001

    @pytest.fixture
    def storage(self) -> Storage:
        """Return a storage with nothing in it; the subclass closes it."""
        raise NotImplementedError("give the fixture: an empty storage")

    @pytest.fixture
    def reopened(self) -> ReopenedStorage:
        """Return a function that opens another storage on the same objects."""
        raise NotImplementedError("give the fixture: it opens the same objects again")

    @pytest.fixture
    def unreachable(self) -> Storage:
        """Return a storage that was built, and whose server or disk is gone since."""
        raise NotImplementedError("give the fixture: a storage that cannot answer")

    @pytest.fixture
    def without_bucket(self) -> Storage:
        """
        Return a storage whose server answers, and whose bucket or folder is not there.

        For a storage that has none, this is ``unreachable`` again.
        """
        raise NotImplementedError("give the fixture: a storage without its bucket")

    @pytest.fixture
    def refusing_removal(self) -> Storage:
        """
        Return a storage with an object at ``v/kept``, whose server removes nothing.

        It refuses in each way in which it can: a store that removes many objects by one
        request answers that request with success, and names the failures in the answer.
        """
        raise NotImplementedError("give the fixture: a storage that removes nothing")

    @pytest.fixture
    def ignoring_ranges(self) -> Storage:
        """
        Return a storage with ``b"0123456789"`` at ``v/whole``, whose server ignores ranges.

        It answers a question for a part with 200 and the whole object, as HTTP allows.
        For a storage that asks no server, this is ``unreachable`` again.
        """
        raise NotImplementedError("give the fixture: a storage that ignores ranges")

    @pytest.fixture
    def ending_early(self) -> Storage:
        """
        Return a storage with ``arrived(CUT_BYTES)`` at ``v/cut``, whose answers end early.

        Its server closes the connection in the middle of the bytes of an object; both
        names are those of ``hvcore.testing.storage``. A storage that asks no server
        leaves this as it is: the test is skipped.
        """
        pytest.skip(
            "give the fixture ending_early, unless the storage asks no server: nothing "
            "shows here that a broken connection is no shorter object"
        )


def put(storage: Storage, path: str, data: bytes = b"data") -> ObjectInfo:
    """Store bytes as an object at a path of a storage."""
    return storage.write(path, io.BytesIO(data), content_type=TYPE)


def get(storage: Storage, path: str, start: int = 0, end: int | None = None) -> bytes:
    """Return the bytes of the object at a path of a storage."""
    with storage.open(path, start=start, end=end) as file:
        return file.read()


def assert_same(found: bytes, wanted: bytes) -> None:
    """
    Assert that a large object has the expected bytes, without printing them.

    A bare assertion would have pytest write down each byte that differs, which takes
    minutes wherever ``CI`` is set.
    """
    if found == wanted:
        return
    pairs = enumerate(zip(found, wanted, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), None)
    raise AssertionError(
        f"{len(found)} bytes were read where {len(wanted)} had been written; the first "
        f"that differs is at {min(len(found), len(wanted)) if at is None else at}."
    )


def paths(storage: Storage, prefix: str) -> list[str]:
    """Return the paths of all objects under a prefix of a storage."""
    return sorted(info.path for info in storage.walk(prefix))


def is_there(storage: Storage, path: str) -> bool:
    """Return whether an object is at a path; assert that all ways to ask agree."""
    found = {_is_known(storage, path), _is_open(storage, path)}
    found.add(path in paths(storage, path))
    assert len(found) == 1, f"stat, open and walk disagree about {path}"
    return found.pop()


def _is_known(storage: Storage, path: str) -> bool:
    try:
        return storage.stat(path).path == path
    except ObjectNotFoundError:
        return False


def _is_open(storage: Storage, path: str) -> bool:
    try:
        storage.open(path).close()
    except ObjectNotFoundError:
        return False
    return True
