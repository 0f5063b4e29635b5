"""Store objects in S3 or a compatible store, and let other programs upload bytes themselves."""

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from hvcore.plugin_api import (
    ObjectInfo,
    ObjectNotFoundError,
    PartedWrite,
    UnavailableError,
    UploadedPart,
    WriteAddress,
)
from hvcore_storage_fsspec.paths import check_prefix
from hvcore_storage_fsspec.remote import RemoteStorage, info_of
from hvcore_storage_fsspec.s3_deletes import has_no_bulk, remove_at_once, remove_each
from hvcore_storage_fsspec.s3_reading import read_range
from hvcore_storage_fsspec.s3_session import LastingSession
from hvcore_storage_fsspec.store_errors import foreign_errors
from hvcore_storage_fsspec.time_limits import (
    ANSWER_S,
    JOIN_S,
    LIST_S,
    PAGE_S,
    PING_S,
    REMOVE_S,
    run_within,
    send_limit_s,
)

_log = logging.getLogger(__name__)

SIGNATURE_VERSION: Final = "s3v4"
"""botocore signs addresses with version 2 where it can, which binds no length and
which newer stores refuse."""
MOST_PARTS: Final = 10_000
"""The most parts of one object at S3."""
PART_BYTES: Final = 5 * 1024 * 1024
"""The size of a part: the least that S3 takes. The client's own choice is 50 MiB."""
SENT_AT_ONCE: Final = 2
"""The number of parts in memory at a time, each of them twice. The client's own choice is 10."""
RETRIES: Final = {"mode": "standard", "total_max_attempts": 3}
"""botocore's own choice tries five times with pauses of up to 15 s in all, which no request
of a player or a page can wait. This one takes up to 3 s."""

CONNECTIONS: Final = 64
"""The most connections at a time. With the client's own ten, threads would wait for each other."""
_IN_LISTS: Final = frozenset(
    {*("IsTruncated", "KeyCount", "Name"), "Bucket", "Key", "UploadId"}
)
"""Of which every list of objects, of parts and of uploads has at least one."""
CLIENT_ATTEMPTS: Final = 1
"""The tries of s3fs around those of botocore; its own choice is five, after each silence."""


