"""Read, write, copy and delete objects in Azure Blob Storage."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from azure.core import MatchConditions
from azure.core.exceptions import (
    HttpResponseError,
    ResourceExistsError,
    ResourceModifiedError,
    ResourceNotFoundError,
)
from azure.storage.blob import BlobProperties, ContentSettings
from azure.storage.blob.aio import BlobClient, BlobLeaseClient, ContainerClient

from hvcore.plugin_api import (
    ObjectInfo,
    ObjectNotFoundError,
    UnavailableError,
    UnreadableObjectError,
)
from hvcore_storage_fsspec.azure_client import SasSigner, service_client
from hvcore_storage_fsspec.paths import check_prefix
from hvcore_storage_fsspec.ranges import (
    IGNORED,
    WrongRangeError,
    check_received,
    check_some,
    promised_bytes,
)
from hvcore_storage_fsspec.remote import DELETED_AT_ONCE, RemoteStorage
from hvcore_storage_fsspec.store_errors import foreign_errors
from hvcore_storage_fsspec.time_limits import (
    ANSWER_S,
    JOIN_S,
    LIST_S,
    PING_S,
    REMOVE_S,
    read_limit_s,
    run_within,
)

AT_ONCE: Final = 16
"""The number of deletions that run at a time; one request removes one object."""
_FIRST_FAILURE: Final = 300
COPY_ASKED_EVERY_S: Final = 0.5
COPY_WITHIN_S: Final = 1800.0
"""The time limit of a copy: within an account it is done at once, but Azure does not promise it."""

_ABSENT: Final = frozenset({"BlobNotFound"})
_CHANGED: Final = frozenset({"ConditionNotMet", "SourceConditionNotMet"})
# What the holder of a write address can make of an object.
_UNREADABLE: Final = frozenset(
    {"BlobArchived", "BlobBeingRehydrated", "BlobUsesCustomerSpecifiedEncryption"}
)
_LEASED: Final = "LeaseIdMissing"
_NOT_EMPTY: Final = "DirectoryIsNotEmpty"
# What Azure calls bytes of which nobody told the type.
_NO_TYPE: Final = "application/octet-stream"


class AzureObjects(RemoteStorage):
    """
    A storage of objects in an Azure container.

    It uses Azure's own client, which the fsspec file system contains, because copies
    and deletions of the file system promise less than the storage port demands.
    """

    def __init__(self, url: str, *, args: Mapping[str, object], work_dir: Path) -> None:
        options = dict(args)
        attempts = options.pop("retry_total", None)
        super().__init__(url, args=options, work_dir=work_dir)
        self._fs.service_client = service_client(self._fs, attempts)
        self._signer = SasSigner.of(self._fs)

    def stat(self, path: str) -> ObjectInfo:
        blob = self._blob(self._full(path))
        with azure_errors(path):
            found = self._run(blob.get_blob_properties)
            # Within: half an answer is none.
            info = None if _is_folder(found) else _info(path, found)
        if info is None:
            raise ObjectNotFoundError(path)
        return info

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Copy an object within the account, whole or not at all."""
        before = self.stat(source)
        with azure_errors(source):
            self._run(
                self._copy,
                source,
                target,
                before.tag,
                content_type,
                # It has a limit of its own, after which it cleans up.
                limit_s=COPY_WITHIN_S + JOIN_S,
            )
        copied = self._stored(target)
        if copied.size_bytes != before.size_bytes:
            self.delete_tree(target)
            raise UnavailableError("The storage did not copy the whole object.")
        return copied

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        name = check_prefix(prefix)
        with azure_errors():
            found = self._run(self._below, name, ["metadata"], limit_s=LIST_S)
        for path, blob in found:
            if not _is_folder(blob):
                yield _info(path, blob)

    def delete_tree(self, prefix: str) -> int:
        """
        Remove the object at a path and all objects below it, with their uncommitted blocks.

        Returns:
            The number of removed objects.
        """
        name = check_prefix(prefix)
        with azure_errors():
            kinds = ["metadata", "uncommittedblobs"]
            found = self._run(self._below, name, kinds, limit_s=LIST_S)
            limit_s = REMOVE_S * (1 + len(found) // DELETED_AT_ONCE)
            return int(self._run(self._delete_all, found, limit_s=limit_s))

    def ping(self) -> None:
        """Raise UnavailableError if the container is missing or does not answer."""
        with azure_errors():
            self._ask_for_bucket()

    @property
    def can_presign(self) -> bool:
        """Return whether the storage has a key with which it can sign addresses."""
        return self._signer is not None

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """Return a signed address for GETs of an object, valid for ``valid_s`` seconds."""
        return self._signed(path, "r", valid_s)

    def _signed(self, path: str, permission: str, valid_s: int) -> str:
        if self._signer is None:
            raise UnavailableError("The storage has no key to sign with.")
        full = self._full(path)
        container, _, name = full.partition("/")
        with azure_errors():
            token = self._signer.token(container, name, permission, valid_s)
            return f"{self._blob(full).url}?{token}"

    def _full(self, path: str) -> str:
        # Azure takes it for a slash.
        if "\\" in path:
            raise ValueError(f"not a path of an object: {path!r}")
        return super()._full(path)

    def _stored_as(self, content_type: str) -> Mapping[str, object]:
        return {"content_settings": ContentSettings(content_type=content_type)}

    def _run(
        self, call: Callable[..., Any], *args: object, limit_s: float = ANSWER_S
    ) -> Any:  # noqa: ANN401 - Azure's types are not known here
        return run_within(limit_s, self._fs, partial(call, *args))

    def _fetch(self, full: str, start: int, end: int, tag: str | None) -> bytes:
        reading = partial(_read, self._blob(full), start, end, tag)
        data: bytes = self._run(reading, limit_s=read_limit_s(end - start))
        return data

    def _ask_for_bucket(self) -> None:
        ask = self._container().get_container_properties
        if not self._run(ask, limit_s=PING_S).etag:
            # Such as of a page of a proxy.
            raise UnavailableError("The storage does not say what a container is.")

    def _blob(self, full: str) -> BlobClient:
        container, _, name = full.partition("/")
        blob: BlobClient = self._fs.service_client.get_blob_client(container, name)
        return blob

    def _container(self) -> ContainerClient:
        name = self._root.partition("/")[0]
        container: ContainerClient = self._fs.service_client.get_container_client(name)
        return container

    async def _copy(
        self, source: str, target: str, tag: str, content_type: str
    ) -> None:
        made = self._blob(self._full(target))
        try:
            await made.start_copy_from_url(
                self._blob(self._full(source)).url,
                source_etag=f'"{tag}"',
                source_match_condition=MatchConditions.IfNotModified,
            )
        except HttpResponseError as exc:
            if error_code(exc) in _CHANGED:
                raise UnavailableError(
                    "The object changed while it was copied."
                ) from exc
            raise
        found = await self._copied(made)
        if found.content_settings.content_type != content_type:
            await made.set_http_headers(ContentSettings(content_type=content_type))

    async def _copied(self, made: BlobClient) -> BlobProperties:
        deadline = time.monotonic() + COPY_WITHIN_S
        while True:
            found = await made.get_blob_properties()
            if found.copy.status == "success":
                return found
            is_late = time.monotonic() > deadline
            if found.copy.status != "pending" or is_late:
                if is_late:
                    # Else it cannot be removed.
                    await made.abort_copy(found.copy.id)
                await _delete(made)
                raise UnavailableError("The storage did not copy the object.")
            await asyncio.sleep(COPY_ASKED_EVERY_S)

    async def _below(
        self, prefix: str, include: Sequence[str]
    ) -> Sequence[tuple[str, BlobProperties]]:
        """Yield the blob at a prefix and those below it, each with its path in the storage."""
        root = self._root.partition("/")[2]
        head = f"{root}/" if root else ""
        found = []
        # A search would give what merely begins alike, too: "vid_10" for "vid_1".
        async for blob in self._container().list_blobs(
            name_starts_with=head + prefix, include=list(include)
        ):
            path = str(blob.name).removeprefix(head)
            if path == prefix or path.startswith(f"{prefix}/"):
                found.append((path, blob))
        return found

    async def _delete_all(self, found: Sequence[tuple[str, BlobProperties]]) -> int:
        slots = asyncio.Semaphore(AT_ONCE)

        async def delete(path: str) -> bool:
            async with slots:
                return await _delete(self._blob(self._full(path)))

        files = [path for path, blob in found if not _is_folder(blob)]
        removed = await asyncio.gather(*map(delete, files))
        # Only accounts with a hierarchy have them. The deepest go first.
        for path, blob in reversed(found):
            if _is_folder(blob):
                await delete(path)
        return sum(removed)


async def _read(blob: BlobClient, start: int, end: int, tag: str | None) -> bytes:
    told: list[str | None] = []

    def note_range(answer: Any) -> None:  # noqa: ANN401 - the client's own, without types
        # Of answers that the client takes: it asks again after others.
        if answer.http_response.status_code < _FIRST_FAILURE:
            told.append(answer.http_response.headers.get("Content-Range"))

    try:
        # What the client itself shows of the range is the one that it asked for.
        stream = await blob.download_blob(
            start, end - start, raw_response_hook=note_range, **_only_of(tag)
        )
        data = await stream.readall()
    except (ResourceNotFoundError, ResourceModifiedError) as exc:
        raise FileNotFoundError(blob.blob_name) from exc
    except ValueError as exc:
        # All that the client says of an answer without a range.
        raise WrongRangeError(IGNORED) from exc
    check_some(len(data))
    check_received(len(data), promised_bytes(told[0], start, end))
    return bytes(data)


def _only_of(tag: str | None) -> dict[str, Any]:
    if tag is None:
        return {}
    return {"etag": f'"{tag}"', "match_condition": MatchConditions.IfNotModified}


async def drop_blocks(blob: BlobClient) -> None:
    """
    Discard the uncommitted blocks of a blob that does not exist yet.

    Azure has no request for this, but discards the blocks when the blob is written. So
    an empty blob is made and removed.
    """
    try:
        made = await blob.commit_block_list(
            [], match_condition=MatchConditions.IfMissing
        )
    except ResourceExistsError:
        # It has become an object meanwhile.
        return
    # Somebody may have removed or replaced it.
    with suppress(ResourceNotFoundError, ResourceModifiedError):
        await blob.delete_blob(
            etag=made["etag"], match_condition=MatchConditions.IfNotModified
        )


async def _delete(blob: BlobClient) -> bool:
    """Remove a blob with its snapshots, also if it is leased; return whether it was removed."""
    try:
        await blob.delete_blob(delete_snapshots="include")
    except ResourceNotFoundError as exc:
        if error_code(exc) not in _ABSENT:
            raise
        # Somebody else is deleting the same tree, or it was none yet.
        await _delete_blocks(blob)
        return False
    except HttpResponseError as exc:
        if error_code(exc) == _NOT_EMPTY:
            # Somebody has written into a folder meanwhile.
            return False
        if error_code(exc) != _LEASED:
            raise
        await BlobLeaseClient(blob).break_lease(lease_break_period=0)
        await blob.delete_blob(delete_snapshots="include")
    return True


async def _delete_blocks(blob: BlobClient) -> None:
    with suppress(ResourceNotFoundError):
        _, waiting = await blob.get_block_list("uncommitted")
        if waiting:
            await drop_blocks(blob)


def error_code(exc: HttpResponseError) -> str:
    """Return the name that Azure gives to an error."""
    code = getattr(exc, "error_code", None)
    # An enumeration of strings has not their hashes.
    return str(getattr(code, "value", code))


@contextmanager
def azure_errors(path: str | None = None) -> Iterator[None]:
    """
    Turn exceptions of Azure's client in a block into the errors of the storage port.

    Args:
        path: The path of the object whose absence becomes ObjectNotFoundError; None if
            an absence means that the storage is unavailable.
    """
    with foreign_errors(path):
        try:
            yield
        except ResourceNotFoundError as exc:
            # A container that is missing says nothing of its objects.
            if error_code(exc) in _ABSENT:
                raise FileNotFoundError(path) from exc
            raise
        except HttpResponseError as exc:
            if error_code(exc) in _UNREADABLE:
                raise UnreadableObjectError("Nobody can read the object.") from exc
            raise


def _info(path: str, found: BlobProperties) -> ObjectInfo:
    type_ = found.content_settings.content_type
    if not found.etag or found.last_modified is None:
        # Such as of a page of a proxy.
        raise UnavailableError("The storage does not say what an object is.")
    return ObjectInfo(
        path=path,
        size_bytes=found.size,
        modified_at=found.last_modified,
        content_type=None if type_ == _NO_TYPE else type_,
        # Lists give it without quotes.
        tag=str(found.etag).strip('"'),
    )


def _is_folder(found: BlobProperties) -> bool:
    named = {name.lower(): value for name, value in (found.metadata or {}).items()}
    return named.get("hdi_isfolder") == "true"
