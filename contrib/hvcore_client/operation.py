"""The definitions of operations of the API, from which the requests of calls are made."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum, auto
from typing import Final, Generic, TypeVar
from urllib.parse import quote, urlencode
from uuid import uuid4

import attrs

from hvcore_client.coding import encode
from hvcore_client.options import ClientOptions
from hvcore_client.steps import Request
from hvcore_client.version import __version__

T = TypeVar("T")

IDEMPOTENCY_KEY: Final = "idempotency_key"
CONTENT: Final = "content"
CONTENT_TYPE: Final = "content_type"
ANY_TYPE: Final = "*/*"
"""The Accept header of an operation that is asked for another content type than JSON."""
_STARTS: Final = {
    b"WEBVTT": "text/vtt",
    b"\xef\xbb\xbfWEBVTT": "text/vtt",
    b"\x89PNG": "image/png",
}
_ANY_FILE: Final = "application/octet-stream"
USER_AGENT: Final = f"hvcore-client/{__version__}"
_NO_PARTS: Final = ("", ".", "..")
"""Arguments that cannot stand in a path, because they would change it."""
_REPEATABLE: Final = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})


class NotSent(Enum):
    """The type of the constant NOT_SENT, which marks an argument that is left out of the request."""

    NOT_SENT = auto()

    def __repr__(self) -> str:
        return self.name


NOT_SENT: Final = NotSent.NOT_SENT
"""The value of an argument that is left out of the request, where None is sent to remove a setting."""


@attrs.frozen(kw_only=True)
class Paging:
    """
    The way in which a client asks an operation for the next page of a list.

    Attributes:
        by_cursor: Whether pages are named by the argument ``after``; else by ``page``.
        items: The attribute of the answer that has the items.
    """

    by_cursor: bool
    items: str


@attrs.frozen(kw_only=True)
class Operation(Generic[T]):
    """
    An operation of the API: how the arguments of its method in the client become a request.

    Attributes:
        path: The path of the operation, with arguments in braces.
        answer: The type that is made from the answer's JSON; None if there is none.
        query: The names of query parameters, by the names of arguments.
        headers: The names of headers, by the names of arguments.
        fixed_headers: Headers that always have the same value.
        body: The names of members of the JSON body, by the names of arguments; None if
            the body is not JSON.
        content_types: The content types of a body that is not JSON; without an explicit
            type, its first bytes decide.
        sends_null: Whether None is sent as null, which removes a setting.
        is_enveloped: Whether the answer's JSON stands in ``body``.
    """

    method: str
    path: str
    answer: type[T] | None
    query: Mapping[str, str] = attrs.field(factory=dict)
    headers: Mapping[str, str] = attrs.field(factory=dict)
    fixed_headers: Mapping[str, str] = attrs.field(factory=dict)
    body: Mapping[str, str] | None = None
    content_types: tuple[str, ...] = ()
    needs_body: bool = False
    sends_null: bool = False
    is_enveloped: bool = True
    needs_key: bool = True
    takes_idempotency_key: bool = False
    paging: Paging | None = None

    def request(
        self, options: ClientOptions, arguments: Mapping[str, object]
    ) -> Request:
        """
        Return the HTTP request of a call of this operation with the given arguments.

        Raises:
            ValueError: There are two bodies, or an argument of the path is empty.
        """
        headers = {
            "User-Agent": USER_AGENT,
            "Accept": _accepted(arguments),
            **self.fixed_headers,
            **{
                name: _text(arguments[argument])
                for argument, name in self.headers.items()
                if arguments.get(argument) is not None
            },
        }
        if self.needs_key:
            headers["X-Api-Key"] = options.required_key()
        if self.takes_idempotency_key:
            key = arguments.get(IDEMPOTENCY_KEY) or uuid4()
            headers["Idempotency-Key"] = str(key)
        content = self._content(arguments, headers)
        return Request(
            method=self.method,
            url=f"{options.api_url}{self._target(arguments)}",
            headers=headers,
            content=content,
            may_repeat=self.takes_idempotency_key or self.method in _REPEATABLE,
        )

    def _target(self, arguments: Mapping[str, object]) -> str:
        path = self.path
        for name, value in arguments.items():
            if f"{{{name}}}" in path:
                if value in _NO_PARTS:
                    raise ValueError(f"{name} is {value!r}, which names nothing.")
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        query = [
            (name, _text(value))
            for argument, name in self.query.items()
            for value in _values(arguments.get(argument))
        ]
        return f"{path}?{urlencode(query)}" if query else path

    def _content(
        self, arguments: Mapping[str, object], headers: dict[str, str]
    ) -> bytes | None:
        content = arguments.get(CONTENT) if self.content_types else None
        fields = self._fields(arguments)
        if content is not None:
            if fields:
                raise ValueError(f"Either {' or '.join(fields)} or content, not both.")
            sent = content.encode() if isinstance(content, str) else bytes(content)  # type: ignore[call-overload]  # the method says str | bytes
            content_type = arguments.get(CONTENT_TYPE) or self._type_of(sent)
            headers["Content-Type"] = str(content_type)
            return sent
        if self.body is None or not (fields or self.needs_body):
            return None
        headers["Content-Type"] = "application/json"
        return json.dumps(fields).encode()

    def _type_of(self, content: bytes) -> str:
        """Return the content type of a body by its first bytes."""
        first, *others = self.content_types
        for start, kind in _STARTS.items():
            if content.startswith(start) and kind in self.content_types:
                return kind
        return _ANY_FILE if _ANY_FILE in others else first

    def _fields(self, arguments: Mapping[str, object]) -> dict[str, object]:
        left_out = NOT_SENT if self.sends_null else None
        return {
            name: encode(arguments[argument])
            for argument, name in (self.body or {}).items()
            if arguments.get(argument, left_out) is not left_out
        }


def _accepted(arguments: Mapping[str, object]) -> str:
    is_text = arguments.get("format") not in {None, "json"}
    return ANY_TYPE if is_text else "application/json, application/problem+json"


def _values(value: object) -> Sequence[object]:
    """Return the values of an argument of a query; each is sent as one parameter."""
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    return (value,)


def _text(value: object) -> str:
    """Return a value as text for queries and headers."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return str(encode(value))
    return str(value)
