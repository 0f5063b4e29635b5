"""Read bytes from S3; a read may take long as long as some bytes come."""

import asyncio
from typing import Any, Final

import attrs
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
    Return the bytes ``[start, end)`` of an object; if the connection breaks, go on with a new one.

    Args:
        tag: The entity tag that the object must have; None for any.

    Raises:
        FileNotFoundError: The object is absent, or was replaced by one with another
            tag.
        WrongRangeError: The answer has other bytes than were asked for.
    """
    wanted = _Range(fs, full, start, end, tag)
    time_s = asyncio.get_running_loop().time
    answers_by_s = time_s() + ANSWER_S
    for left in reversed(range(READ_ATTEMPTS)):
        received = bytearray()
        try:
            await wanted.read_once(received, answers_by_s)
        except BROKEN as exc:
            # A store that is silent was waited for as long as anybody waits.
            if isinstance(exc, TimeoutError) or not left:
                raise
            # Attempts that bring nothing are one wait together.
            if received:
                answers_by_s = time_s() + ANSWER_S
        else:
            return bytes(received)
    raise AssertionError


@attrs.frozen
class _Range:
    """The bytes ``[start, end)`` of an object with a tag, as in read_range."""

    fs: Any
    full: str
    start: int
    end: int
    tag: str | None

    async def read_once(self, received: bytearray, answers_by_s: float) -> None:
        """
        Ask once, and append what comes.

        Args:
            answers_by_s: The time of the loop by which an answer has begun.
        """
        bucket, _, key = self.full.partition("/")
        async with asyncio.timeout_at(answers_by_s):
            answer = await self.fs._call_s3(  # noqa: SLF001 - see fsspec.asyn
                "get_object",
                Bucket=bucket,
                Key=key,
                Range=f"bytes={self.start}-{self.end - 1}",
            )
        # Several requests read one object: a part of its successor would make a mixture.
        # Looked at here, as not every store heeds If-Match.
        if self.tag is not None and answer.get("ETag", self.tag) != self.tag:
            answer["Body"].close()
            raise FileNotFoundError(self.full)
        async with answer["Body"] as body:
            if answer.get("ContentRange") is None:
                check_some(answer.get("ContentLength", 1))
            # Before the rest: the whole object may be more than fits in memory.
            promised = promised_bytes(answer.get("ContentRange"), self.start, self.end)
            while len(received) <= promised:
                async with asyncio.timeout(ANSWER_S):
                    chunk = await body.read(CHUNK_BYTES)
                if not chunk:
                    break
                received += chunk
        check_received(len(received), promised)
