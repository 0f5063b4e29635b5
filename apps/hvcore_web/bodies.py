"""Read a request's body, within a limit."""

from collections.abc import Collection
from io import BytesIO
from typing import BinaryIO

import falcon

from hvcore.errors import FieldError, InvalidParametersError, PayloadTooLargeError
from hvcore_web.errors import UnsupportedMediaTypeError

_CHUNK_BYTES = 64 * 1024


def read_body(req: falcon.Request, *, max_bytes: int) -> bytes:
    """
    Read and return the whole body of a request; empty bytes if the request has no body.

    The body is read once and remembered, so middleware and resource may both ask for it.
    A chunked body has no ``Content-Length``. It is read only where the server itself ends
    the input (``wsgi.input_terminated``), as gunicorn does.

    Raises:
        PayloadTooLargeError: The body is longer than max_bytes.
        InvalidParametersError: The body ends before its ``Content-Length``, comes too
            slowly, or its chunks are malformed.
    """
    data: bytes | None = getattr(req.context, "body", None)
    if data is None:
        data = req.context.body = _read_once(req, max_bytes)
    if len(data) > max_bytes:
        raise _too_large(max_bytes)
    return data


def text_type(req: falcon.Request, accepted: Collection[str]) -> str | None:
    """
    Return the media type of a request's text body, or None if the request names no type.

    Raises:
        UnsupportedMediaTypeError: The type is not one of those accepted, or its
            charset is not UTF-8.
    """
    if not req.content_type:
        return None
    media_type, options = falcon.parse_header(req.content_type)
    media_type = media_type.strip().lower()
    charset = options.get("charset", "utf-8").lower()
    if media_type not in accepted or charset not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaTypeError(
            f"Send {' or '.join(accepted)}, in UTF-8 if a charset is named."
        )
    return media_type


def allow_time(req: falcon.Request, within_s: float) -> None:
    """
    Give the body of this request ``within_s`` seconds to arrive, more than most bodies have.

    Only the embedded server limits that time; with another server this does nothing.
    """
    read_within = getattr(req.env.get("gunicorn.socket"), "read_within", None)
    if read_within is not None:
        read_within(within_s)


def _read_once(req: falcon.Request, max_bytes: int) -> bytes:
    length = req.content_length
    if length is None and not req.env.get("wsgi.input_terminated"):
        return b""
    if length is not None and length > max_bytes:
        raise _too_large(max_bytes)
    wanted = max_bytes + 1 if length is None else length
    data = _read(req.env["wsgi.input"], wanted)
    if len(data) > max_bytes:
        raise _too_large(max_bytes)
    if length is not None and len(data) < length:
        raise _broken("The body ends before its Content-Length.")
    return data


def _read(stream: BinaryIO, wanted: int) -> bytes:
    # Its value is no second copy, as that of a bytearray is.
    data = BytesIO()
    while data.tell() < wanted:
        try:
            chunk = stream.read(min(_CHUNK_BYTES, wanted - data.tell()))
        except OSError as exc:
            # The server's own errors of a broken body are OSErrors as well.
            raise _broken("The body did not arrive completely.") from exc
        if not chunk:
            break
        data.write(chunk)
    return data.getvalue()


def _broken(message: str) -> InvalidParametersError:
    return InvalidParametersError(
        message, errors=[FieldError(message=message, location="body")]
    )


def _too_large(max_bytes: int) -> PayloadTooLargeError:
    return PayloadTooLargeError(f"The body must be at most {max_bytes} bytes.")
