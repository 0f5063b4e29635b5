"""
The command ``hv doctor storage``: test the abilities of the storage, and say what to set.

It writes small objects below ``doctor/`` and removes them again.
"""

import io
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore.assembly import Services
from hvcore.domain.health_findings import BROKEN, HealthFinding, broken, healthy
from hvcore.errors import UnavailableError
from hvcore.ports.direct_uploads import SupportsPartedWrite, SupportsPresignedWrite
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore_checks.checks import asked
from hvcore_checks.copy_header_probe import CHECK as COPY_HEADERS
from hvcore_checks.copy_header_probe import CopyHeaderProbe
from hvcore_checks.signed_probe import SignedProbe
from hvcore_checks.store_requests import StoreClient

DATA: Final = bytes(range(256)) * 4
CREDENTIALS: Final = (
    "Check HV_STORAGE__OPTIONS__URL, …__ENDPOINT_URL, the key and its rights. If the "
    "bucket's own host name is not known, set "
    "HV_STORAGE__OPTIONS__CONFIG_KWARGS__S3__ADDRESSING_STYLE=path."
)
CHECKSUMS: Final = (
    "It may refuse the checksums that clients of S3 have sent since 2025; set "
    "HV_STORAGE__OPTIONS__CONFIG_KWARGS__REQUEST_CHECKSUM_CALCULATION=when_required. If "
    "that changes nothing: "
)
# What older Ceph, R2, B2 and others call the headers and bodies of checksums.
_NEW_TO_IT: Final = (
    *("checksum", "x-amz-", "trailer", "NotImplemented", "InvalidArgument"),
    *("MissingContentLength", "XAmzContentSHA256Mismatch"),
)
ANY_ORIGIN: Final = "https://example.com"


def probe_storage(services: Services) -> Iterator[HealthFinding]:
    """Yield findings about the storage, one for each capability."""
    storage = services.storage
    folder = f"doctor/{secrets.token_hex(8)}"
    try:
        yield from _probed(services, StorageProbe(storage=storage, folder=folder))
    finally:
        with suppress(UnavailableError):
            storage.delete_tree(folder)


def _probed(services: Services, plain: "StorageProbe") -> Iterator[HealthFinding]:
    found = list(_all({"objects": plain.objects}))
    yield from found
    if found[0].state == BROKEN:
        # Everything else would only say the same again.
        return
    yield from _all({"listing": plain.listing, "ranges": plain.ranges})
    storage = plain.storage
    if not (isinstance(storage, SupportsPresignedWrite) and storage.can_presign_writes):
        yield healthy(
            "signed-writes",
            "none: uploads come through the service, whatever HV_UPLOADS__DIRECT says",
        )
        return
    origins = services.settings.public.cors_origins
    client = StoreClient()
    foreign = CopyHeaderProbe(
        storage=storage, signing=storage, client=client, folder=plain.folder
    )
    signed = SignedProbe(
        storage=storage,
        client=client,
        folder=plain.folder,
        origin=origins[0] if origins else ANY_ORIGIN,
        bucket=urlsplit(str(services.settings.storage.options.get("url"))).netloc,
    )
    yield from _all(
        {
            "signed-writes": signed.writes,
            "signatures": signed.signatures,
            "bound": signed.bound,
            COPY_HEADERS: foreign.copies,
            "expiry": signed.expiry,
            "signed-ranges": partial(signed.ranges, plain.storage),
            "address": signed.address_style,
            "copies": signed.copies,
            "cross-origin": signed.cross_origin,
            "clock": signed.clock,
        }
    )
    if isinstance(storage, SupportsPartedWrite) and storage.can_presign_parts:
        yield from _all({"parts": partial(signed.parts, storage)})


def told(error: UnavailableError) -> str:
    """Return an error of a storage as text, with the storage's own message."""
    return f"{error.detail} It says: {error.said}" if error.said else error.detail


def fix_of(error: UnavailableError) -> str:
    """Return the advice to print for a storage that answers, but refuses to store an object."""
    is_new_to_it = any(word in told(error) for word in _NEW_TO_IT)
    return f"{CHECKSUMS}{CREDENTIALS}" if is_new_to_it else CREDENTIALS


def _all(
    checks: dict[str, Callable[[], Sequence[HealthFinding]]],
) -> Iterator[HealthFinding]:
    for name, check in checks.items():
        yield from asked(name, check)


@attrs.frozen(kw_only=True)
class StorageProbe:
    """Tests a storage for the abilities that every storage must have: objects, listings, ranges."""

    storage: Storage
    folder: str

    def objects(self) -> Sequence[HealthFinding]:
        """Test whether an object can be written, read and removed."""
        path = f"{self.folder}/object"
        try:
            self.storage.ping()
            self.storage.write(path, io.BytesIO(DATA), content_type="video/mp4")
            with self.storage.open(path) as file:
                is_same = file.read() == DATA
            self.storage.delete_tree(path)
        except UnavailableError as exc:
            return [broken("objects", told(exc), fix_of(exc))]
        if not is_same or self._is_there(path):
            found = "an object is not what was written, or stays when it is removed"
            return [broken("objects", found, "Use another store.")]
        return [healthy("objects", "are written, read and removed")]

    def listing(self) -> Sequence[HealthFinding]:
        """Test whether listings show written and removed objects at once."""
        path = f"{self.folder}/listed"
        self.storage.write(path, io.BytesIO(DATA), content_type="video/mp4")
        after = [info.path for info in self.storage.walk(self.folder)]
        self.storage.delete_tree(path)
        left = [info.path for info in self.storage.walk(self.folder)]
        if path in after and path not in left:
            return [healthy("listing", "shows at once what was written and removed")]
        found = "shows late what was written or removed: deletes may leave files"
        fix = "Use a store, or a region of it, whose lists are consistent."
        return [broken("listing", found, fix)]

    def ranges(self) -> Sequence[HealthFinding]:
        """Test whether a byte range of an object can be read."""
        path = f"{self.folder}/ranged"
        self.storage.write(path, io.BytesIO(DATA), content_type="video/mp4")
        with self.storage.open(path, start=100, end=300) as file:
            is_part = file.read() == DATA[100:300]
        if is_part:
            return [healthy("ranges", "are read")]
        found = "a part of an object is not the part that was asked for"
        return [
            broken("ranges", found, "Remove proxies before the store, or use another.")
        ]

    def _is_there(self, path: str) -> bool:
        try:
            self.storage.stat(path)
        except ObjectNotFoundError:
            return False
        return True
