"""Read bytes from S3; a read may take long as long as some bytes come."""

import asyncio
from typing import Any, Final

from s3fs.core import S3_RETRYABLE_ERRORS as BROKEN

from hvcore_storage_fsspec.ranges import check_received, check_some, promised_bytes
from hvcore_storage_fsspec.time_limits import ANSWER_S

READ_ATTEMPTS: Final = 3
CHUNK_BYTES: Final = 256 * 1024


async def read_range(
    fs: Any,  # noqa: ANN401 - fsspec ships no types
    full: str,
    start: int,
    end: int,
    tag: str | None,
) -> bytes:
    """
    Return the bytes ``[start, end)`` of an object; go on by a new connection if one breaks.

    Args:
        tag: The entity tag of the object whose bytes are wanted; None: of any.

    Raises:
        FileNotFoundError: The object with this tag was replaced.
        WrongRangeError: The answer has other bytes than were asked for.
    """
    for left in reversed(range(READ_ATTEMPTS)):
        try:
            return await _read_once(fs, full, start, end, tag)
        except BROKEN as exc:
            # A store that is silent was waited for as long as anybody waits.
            if isinstance(exc, TimeoutError) or not left:
                raise
    raise AssertionError


async def _read_once(
    fs: Any,  # noqa: ANN401 - see read_range
    full: str,
    start: int,
    end: int,
    tag: str | None,
) -> bytes:
    bucket, _, key = full.partition("/")
    async with asyncio.timeout(ANSWER_S):
        answer = await fs._call_s3(  # noqa: SLF001 - see fsspec.asyn
            "get_object", Bucket=bucket, Key=key, Range=f"bytes={start}-{end - 1}"
        )
    # Several requests read one object: a part of its successor would make a mixture.
    # Looked at here, as not every store heeds If-Match.
    if tag is not None and answer.get("ETag", tag) != tag:
        answer["Body"].close()
        raise FileNotFoundError(full)
    received = bytearray()
    async with answer["Body"] as body:
        if answer.get("ContentRange") is None:
            check_some(answer.get("ContentLength", 1))
        # Before the rest: the whole object may be more than fits in memory.
        promised = promised_bytes(answer.get("ContentRange"), start, end)
        while len(received) <= promised:
            async with asyncio.timeout(ANSWER_S):
                chunk = await body.read(CHUNK_BYTES)
            if not chunk:
                break
            received += chunk
    check_received(len(received), promised)
    return bytes(received)
