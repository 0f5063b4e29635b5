"""
Read JSON request bodies strictly, because they come from unknown clients.

Stricter than ``json``, which takes NaN, repeated members, lone surrogates
and nesting until the stack ends (RFC 8259, sections 4, 6, 8.1 and 8.2).
"""

import json
import math
import re
from typing import Final, NoReturn

import falcon

from hvcore.domain.limits import MAX_JSON_BODY_BYTES, MAX_JSON_DEPTH
from hvcore.errors import FieldError, InvalidParametersError
from hvcore_web.bodies import read_body
from hvcore_web.errors import UnsupportedMediaTypeError

MAX_DIGITS: Final = 256
"""The most digits of one number in JSON; Python refuses to convert some thousands."""

_JSON_TYPE = re.compile(r"application/(?:[\w.!#$&^-]+\+)?json", re.ASCII)
# A string that never ends is matched as well, or the search would start again
# at each of its quotes and take quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(req: falcon.Request) -> object:
    """
    Return the JSON value of a request's body; None if the request has no body.

    A body without ``Content-Type`` is taken for JSON.

    Raises:
        UnsupportedMediaTypeError: ``Content-Type`` names something other than JSON.
        PayloadTooLargeError: The body is longer than ``MAX_JSON_BODY_BYTES``.
        InvalidParametersError: The body is not strict JSON, as ``parse_json`` accepts it.
    """
    data = read_body(req, max_bytes=MAX_JSON_BODY_BYTES)
    if not data:
        return None
    _check_type(req.content_type)
    return parse_json(data)


def parse_json(data: bytes) -> object:
    """
    Return the value of a JSON text in UTF-8.

    Raises:
        InvalidParametersError: The text is not strict JSON, is nested deeper than
            MAX_JSON_DEPTH, or is not well-formed Unicode.
    """
    if _is_too_deep(data):
        _refuse(f"it is nested deeper than {MAX_JSON_DEPTH} levels")
    try:
        text = data.decode("utf-8")
        value: object = _DECODER.decode(text)
    except UnicodeDecodeError:
        _refuse("it is not UTF-8")
    except ValueError as exc:
        _refuse(exc.msg if isinstance(exc, json.JSONDecodeError) else str(exc))
    # \ud800 is written in ASCII, so decoding does not find it.
    if "\\u" in text and _has_surrogate(value):
        _refuse("it has a lone surrogate")
    return value


def _check_type(content_type: str | None) -> None:
    if not content_type:
        return
    media_type, options = falcon.parse_header(content_type)
    charset = options.get("charset", "utf-8").lower()
    is_json = _JSON_TYPE.fullmatch(media_type.strip().lower()) is not None
    if not is_json or charset not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaTypeError


def _is_too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= MAX_JSON_DEPTH:
        return False
    depth = 0
    # Only brackets are looked at one by one: of 64 KB of "[]" or of quotes, a match in
    # Python for each would take 25 ms, for which all other requests wait.
    for bracket in _STRING.sub(b"", data).translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_JSON_DEPTH:
            return True
    return False


def _has_surrogate(value: object) -> bool:
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, list):
        return any(_has_surrogate(member) for member in value)
    if isinstance(value, dict):
        return any(_has_surrogate(part) for item in value.items() for part in item)
    return False


def _refuse(reason: str) -> NoReturn:
    message = f"The body must be JSON: {reason}."
    raise InvalidParametersError(
        message, errors=[FieldError(message=message, location="body")]
    )


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) != len(members):
        msg = "an object has a member twice"
        raise ValueError(msg)
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        msg = f"a number has more than {MAX_DIGITS} digits"
        raise ValueError(msg)
    return int(digits)


def _number(text: str) -> float:
    number = float(text)
    if len(text) > MAX_DIGITS or not math.isfinite(number):
        msg = "a number is too large"
        raise ValueError(msg)
    return number


def _constant(name: str) -> NoReturn:
    msg = f"{name} is not a number of JSON"
    raise ValueError(msg)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)
