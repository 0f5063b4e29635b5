"""The promises of signed addresses of a storage: one kit for each capability."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import pytest
import urllib3

from hvcore.ports.direct_uploads import (
    PartedWrite,
    SupportsPartedWrite,
    SupportsPresignedWrite,
    SupportsStagedWrite,
    WriteAddress,
)
from hvcore.ports.storage import (
    ObjectNotFoundError,
    Storage,
    SupportsPresignedRead,
)
from hvcore.testing.storage.byte_sources import arrived
from hvcore.testing.storage.kit import TYPE, StorageKit, assert_same, get, is_there, put

VALID_S: Final = 60
_OK: Final = range(200, 300)
_PART_BYTES: Final = 5 * 1024 * 1024
"""The least that S3 takes of all parts but the last."""


class PresignedReadConformance(StorageKit):
    """
    The promises of a storage with SupportsPresignedRead: signed addresses that read objects.

    Attributes:
        checks_signatures: Whether the store checks signatures; False for an imitation of a
            store that lets everybody in.
    """

    checks_signatures = True

    def test_a_signed_address_reads_one_object(self, storage: Storage) -> None:
        """A signed address gives the object or a range of it; for an absent object the answer is 404."""
        assert isinstance(storage, SupportsPresignedRead)
        put(storage, "v/a.mp4", b"0123456789")
        url = storage.presigned_url("v/a.mp4", valid_s=VALID_S)
        some = {"Range": "bytes=2-4"}

        assert _asked("GET", url) == (200, b"0123456789")
        assert _asked("GET", url, headers=some) == (206, b"234")
        absent = storage.presigned_url("v/none", valid_s=VALID_S)
        assert _asked("GET", absent)[0] == 404

    def test_a_signed_address_of_one_object_opens_no_other(
        self, storage: Storage
    ) -> None:
        """A signed address to read an object opens no other object and writes none; a changed one is refused."""
        assert isinstance(storage, SupportsPresignedRead)
        put(storage, "v/a", b"mine")
        put(storage, "v/b", b"another's")
        url = storage.presigned_url("v/a", valid_s=VALID_S)
        other = storage.presigned_url("v/b", valid_s=VALID_S)

        assert (_asked("GET", url)[1], _asked("GET", other)[1]) == (
            b"mine",
            b"another's",
        )
        if self.checks_signatures:
            assert _asked("GET", url.replace("/v/a?", "/v/b?"))[0] in {400, 401, 403}
            assert _asked("PUT", url, body=b"changed")[0] in {400, 401, 403}
            assert _asked("GET", url.partition("?")[0])[0] in {400, 401, 403, 404, 409}
        assert (get(storage, "v/a"), get(storage, "v/b")) == (b"mine", b"another's")


class PresignedWriteConformance(StorageKit):
    """
    The promises of a storage with SupportsPresignedWrite: signed addresses that write objects.

    Attributes:
        checks_signatures: Whether the store checks signatures; False for an imitation of a
            store that lets everybody in.
    """

    checks_signatures = True

    def test_bytes_sent_to_a_signed_address_are_stored(self, storage: Storage) -> None:
        """Bytes that are sent to a signed address become the object; the last sender wins."""
        assert isinstance(storage, SupportsPresignedWrite)
        for data in (b"sent first", b"sent again"):
            address = storage.write_address(
                "v/a", content_type=TYPE, size_bytes=len(data), valid_s=VALID_S
            )
            assert _sent(address, data)[0] in _OK
            _join_staged(storage, "v/a")

            assert get(storage, "v/a") == data
        assert not is_there(storage, "v/b")

    def test_an_address_binds_what_it_says(self, storage: Storage) -> None:
        """A signed address that binds length or type refuses bytes of another length or type."""
        assert isinstance(storage, SupportsPresignedWrite)
        address = storage.write_address(
            "v/a", content_type=TYPE, size_bytes=4, valid_s=VALID_S
        )
        if address.binds_size and self.checks_signatures:
            assert _sent(address, b"too long")[0] not in _OK
        if address.binds_type and self.checks_signatures:
            assert _sent(address, b"data", type_="text/html")[0] not in _OK
        if (address.binds_size or address.binds_type) and self.checks_signatures:
            assert not is_there(storage, "v/a")
        assert _sent(address, b"data")[0] in _OK
        _join_staged(storage, "v/a")
        assert get(storage, "v/a") == b"data"


class PartedWriteConformance(StorageKit):
    """The promises of a storage with SupportsPartedWrite: objects that are uploaded in parts."""

    def test_an_object_is_joined_of_its_parts(self, storage: Storage) -> None:
        """Uploaded parts are no object until they are joined in the order of their numbers, which ends the upload."""
        assert isinstance(storage, SupportsPartedWrite)
        whole = arrived(_PART_BYTES + 10)
        pieces = {1: whole[:_PART_BYTES], 2: whole[_PART_BYTES:]}
        begun = storage.begin_parts("v/a", content_type=TYPE)
        # The second comes first, and twice.
        for number in (2, 1, 2):
            _send_part(storage, begun, number, pieces[number])
        before = is_there(storage, "v/a")
        parts = storage.uploaded_parts(begun)
        open_ones = [one.id for one in storage.parted_writes("v/a")]
        storage.join_parts(begun, parts)

        assert not before
        assert [(part.number, part.size_bytes) for part in parts] == [
            (1, _PART_BYTES),
            (2, 10),
        ]
        assert begun.id in open_ones
        assert_same(get(storage, "v/a"), whole)
        assert not list(storage.parted_writes("v/a"))
        # Who did not hear the answer asks again. Some stores know what they have joined.
        with suppress(ObjectNotFoundError):
            storage.join_parts(begun, parts)
        assert_same(get(storage, "v/a"), whole)

    def test_parts_that_are_ended_are_gone(self, storage: Storage) -> None:
        """Parts of an ended upload are gone and leave no object; ending the upload twice is no error."""
        assert isinstance(storage, SupportsPartedWrite)
        begun = storage.begin_parts("v/a", content_type=TYPE)
        _send_part(storage, begun, 1, b"part")
        parts = storage.uploaded_parts(begun)
        storage.end_parts(begun)
        storage.end_parts(begun)

        assert not is_there(storage, "v/a")
        assert not list(storage.parted_writes("v/a"))
        with pytest.raises(ObjectNotFoundError):
            storage.uploaded_parts(begun)
        with pytest.raises(ObjectNotFoundError):
            storage.join_parts(begun, parts)
        assert not is_there(storage, "v/a")


def _join_staged(storage: Storage, path: str) -> None:
    if isinstance(storage, SupportsStagedWrite):
        staged = storage.staged_write(path)
        assert staged is not None, "what was sent is not there"
        assert isinstance(storage, SupportsPartedWrite)
        storage.join_parts(*staged)


def _send_part(
    storage: SupportsPartedWrite, begun: PartedWrite, number: int, data: bytes
) -> None:
    address = storage.part_address(begun, number, size_bytes=len(data), valid_s=VALID_S)
    assert _sent(address, data, type_=None)[0] in _OK


def _sent(
    address: WriteAddress, data: bytes, *, type_: str | None = TYPE
) -> tuple[int, bytes]:
    headers = {"Content-Type": type_} if type_ else {}
    return _asked("PUT", address.url, headers=headers, body=data)


def _asked(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> tuple[int, bytes]:
    """Ask as a browser does, which knows the address and nothing else."""
    with urllib3.PoolManager(retries=False, timeout=30.0) as pool:
        answer = pool.request(method, url, headers=headers, body=body)
        return answer.status, answer.data
