"""Send requests to signed addresses of an object store, and judge the store's answers."""

import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore.domain.health_findings import WARNING, HealthFinding, broken, healthy
from hvcore.ports.direct_uploads import (
    SupportsPartedWrite,
    SupportsPresignedWrite,
    SupportsStagedWrite,
    WriteAddress,
)
from hvcore.ports.storage import Storage, SupportsPresignedRead
from hvcore_checks.store_requests import StoreAnswer, StoreClient

TYPE: Final = "video/mp4"
OTHER_TYPE: Final = "video/webm"
DATA: Final = b"0123456789" * 100
VALID_S: Final = 60
EXPIRES_WITHIN_S: Final = 10.0
"""The seconds after which a signed address with a validity of one second must be refused."""
ASKED_EVERY_S: Final = 1.0
CLOCK_S: Final = 5.0
SHEETS: Final = "See docs/how-to/object-stores.md."

REGION: Final = (
    "Set HV_STORAGE__OPTIONS__CLIENT_KWARGS__REGION_NAME to the bucket's region."
)

_FIXES: Final = {
    "SignatureDoesNotMatch": (
        "Check the secret, and HV_STORAGE__OPTIONS__CLIENT_KWARGS__REGION_NAME. A proxy "
        "before the store must pass Host, Content-Type and Content-Length on as they are."
    ),
    "AccessDenied": "Give the key the right to put objects (s3:PutObject).",
    "AuthenticationFailed": (
        "Check the account's key. Set the clocks of this machine and of the store."
    ),
    "AuthorizationPermissionMismatch": (
        "Give the identity the role Storage Blob Data Contributor."
    ),
    "RequestTimeTooSkewed": "Set the clocks of this machine and of the store.",
    "AuthorizationHeaderMalformed": REGION,
    "AuthorizationQueryParametersError": REGION,
}


