"""
Remove objects from S3, and check each answer for objects that could not be removed.

The method ``rm`` of s3fs takes every answer with the status 200 for a success, even if
its body lists errors.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import ClientError
from s3fs.errors import translate_boto_error

from hvcore.plugin_api import UnavailableError
from hvcore_storage_fsspec.store_errors import store_answer

AT_ONCE: Final = 16
"""The number of requests that run at a time, each of which removes one object."""

_ABSENT: Final = frozenset({"NoSuchKey"})
# Of stores that have no bulk deletes, or want a Content-MD5, which the client sends no
# more.
_NO_BULK: Final = frozenset(
    {
        *("NotImplemented", "MethodNotAllowed", "501", "405"),
        *("InvalidRequest", "InvalidArgument", "InvalidDigest", "BadDigest"),
        *("MissingContentMD5", "XAmzContentChecksumMismatch"),
    }
)


async def remove_at_once(
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    bucket: str,
    keys: Sequence[str],
) -> None:
    """
    Remove up to a thousand objects by one request.

    Raises:
        OSError: The store has refused the request, or has not removed some of the
            objects.
        UnavailableError: The answer does not confirm the removal of each object.
    """
    # Not quiet: of an answer that says nothing, such as a page of a proxy, nothing is gone.
    named = {"Objects": [{"Key": key} for key in keys], "Quiet": False}
    answer = await fs._call_s3("delete_objects", Bucket=bucket, Delete=named)  # noqa: SLF001 - see fsspec.asyn
    for failed in answer.get("Errors", ()):
        if failed.get("Code") not in _ABSENT:
            raise translate_boto_error(ClientError({"Error": failed}, "DeleteObjects"))
    told = {*_named(answer, "Deleted"), *_named(answer, "Errors")}
    if not told.issuperset(keys):
        raise UnavailableError("The storage does not say that it has removed objects.")


async def remove_each(
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    bucket: str,
    keys: Sequence[str],
) -> None:
    """
    Remove objects by one request each; a refused request does not stop the others.

    Raises:
        OSError: The store has not removed some of the objects.
    """
    slots = asyncio.Semaphore(AT_ONCE)

    async def remove(key: str) -> None:
        async with slots:
            await fs._call_s3("delete_object", Bucket=bucket, Key=key)  # noqa: SLF001 - see fsspec.asyn

    done = await asyncio.gather(*map(remove, keys), return_exceptions=True)
    for failed in done:
        if failed is not None and store_answer(failed)[0] not in _ABSENT:
            raise failed


def _named(answer: Mapping[str, Any], outcome: str) -> Iterator[str]:
    return (str(one.get("Key")) for one in answer.get(outcome, ()))


def has_no_bulk(error: Exception) -> bool:
    """Return whether a store has refused the bulk request as such, and not single objects."""
    return store_answer(error)[0] in _NO_BULK
