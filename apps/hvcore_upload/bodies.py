"""Read the body of an upload request, block by block."""

from collections.abc import Iterator
from mmap import PAGESIZE, mmap
from typing import Any, Final

import falcon

from hvcore.errors import InvalidFileSizeError

BLOCK_BYTES: Final = 64 * 1024
"""The bytes that are read of a body at a time: other servers read until they have them all,
and the pace is judged only in between."""
LARGE_BLOCK_BYTES: Final = 1024 * 1024
"""The bytes that are read at a time from hvcore's own server, which gives the bytes that have
arrived."""
LOOK_EVERY_S: Final = 1.0


class CutOffError(InvalidFileSizeError):
    """The body of an upload ended too early, or came too slowly."""


def blocks(
    req: falcon.Request, length: int | None, *, at: int = 0
) -> Iterator[bytes | memoryview]:
    """
    Yield the blocks of a request's body as they arrive.

    A block is valid until the next one is requested. An empty block says that no byte
    came for a second.

    Args:
        length: The body's ``Content-Length``; None if the body is chunked.
        at: The offset in the file at which the body begins.

    Raises:
        CutOffError: The sender closed the connection. With a length, the blocks may also
            just end.
    """
    # Falcon's own streams read a chunked body as empty. A server that ends
    # its input itself, as gunicorn does, says so.
    if length is None and not req.env.get("wsgi.input_terminated"):
        return
    stream = req.env["wsgi.input"]
    is_ours = length is not None and hasattr(stream, "receive_into")
    read = _received(stream, at) if is_ours else _read(stream, length)
    try:
        yield from read
    except OSError as exc:
        # The sender went away or was too slow: the server's own errors of
        # a broken body are OSErrors as well.
        raise cut_off(None, length) from exc


def cut_off(received: int | None, length: int | None) -> CutOffError:
    """
    Return the error to raise for a body that ended too early.

    Args:
        received: The number of received bytes; None if it is not known.
        length: The announced number of bytes; None if the client announced none.
    """
    some = "fewer" if received is None else str(received)
    announced = "the whole body" if length is None else f"{length} bytes"
    return CutOffError(
        f"The upload ended after {some} bytes instead of {announced}; send it again."
    )


def _received(stream: Any, at: int) -> Iterator[memoryview]:  # noqa: ANN401 - of hvcore_server
    memory = memoryview(mmap(-1, LARGE_BLOCK_BYTES))
    while True:
        # As far behind the beginning of a page as the block will be in the file:
        # else an AMD EPYC takes two to three times as long to copy it there.
        block = memory[at % PAGESIZE :]
        size = stream.receive_into(block, within_s=LOOK_EVERY_S)
        if size == 0:
            return
        yield block[: size or 0]
        at += size or 0


def _read(stream: Any, length: int | None) -> Iterator[bytes]:  # noqa: ANN401 - WSGI's own
    left = length
    while left is None or left > 0:
        block = stream.read(BLOCK_BYTES if left is None else min(BLOCK_BYTES, left))
        if not block:
            return
        left = None if left is None else left - len(block)
        yield block