@attrs.frozen(kw_only=True)
class SignedProbe:
    """
    Tries the signed addresses that clients get for writing objects; each test returns findings.

    Attributes:
        storage: The storage that signs the addresses.
        client: The HTTP client that sends requests to the addresses.
        folder: The folder in the storage below which the probe writes.
        origin: The origin of a web page that would send files.
        bucket: The bucket's name in the settings.
    """

    storage: SupportsPresignedWrite
    client: StoreClient
    folder: str
    origin: str
    bucket: str

    def writes(self) -> Sequence[HealthFinding]:
        """Test whether an object can be written by its signed address."""
        answer = self._send("sent")
        if answer.is_success:
            return [healthy("signed-writes", "are taken")]
        fix = _FIXES.get(answer.code, SHEETS)
        return [broken("signed-writes", f"are refused: {answer.shown}", fix)]

    def signatures(self) -> Sequence[HealthFinding]:
        """Test whether the store refuses an address with a wrong signature."""
        address = self._address("forged")
        forged = attrs.evolve(address, url=_forged(address.url))
        if self._put(forged).is_success:
            fix = "Anybody can write to this store; use one that checks signatures."
            return [broken("signatures", "a wrong one is taken", fix)]
        return [healthy("signatures", "are checked")]

    def bound(self) -> Sequence[HealthFinding]:
        """Test whether the store refuses a content type or length other than the signed ones."""
        address = self._address("bound")
        if not (address.binds_type or address.binds_size):
            return [
                HealthFinding(
                    state=WARNING,
                    check="bound",
                    found="nothing: with HV_UPLOADS__DIRECT=auto, files come through "
                    "the service",
                    fix="With =on the service checks files once they have come. Until "
                    f"then anybody with an address may store any number of bytes. {SHEETS}",
                )
            ]
        other_type = self.client.put(address.url, DATA, OTHER_TYPE)
        other_size = self.client.put(address.url, DATA[:-1], TYPE)
        loose = [
            name
            for name, answer in (("type", other_type), ("length", other_size))
            if answer.is_success
        ]
        if not loose:
            found = "type and length: HV_UPLOADS__DIRECT=auto is safe"
            return [healthy("bound", found)]
        return [
            HealthFinding(
                state=WARNING,
                check="bound",
                found=f"another {' and another '.join(loose)} than signed is taken",
                fix="The service checks files once they have come, and fails those "
                "that do not fit. Leave HV_UPLOADS__DIRECT=off to refuse them before.",
            )
        ]

    def expiry(self) -> Sequence[HealthFinding]:
        """Test whether the store refuses an address that has expired."""
        address = self._address("expired", valid_s=1)
        deadline = time.monotonic() + EXPIRES_WITHIN_S
        while time.monotonic() < deadline:
            time.sleep(ASKED_EVERY_S)
            if not self._put(address).is_success:
                return [healthy("expiry", "addresses end in time")]
        fix = "Set the store's clock, or use a store that obeys X-Amz-Expires."
        found = f"an address of 1 s still works after {EXPIRES_WITHIN_S:.0f} s"
        return [broken("expiry", found, fix)]

    def ranges(self, storage: Storage) -> Sequence[HealthFinding]:
        """
        Test whether a byte range of an object can be read by a signed address, as players do.

        Return no finding if ``storage`` signs no addresses for reading.
        """
        if not (isinstance(storage, SupportsPresignedRead) and storage.can_presign):
            return []
        self._send("ranged")
        url = storage.presigned_url(f"{self.folder}/ranged", valid_s=VALID_S)
        answer = self.client.ask("GET", url, Range="bytes=10-19")
        if (answer.status, answer.body) == (206, DATA[10:20]):
            return [healthy("signed-ranges", "are read: HV_PLAYBACK__REDIRECTS works")]
        found = f"Range is not obeyed: {answer.shown}"
        return [broken("signed-ranges", found, "Leave HV_PLAYBACK__REDIRECTS=false.")]

    def address_style(self) -> Sequence[HealthFinding]:
        """
        Find out whether signed addresses have the bucket in the host name or in the path.

        Return one finding that says it and is never a warning.
        """
        parts = urlsplit(self._address("style").url)
        is_in_host = parts.netloc.startswith(f"{self.bucket}.")
        style = "the bucket is in the host" if is_in_host else "path style"
        found = f"clients send to {parts.scheme}://{parts.netloc} ({style})"
        return [healthy("address", found)]

    def copies(self) -> Sequence[HealthFinding]:
        """Test whether the store can copy an object within itself."""
        self._send("original")
        copied = self.storage.copy(
            f"{self.folder}/original", f"{self.folder}/copy", content_type=TYPE
        )
        if copied.size_bytes == len(DATA) and copied.content_type in {TYPE, None}:
            return [healthy("copies", "are made within the store")]
        found = "a copy has not the bytes and the type of its original"
        return [broken("copies", found, "Leave HV_UPLOADS__DIRECT=off.")]

    def cross_origin(self) -> Sequence[HealthFinding]:
        """
        Test whether the bucket's CORS rules let pages of another origin send and read objects.

        Return one finding, which is a warning if the rules refuse something.
        """
        url = self._address("page").url
        refused = [
            f"{method} with {header}"
            for method, header in (("PUT", "content-type"), ("GET", "range"))
            if not self._is_allowed(url, method, header)
        ]
        if not refused:
            return [healthy("cross-origin", "pages may send and read")]
        return [
            HealthFinding(
                state=WARNING,
                check="cross-origin",
                found=f"pages of {self.origin} may not: {', '.join(refused)}",
                fix="Allow at the bucket (CORS): methods GET and PUT, headers "
                f"content-type and range, your pages' origins. {SHEETS}",
            )
        ]

    def clock(self) -> Sequence[HealthFinding]:
        """Compare the store's clock with this machine's; return a warning if they are too far apart."""
        answer = self._put(self._address("clock"))
        date = answer.headers.get("date")
        if date is None:
            return [healthy("clock", "the store does not tell its time")]
        theirs = parsedate_to_datetime(date).timestamp()
        # Its date has whole seconds, and is of some moment of the request.
        apart_s = max(answer.sent_at - theirs - 1.0, theirs - answer.ended_at, 0.0)
        if apart_s <= CLOCK_S:
            return [healthy("clock", "the store's and this machine's agree")]
        found = f"{apart_s:.0f} s apart from the store's: addresses end at wrong times"
        return [
            HealthFinding(
                state=WARNING, check="clock", found=found, fix="Set it (NTP)."
            )
        ]

    def parts(self, storage: SupportsPartedWrite) -> Sequence[HealthFinding]:
        """Test whether an object can be sent as a multipart upload, and a begun one can be aborted."""
        path = f"{self.folder}/parts"
        begun = storage.begin_parts(path, content_type=TYPE)
        address = storage.part_address(begun, 1, size_bytes=len(DATA), valid_s=VALID_S)
        sent = self.client.ask("PUT", address.url, DATA)
        arrived = storage.uploaded_parts(begun)
        if not sent.is_success or [part.size_bytes for part in arrived] != [len(DATA)]:
            found = f"a part is not taken or not listed: {sent.shown}"
            return [broken("parts", found, _FIXES.get(sent.code, SHEETS))]
        storage.join_parts(begun, arrived)
        path = f"{self.folder}/ended"
        ended = storage.begin_parts(path, content_type=TYPE)
        is_listed = ended.id in {found.id for found in storage.parted_writes(path)}
        storage.end_parts(ended)
        if not is_listed or list(storage.parted_writes(path)):
            found = "what was begun in parts is not listed, or cannot be ended"
            fix = (
                "Give the key s3:ListBucketMultipartUploads and "
                "s3:AbortMultipartUpload; else parts are not offered. Or have the "
                "store end unfinished uploads by a rule of its own (2 days)."
            )
            return [HealthFinding(state=WARNING, check="parts", found=found, fix=fix)]
        return [healthy("parts", "are taken, listed, joined and ended")]

    def _address(self, name: str, *, valid_s: int = VALID_S) -> WriteAddress:
        return self.storage.write_address(
            f"{self.folder}/{name}",
            content_type=TYPE,
            size_bytes=len(DATA),
            valid_s=valid_s,
        )

    def _send(self, name: str) -> StoreAnswer:
        """Send an object by its address, and make it one."""
        storage, answer = self.storage, self._put(self._address(name))
        if isinstance(storage, SupportsStagedWrite):
            staged = storage.staged_write(f"{self.folder}/{name}")
            if staged is not None and isinstance(storage, SupportsPartedWrite):
                storage.join_parts(*staged)
        return answer

    def _put(self, address: WriteAddress) -> StoreAnswer:
        return self.client.put(address.url, DATA, TYPE)

    def _is_allowed(self, url: str, method: str, header: str) -> bool:
        answer = self.client.preflight(
            url, origin=self.origin, method=method, header=header
        )
        allowed = answer.headers.get
        return (
            answer.is_success
            and allowed("access-control-allow-origin", "") in {"*", self.origin}
            and method in _words(allowed("access-control-allow-methods", "").upper())
            and bool(
                {"*", header}
                & _words(allowed("access-control-allow-headers", "").lower())
            )
        )


def _words(text: str) -> set[str]:
    return {word.strip() for word in text.split(",")}


def _forged(url: str) -> str:
    """Change the first character of a signed address's signature."""
    head, name, signature = url.partition("Signature=")
    if not name:
        # Azure's.
        head, name, signature = url.partition("sig=")
    first = "0" if signature[:1] != "0" else "1"
    return f"{head}{name}{first}{signature[1:]}"
