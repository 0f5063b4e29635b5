"""
Test whether an object store copies an object for a client that has only a signed address.

A header that names an object to copy can be sent beside a signed PUT. AWS refuses what
was not signed. A store that obeys it copies with the rights of the key that has signed.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore.domain.health_findings import HealthFinding, broken, healthy
from hvcore.ports.direct_uploads import SupportsPartedWrite, SupportsPresignedWrite
from hvcore.ports.storage import ObjectNotFoundError, Storage, SupportsObjectUrl
from hvcore_checks.store_requests import StoreClient

CHECK: Final = "copy-headers"
TYPE: Final = "video/mp4"
VALID_S: Final = 60
HIDDEN: Final = b"what only others may read " * 40
BODY: Final = b"x" * len(HIDDEN)
"""The body of the probing request: as long as the copied object, because the store may
compare the signed length."""
_HEADERS: Final = {"s3": "x-amz-copy-source", "gs": "x-goog-copy-source"}
"""The header that asks for a copy, by the scheme of the store. Azure is left out: its header
names an address that needs a signature of its own."""


@attrs.frozen(kw_only=True)
class CopyHeaderProbe:
    """
    Tries whether a signed PUT of one object copies another one that an unsigned header names.

    Attributes:
        signing: The same storage, as the port that signs addresses.
        folder: The folder in the storage below which the probe reads and writes.
    """

    storage: Storage
    signing: SupportsPresignedWrite
    client: StoreClient
    folder: str

    def copies(self) -> Sequence[HealthFinding]:
        """Send an unsigned copy header with a signed PUT, and return whether the store obeyed, as findings."""
        named = self._named_source()
        if named is None:
            return []
        header, source = named
        path = f"{self.folder}/others"
        self.storage.write(path, io.BytesIO(HIDDEN), content_type=TYPE)
        obeyed = [*self._by_objects(header, source), *self._by_parts(header, source)]
        if not obeyed:
            return [healthy(CHECK, f"an unsigned {header} copies nothing")]
        found = f"an unsigned {header} is obeyed by addresses of {' and '.join(obeyed)}"
        fix = (
            "Set HV_UPLOADS__DIRECT=off, or use a store that refuses it: who has an "
            "address to send to, and knows a path, reads the files of all tenants."
        )
        return [broken(CHECK, found, fix)]

    def _named_source(self) -> tuple[str, str] | None:
        """Return the store's header, and what it calls the object that must stay hidden."""
        if not isinstance(self.storage, SupportsObjectUrl):
            return None
        url = urlsplit(self.storage.object_url(f"{self.folder}/others"))
        header = _HEADERS.get(url.scheme)
        return None if header is None else (header, f"/{url.netloc}{url.path}")

    def _by_objects(self, header: str, source: str) -> Iterator[str]:
        """Try addresses that bind type and length, and such as bind nothing."""
        addresses = (("copied-bound", TYPE, BODY), ("copied", None, b""))
        for name, type_, body in addresses:
            path = f"{self.folder}/{name}"
            address = self.signing.write_address(
                path,
                content_type=type_,
                size_bytes=len(body) or None,
                valid_s=VALID_S,
            )
            headers = {header: source, "content-type": TYPE}
            self.client.ask("PUT", address.url, body, **headers)
            if self._holds_hidden(path):
                yield "objects"
                return

    def _by_parts(self, header: str, source: str) -> Iterator[str]:
        storage = self.storage
        if not (isinstance(storage, SupportsPartedWrite) and storage.can_presign_parts):
            return
        whole = f"bytes=0-{len(HIDDEN) - 1}"
        ranges: Sequence[dict[str, str]] = ({}, {f"{header}-range": whole})
        for number, more in enumerate(ranges):
            path = f"{self.folder}/copied-part{number}"
            begun = storage.begin_parts(path, content_type=TYPE)
            address = storage.part_address(
                begun, 1, size_bytes=len(BODY), valid_s=VALID_S
            )
            self.client.ask("PUT", address.url, BODY, **{header: source, **more})
            arrived = storage.uploaded_parts(begun)
            if not arrived:
                storage.end_parts(begun)
                continue
            storage.join_parts(begun, arrived)
            if self._holds_hidden(path):
                yield "parts"
                return

    def _holds_hidden(self, path: str) -> bool:
        with suppress(ObjectNotFoundError), self.storage.open(path) as file:
            return file.read() == HIDDEN
        return False
