"""
The two shapes of every JSON answer: success and problem.

Source: the interface document, "Conventions" and "Errors"; RFC 9457 for the media type and
for ``code``, an extension member.
"""

import json
import math
from collections.abc import Mapping
from typing import Final

import orjson

from hvcore.errors import MAX_ECHOED_CHARS, FieldError, HvError

SUCCESS_TYPE: Final = "application/json"
PROBLEM_TYPE: Final = "application/problem+json"

_MAX_INT64 = 2**63
_INTERNAL_ERROR = 500
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def success(payload: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON document of a successful answer with a payload."""
    return {"body": dict(payload)}


def problem(error: HvError, request_id: str) -> dict[str, object]:
    """
    Return the JSON document of an error, the documented envelope.

    Args:
        error: The error for the caller.
        request_id: The request's id, named in the detail of a 500, so that it can be
            found in the log.
    """
    detail = error.detail
    if error.http_status == _INTERNAL_ERROR:
        detail = f"{detail} Request id: {request_id}"
    return {
        "title": error.title,
        "status": error.http_status,
        "code": error.code,
        "detail": detail,
        "errors": [_render(item) for item in error.errors],
    }


def refusal(error: HvError, request_id: str) -> dict[str, object]:
    """
    Return the JSON document of a playback error, with the id of the request by which ``hv explain`` finds the reason.

    Args:
        error: The error for the viewer.
        request_id: The id that the operator passes to ``hv explain``.
    """
    return {**problem(error, request_id), "requestId": request_id}


def encode(document: Mapping[str, object]) -> bytes:
    """Return a document as JSON bytes in UTF-8; lone surrogates become ``?``."""
    try:
        # 3 us for a page of a list, and 48 with json.
        return orjson.dumps(document)
    except orjson.JSONEncodeError:
        # It takes no lone surrogates, and no numbers beyond 64 bits.
        return _ENCODER.encode(document).encode("utf-8", "replace")


def _render(item: FieldError) -> dict[str, object]:
    return {
        "message": item.message,
        "location": item.location,
        "value": _echo(item.value),
    }


def _echo(value: object) -> object:
    plain = _plain(value)
    if isinstance(plain, list | dict):
        text = json.dumps(plain, ensure_ascii=False)
        return plain if len(text) <= MAX_ECHOED_CHARS else text[:MAX_ECHOED_CHARS]
    return plain


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, int) and -_MAX_INT64 <= value < _MAX_INT64:
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return str(value)[:MAX_ECHOED_CHARS]
