"""Store objects in Google Cloud Storage, and let other programs upload bytes themselves."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from gcsfs.core import GCSFileSystem
from google.auth.credentials import Signing
from google.oauth2.service_account import Credentials as KeyCredentials

from hvcore.plugin_api import ObjectInfo, UnavailableError, WriteAddress
from hvcore_storage_fsspec.google_tokens import TokenRenewal
from hvcore_storage_fsspec.limited_calls import TimeLimitedCalls
from hvcore_storage_fsspec.ranges import check_received, check_some, promised_bytes
from hvcore_storage_fsspec.remote import RemoteStorage
from hvcore_storage_fsspec.store_errors import foreign_errors
from hvcore_storage_fsspec.time_limits import (
    ANSWER_S,
    JOIN_S,
    PING_S,
    read_limit_s,
    send_limit_s,
)

SIGNATURE_VERSION: Final = "v4"
"""The version of signatures; version 2, the client's own choice, does not bind the length."""
SENT_BYTES: Final = 8 * 1024 * 1024
"""The bytes of one upload request, which is in memory; the client's own choice is 50 MiB."""

SIGNED_AT_ONCE: Final = 16
"""The most addresses that Google signs at a time; requests without an answer keep their place."""

_asked_of_google: Final = TimeLimitedCalls(SIGNED_AT_ONCE)


class GoogleStorage(RemoteStorage):
    """
    A storage in a Google bucket that can let other programs upload objects.

    It also implements SupportsPresignedWrite. An address is signed with the key of a
    service account, or by Google if this machine does not have the account's key.
    """

    def __init__(self, url: str, *, args: Mapping[str, object], work_dir: Path) -> None:
        super().__init__(url, args=args, work_dir=work_dir)
        self._renewal = TokenRenewal()
        # The client's own asks within its loop, on which every call waits, for up to two
        # minutes, and gives a token up that is good for five.
        self._fs.credentials.maybe_refresh = partial(self._renew, 0)

    @property
    def can_presign(self) -> bool:
        """Return whether the storage has a service account that can sign addresses."""
        account = self._account
        return isinstance(account, Signing) or hasattr(account, "service_account_email")

    @property
    def can_presign_writes(self) -> bool:
        """Return whether the storage has a service account that can sign write addresses."""
        return self.can_presign

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """Return a signed address for GETs of an object, valid for ``valid_s`` seconds."""
        return self._sign(path, valid_s, method="GET")

    def write_address(
        self,
        path: str,
        *,
        content_type: str | None,
        size_bytes: int | None,
        valid_s: int,
    ) -> WriteAddress:
        """Return a signed address for one PUT of an object."""
        headers = {}
        if size_bytes is not None:
            # Every sender sends it, unlike x-goog-content-length-range.
            headers["content-length"] = str(size_bytes)
        url = self._sign(
            path, valid_s, method="PUT", content_type=content_type, headers=headers
        )
        signed = parse_qs(urlsplit(url).query).get("X-Goog-SignedHeaders", [""])[0]
        names = set(signed.split(";"))
        return WriteAddress(
            url=url,
            binds_type="content-type" in names,
            binds_size="content-length" in names,
        )

    def stat(self, path: str) -> ObjectInfo:
        bucket, name = self._place(path)
        with self._answers(path):
            found = self._ask("call", "GET", "b/{}/o/{}", bucket, name, json_out=True)
            return ObjectInfo(
                path=path,
                size_bytes=int(found["size"]),
                modified_at=datetime.fromisoformat(found["updated"]).astimezone(UTC),
                content_type=found.get("contentType"),
                # A number that each writing gets anew.
                tag=str(found["generation"]),
            )

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Copy an object within the store, whole or not at all."""
        before = self.stat(source)
        places = (*self._place(source), *self._place(target))
        more: dict[str, object] = {}
        done_bytes = -1
        with self._answers(source):
            try:
                while True:
                    # A large object, or one that moves, takes several requests.
                    answer = self._ask(
                        "call",
                        "POST",
                        "b/{}/o/{}/rewriteTo/b/{}/o/{}",
                        *places,
                        json={"contentType": content_type},
                        json_out=True,
                        limit_s=JOIN_S,
                        ifSourceGenerationMatch=before.tag,
                        **more,
                    )
                    if answer["done"]:
                        break
                    former, done_bytes = done_bytes, int(answer["totalBytesRewritten"])
                    if done_bytes <= former:
                        # Else nothing would end the rounds.
                        raise UnavailableError("The storage does not go on copying.")
                    more = {"rewriteToken": answer["rewriteToken"]}
            except FileExistsError as exc:
                raise UnavailableError(
                    "The object changed while it was copied."
                ) from exc
        copied = self._stored(target)
        if copied.size_bytes != before.size_bytes:
            self.delete_tree(target)
            raise UnavailableError("The storage did not copy the whole object.")
        return copied

    @property
    def _account(self) -> Any:  # noqa: ANN401 - Google's types are not known here
        return self._fs.credentials.credentials

    def _renew(self, waits_s: float) -> None:
        if self._account is not None:
            self._renewal.renew(self._account, waits_s=waits_s)

    def _ask(
        self, method: str, *args: object, limit_s: float = ANSWER_S, **options: object
    ) -> Any:  # noqa: ANN401 - whatever the file system returns
        # Here, and not in the client's loop.
        self._renew(min(limit_s, ANSWER_S))
        return super()._ask(method, *args, limit_s=limit_s, **options)

    def _file_system(self, url: str, args: Mapping[str, object]) -> tuple[Any, str]:
        # Not the class that the URL stands for: it asks by gRPC what kind of bucket it is,
        # before each call where it may not know.
        fs = GCSFileSystem(skip_instance_cache=True, **args)
        return fs, str(fs._strip_protocol(url))  # noqa: SLF001 - as fsspec.core does

    def _fetch(self, full: str, start: int, end: int, tag: str | None) -> bytes:
        # The client's own cat_file does not show what the answer says of its range.
        headers, data = self._ask(
            "call",
            "GET",
            self._fs.url(full),
            headers={"Range": f"bytes={start}-{end - 1}"},
            # Of one generation: the object may be replaced between two requests.
            **({} if tag is None else {"generation": tag}),
            limit_s=read_limit_s(end - start),
        )
        check_some(len(data))
        told = headers.get("Content-Range")
        check_received(len(data), promised_bytes(told, start, end))
        return bytes(data)

    def _ask_for_bucket(self) -> None:
        bucket = self._root.partition("/")[0]
        self._ask("call", "GET", "b/{}", bucket, limit_s=PING_S)

    def _send(self, local: Path, target: str, content_type: str) -> None:
        more = self._stored_as(content_type)
        self._ask(
            "put_file",
            str(local),
            target,
            chunksize=SENT_BYTES,
            limit_s=send_limit_s(local.stat().st_size),
            **more,
        )

    def _sign(self, path: str, valid_s: int, **bound: object) -> str:
        def sign() -> str:
            if not isinstance(account, Signing):
                self._renewal.renew(account)
                bound["service_account_email"] = account.service_account_email
                bound["access_token"] = account.token
            return str(
                self._fs.sign(
                    self._full(path),
                    expiration=valid_s,
                    version=SIGNATURE_VERSION,
                    **bound,
                )
            )

        account = self._account
        with foreign_errors():
            if isinstance(account, KeyCredentials):
                return sign()
            # Google is asked, for up to four minutes: its client takes no limit.
            return _asked_of_google.call(ANSWER_S, sign)

    def _place(self, path: str) -> tuple[str, str]:
        bucket, _, name = self._full(path).partition("/")
        return bucket, name