class S3Storage(RemoteStorage):
    """
    A storage in an S3 bucket that can let other programs upload objects.

    It also implements SupportsPresignedWrite and SupportsPartedWrite.
    """

    def __init__(self, url: str, *, args: Mapping[str, object], work_dir: Path) -> None:
        config = args.get("config_kwargs", {})
        self._is_anonymous = bool(args.get("anon"))
        if not self._is_anonymous and isinstance(config, Mapping):
            config = {
                "signature_version": SIGNATURE_VERSION,
                "retries": RETRIES,
                "max_pool_connections": CONNECTIONS,
                **config,
            }
            # Version 4 signs for a region. Where neither it nor an endpoint is set,
            # the bucket is asked.
            args = {"cache_regions": True, **args, "config_kwargs": config}
        self._is_denial_known = False
        self._takes_bulk = True
        super().__init__(url, args=args, work_dir=work_dir)
        self._fs.retries = CLIENT_ATTEMPTS
        self._fs.session = LastingSession(**self._fs.kwargs)

    @property
    def can_presign_writes(self) -> bool:
        """Return whether the storage has a key with which it can sign write addresses."""
        return not self._is_anonymous

    @property
    def can_presign_parts(self) -> bool:
        """Return whether the storage has a key with which it can sign part addresses."""
        return not self._is_anonymous

    def write_address(
        self,
        path: str,
        *,
        content_type: str | None,
        size_bytes: int | None,
        valid_s: int,
    ) -> WriteAddress:
        """Return a signed address for one PUT of an object."""
        bound: dict[str, object] = {}
        if content_type is not None:
            bound["ContentType"] = content_type
        if size_bytes is not None:
            bound["ContentLength"] = size_bytes
        return self._sign(path, valid_s, "put_object", **bound)

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """Return a signed address for GETs of an object, valid for ``valid_s`` seconds."""
        with foreign_errors():
            return str(self._ask("url", self._full(path), expires=valid_s))

    def walk(self, prefix: str) -> Iterator[ObjectInfo]:
        """
        Yield every object under a prefix, one page of the list at a time.

        The method ``find`` of s3fs would hold the whole list in memory, which is too
        much for a million videos.
        """
        name = check_prefix(prefix)
        bucket, key = self._place(name)
        above = key.removesuffix(name)
        token: str | None = None
        while True:
            with foreign_errors():
                page = self._ask(
                    "call_s3",
                    "list_objects_v2",
                    limit_s=PAGE_S,
                    Bucket=bucket,
                    Prefix=key,
                    **({} if token is None else {"ContinuationToken": token}),
                    **self._fs.req_kw,
                )
                _check_list(page)
                objects = [
                    info_of(
                        str(found["Key"]).removeprefix(above),
                        {**found, "size": found["Size"]},
                    )
                    for found in page.get("Contents", ())
                ]
                former = token
                token = (
                    page["NextContinuationToken"] if page.get("IsTruncated") else None
                )
            for info in objects:
                is_below = info.path == name or info.path.startswith(f"{name}/")
                # Consoles make objects that stand for folders.
                if is_below and not info.path.endswith("/"):
                    yield info
            if token is None:
                return
            if token == former:
                raise UnavailableError(
                    "The storage gives the same list without an end."
                )

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        """Copy an object within the store, whole or not at all."""
        before = self.stat(source)
        try:
            with self._answers(source):
                self._ask(
                    "cp_file",
                    self._full(source),
                    self._full(target),
                    limit_s=JOIN_S,
                    ContentType=content_type,
                    # Else a small copy keeps the type of its source.
                    MetadataDirective="REPLACE",
                )
        except BaseException:
            # The object at the target is as it was, or the whole copy: parts are none.
            self._end_open_parts(target)
            raise
        copied = self._stored(target)
        # Parts may be of two objects, one of which was sent meanwhile.
        try:
            is_same = self.stat(source) == before
        except ObjectNotFoundError:
            self.delete_tree(target)
            raise
        if not is_same or copied.size_bytes != before.size_bytes:
            self.delete_tree(target)
            raise UnavailableError("The object changed while it was copied.")
        return copied

    def begin_parts(self, path: str, *, content_type: str) -> PartedWrite:
        """Begin a multipart upload of an object."""
        with foreign_errors():
            begun = self._call(
                "create_multipart_upload", path, ContentType=content_type
            )
            upload_id = str(begun["UploadId"])
        return PartedWrite(path=path, id=upload_id, begun_at=datetime.now(UTC))

    def part_address(
        self, begun: PartedWrite, number: int, *, size_bytes: int, valid_s: int
    ) -> WriteAddress:
        """Return a signed address for one PUT of a part of an object."""
        return self._sign(
            begun.path,
            valid_s,
            "upload_part",
            UploadId=begun.id,
            PartNumber=number,
            ContentLength=size_bytes,
        )

    def uploaded_parts(self, begun: PartedWrite) -> Sequence[UploadedPart]:
        """Return the parts of a multipart upload that have arrived, sorted by number."""
        found: list[UploadedPart] = []
        is_last = False
        while not is_last:
            after = found[-1].number if found else 0
            with self._answers(begun.path):
                page = self._call(
                    "list_parts",
                    begun.path,
                    UploadId=begun.id,
                    PartNumberMarker=after,
                )
                _check_list(page)
                parts = [_part(part) for part in page.get("Parts", ())]
            is_last = not page.get("IsTruncated")
            if any(part.number <= after for part in parts) or not (parts or is_last):
                raise UnavailableError("The storage gives no end of the parts.")
            found += parts
        return found

    def join_parts(self, begun: PartedWrite, parts: Sequence[UploadedPart]) -> None:
        """Complete a multipart upload: make the object of its parts."""
        named = [{"PartNumber": part.number, "ETag": part.tag} for part in parts]
        with self._answers(begun.path):
            self._call(
                "complete_multipart_upload",
                begun.path,
                UploadId=begun.id,
                limit_s=JOIN_S,
                MultipartUpload={"Parts": named},
            )

    def end_parts(self, begun: PartedWrite) -> None:
        """Abort a multipart upload and discard its parts; do nothing if it does not exist."""
        with suppress(ObjectNotFoundError), self._answers(begun.path):
            self._call("abort_multipart_upload", begun.path, UploadId=begun.id)

    def parted_writes(self, path: str) -> Iterator[PartedWrite]:
        """
        Yield the multipart uploads to a path that were neither completed nor aborted.

        Yields nothing, and logs a warning, if the access key may not list uploads.
        """
        bucket, key = self._place(path)
        try:
            with foreign_errors():
                # Some stores find nothing unless the prefix is the whole key.
                page = self._ask(
                    "call_s3", "list_multipart_uploads", Bucket=bucket, Prefix=key
                )
                _check_list(page)
                begun = [
                    PartedWrite(
                        path=path,
                        id=str(upload["UploadId"]),
                        begun_at=upload["Initiated"],
                    )
                    for upload in page.get("Uploads", ())
                    if upload["Key"] == key
                ]
        except UnavailableError as exc:
            if not _is_denied(exc.__cause__):
                raise
            self._warn_of_denial()
            return
        yield from begun

    def _ask_for_bucket(self) -> None:
        bucket = self._root.partition("/")[0]
        self._ask("call_s3", "head_bucket", limit_s=PING_S, Bucket=bucket)

    def _delete(self, paths: list[str]) -> None:
        bucket, keys = (
            self._root.partition("/")[0],
            [p.partition("/")[2] for p in paths],
        )
        with foreign_errors():
            if self._takes_bulk:
                try:
                    self._remove(remove_at_once, bucket, keys)
                except OSError as exc:
                    if not has_no_bulk(exc):
                        raise
                else:
                    return
            self._remove(remove_each, bucket, keys)
            self._takes_bulk = False

    def _remove(
        self, remove: Callable[..., Any], bucket: str, keys: Sequence[str]
    ) -> None:
        run_within(REMOVE_S, self._fs, partial(remove, self._fs, bucket, keys))

    def _send(self, local: Path, target: str, content_type: str) -> None:
        size = local.stat().st_size
        needed = math.ceil(size / MOST_PARTS)
        self._ask(
            "put_file",
            str(local),
            target,
            limit_s=send_limit_s(size),
            chunksize=max(PART_BYTES, needed),
            max_concurrency=SENT_AT_ONCE,
            **self._stored_as(content_type),
        )

    def _end_open_parts(self, target: str) -> None:
        # Parts without an object are paid for and never seen.
        with suppress(UnavailableError):
            for begun in self.parted_writes(target):
                self.end_parts(begun)

    def _warn_of_denial(self) -> None:
        if self._is_denial_known:
            return
        self._is_denial_known = True
        _log.warning(
            "the key may not list multipart uploads; give it the right "
            "s3:ListBucketMultipartUploads, or have the store end unfinished ones"
        )

    def _sign(
        self, path: str, valid_s: int, method: str, **bound: object
    ) -> WriteAddress:
        with foreign_errors():
            url = str(
                # Not sign, which waits without a limit where a region is asked for.
                self._ask(
                    "url",
                    self._full(path),
                    limit_s=ANSWER_S,
                    expires=valid_s,
                    client_method=method,
                    **bound,
                )
            )
        # Read from the address itself: a signature of version 2 binds other things.
        query = parse_qs(urlsplit(url).query)
        signed = set(query.get("X-Amz-SignedHeaders", [""])[0].split(";"))
        return WriteAddress(
            url=url,
            binds_type="content-type" in signed,
            binds_size="content-length" in signed,
        )

    def _call(
        self, method: str, path: str, *, limit_s: float = ANSWER_S, **fields: object
    ) -> Any:  # noqa: ANN401 - botocore has no types
        bucket, key = self._place(path)
        return self._ask(
            "call_s3", method, limit_s=limit_s, Bucket=bucket, Key=key, **fields
        )

    def _fetch(self, full: str, start: int, end: int, tag: str | None) -> bytes:
        # The bytes may take long; each of them, and their beginning, may not.
        reading = partial(read_range, self._fs, full, start, end, tag)
        data: bytes = run_within(LIST_S, self._fs, reading)
        return data

    def _place(self, path: str) -> tuple[str, str]:
        bucket, _, key = self._full(path).partition("/")
        return bucket, key


def _check_list(page: Mapping[str, Any]) -> None:
    if not _IN_LISTS & page.keys():
        # Such as a page of a proxy: no list is not an empty one.
        raise UnavailableError("The storage answers with no list.")


def _is_denied(error: BaseException | None) -> bool:
    # A signature or a clock that is wrong is no PermissionError for good.
    answer = getattr(getattr(error, "__cause__", None), "response", {})
    return bool(answer.get("Error", {}).get("Code") == "AccessDenied")


def _part(part: Mapping[str, Any]) -> UploadedPart:
    return UploadedPart(
        number=int(part["PartNumber"]),
        size_bytes=int(part["Size"]),
        tag=str(part["ETag"]),
    )
