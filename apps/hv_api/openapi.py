"""
The OpenAPI document of the API, made of the route table.

Source: OpenAPI 3.1.1. Served bare at ``/v1/openapi.json``; ``/docs`` and
``hv openapi`` show the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from itertools import count
from typing import Final

from hv_api.routing import Route
from hv_web.errors import UnsupportedMediaTypeError
from hvcore import __version__
from hvcore.envelope import PROBLEM_TYPE, SUCCESS_TYPE
from hvcore.errors import (
    ConflictError,
    ForbiddenError,
    HvError,
    InternalError,
    InvalidParametersError,
    NotFoundError,
    PayloadTooLargeError,
    RateLimitExceededError,
    UnauthorizedError,
    UnavailableError,
)
from hvcore.ports.auth import CredentialScheme, HeaderScheme
from hvcore.services.access.idempotency import NOT_REPEATED
from hvcore.wire.answer_schemas import CHOSEN_ID
from hvcore.wire.converter import fields_of
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE
from hvcore.wire.request_schemas import body_schema, query_parameters
from hvcore.wire.schema import (
    COUNT,
    INTEGER,
    STRING,
    Schema,
    array,
    identifier,
    nullable,
    record,
)
from hvcore.wire.videos.captions import LANGUAGE

Document = dict[str, object]

IDEMPOTENCY_KEY: Final = "Idempotency-Key"

_ABOUT: Final = """\
Every success is `{"body": …}`. Every error is `application/problem+json` with a \
`code`; all problems of one request are listed in its `errors`. Members and query \
parameters that are not known are ignored, and `null` is the same as absent.

Addresses below `/v1/api/{orgID}` name the organization. The others take \
organization and environment from the key."""

_VIDEO_ID: Final[Schema] = {
    "type": "string",
    "pattern": "^(?:pub)?vid_[0-9A-Za-z]{22}$",
}
_PATH_PARAMETERS: Final[Mapping[str, tuple[Schema, str]]] = {
    "orgID": (CHOSEN_ID, "The organization."),
    "envID": (CHOSEN_ID, "The environment: its identifier or its short name."),
    "publicID": (_VIDEO_ID, "The video."),
    "videoID": (_VIDEO_ID, "The video."),
    "assetId": (_VIDEO_ID, "The video."),
    "shareID": (identifier("shr_"), "The share link."),
    "edgeKey": (identifier("ek_"), "The edge key."),
    "language": (LANGUAGE, "A language tag, such as `en` or `pt-BR`."),
}
_HEADERS: Final[Mapping[str, tuple[Schema, str]]] = {
    "X-Request-Id": (STRING, "The request's own `X-Request-Id`, or a new one."),
    "X-RateLimit-Limit": (COUNT, "Requests of the limit that is reached first."),
    "X-RateLimit-Remaining": (COUNT, "Requests that it still lets through."),
    "X-RateLimit-Reset": (
        COUNT,
        "Unix seconds: when the next request is allowed, or the oldest is forgotten.",
    ),
    "Retry-After": (COUNT, "Seconds to wait before the next try."),
    "Idempotency-Replayed": (
        {"type": "string", "const": "true"},
        "The answer was given before, to the same request.",
    ),
}
_LIMIT_HEADERS: Final = tuple(n for n in _HEADERS if n.startswith("X-RateLimit-"))
_WAITING: Final = {
    UnavailableError.status: ("Retry-After",),
    RateLimitExceededError.status: ("Retry-After",),
}

PROBLEM: Final[Schema] = {
    # Open: RFC 9457 lets a problem have further members.
    "type": "object",
    "properties": {
        "title": STRING,
        "status": INTEGER,
        "code": STRING,
        "detail": STRING,
        "errors": array(record({"message": STRING, "location": STRING, "value": {}})),
    },
    "required": ["title", "status", "code", "detail", "errors"],
}


def make_document(
    groups: Mapping[str, Sequence[Route]],
    server_url: str,
    schemes: Sequence[CredentialScheme],
) -> Document:
    """
    Describe the routes of a service.

    Args:
        groups: The routes by the name of their group.
        server_url: Where callers reach it, without ``/v1``.
        schemes: How callers may send credentials; any of them will do.
    """
    security = _security_schemes(schemes)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Video hosting and delivery",
            "version": __version__,
            "description": _ABOUT,
        },
        "servers": [{"url": server_url}],
        "tags": [{"name": name} for name, routes in groups.items() if routes],
        "paths": _paths(groups, [{name: []} for name in security]),
        "components": {
            "securitySchemes": security,
            "headers": {
                name: {"description": about, "schema": schema}
                for name, (schema, about) in _HEADERS.items()
            },
            "schemas": {"Problem": PROBLEM},
        },
    }


def _security_schemes(schemes: Sequence[CredentialScheme]) -> Document:
    found: Document = {}
    for scheme in schemes:
        # Two plugins may have thought of the same name.
        name = scheme.name
        for number in count(2):
            if name not in found:
                break
            name = f"{scheme.name}-{number}"
        found[name] = _security_scheme(scheme)
    return found


def _security_scheme(scheme: CredentialScheme) -> Document:
    about = {"description": scheme.about} if scheme.about else {}
    if isinstance(scheme, HeaderScheme):
        return {"type": "apiKey", "in": "header", "name": scheme.header, **about}
    kind = {"bearerFormat": scheme.bearer_format} if scheme.bearer_format else {}
    return {"type": "http", "scheme": "bearer", **kind, **about}


def _paths(
    groups: Mapping[str, Sequence[Route]], security: Sequence[Document]
) -> Mapping[str, Document]:
    # The interface calls one parameter by several names, and OpenAPI takes
    # paths that differ in a name only for the same path.
    paths: dict[str, str] = {}
    items: dict[str, Document] = {}
    for group, routes in groups.items():
        for route in routes:
            path = paths.setdefault(route.template, route.path)
            item = items.setdefault(path, {"parameters": _path_parameters(path)})
            item[route.method.lower()] = _operation(group, route, security)
    return items


def _path_parameters(path: str) -> Sequence[Document]:
    names = re.findall(r"\{(\w+)\}", path)
    parameters: list[Document] = []
    for name in names:
        schema, about = _PATH_PARAMETERS.get(name, (STRING, ""))
        parameters.append(
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": schema,
                **({"description": about} if about else {}),
            }
        )
    return parameters


def _operation(group: str, route: Route, security: Sequence[Document]) -> Document:
    operation: Document = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "tags": [group],
        "security": [] if route.is_open else security,
        "parameters": [*_query(route), *_request_headers(route)],
        "responses": _responses(route),
    }
    content = _request_content(route)
    if content:
        operation["requestBody"] = {
            "required": not route.has_optional_body,
            "content": content,
        }
    return operation


def _operation_id(route: Route) -> str:
    """
    Return such as ``getApiVideosDetails``; the last parameter counts.
    """
    parts = route.path.removeprefix("/v1").strip("/").split("/")
    words = [part or "root" for part in parts if not part.startswith("{")]
    if parts[-1].startswith("{"):
        words.append(f"by-{parts[-1].strip('{}')}")
    text = "-".join(words).replace(".", "-")
    return route.method.lower() + "".join(
        word[:1].upper() + word[1:] for word in text.split("-")
    )


def _query(route: Route) -> Iterable[Schema]:
    return query_parameters(route.query) if route.query else ()


def _request_headers(route: Route) -> Iterable[Document]:
    for name, schema in route.special.request_headers.items():
        yield {
            "name": name,
            "in": "header",
            "required": name in route.special.required_headers,
            "schema": schema,
        }
    if route.is_idempotent:
        yield {
            "name": IDEMPOTENCY_KEY,
            "in": "header",
            "description": "The same key with the same request gives the first "
            "answer again.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
        }


def _request_content(route: Route) -> Document:
    content: Document = {}
    if route.body:
        schema = body_schema(route.body)
        # A body that may be left out may as well be null.
        content["application/json"] = {
            "schema": nullable(schema) if route.has_optional_body else schema
        }
    for media_type in route.special.request_types:
        content[media_type] = {}
    return content


def _responses(route: Route) -> Document:
    special = route.special
    headers = {
        name: {"schema": schema} for name, schema in special.answer_headers.items()
    }
    success: Document = {
        "description": HTTPStatus(special.status).phrase,
        "headers": {**_headers(route, special.status), **headers},
    }
    content = _content(route)
    if content:
        success["content"] = content
    answers: Document = {str(special.status): success}
    for status, errors in sorted(_errors(route).items()):
        answers[str(status)] = {
            "description": "; ".join(
                f"`{code}`: {about}" for code, about in errors.items()
            ),
            "headers": _headers(route, status),
            "content": {PROBLEM_TYPE: {"schema": _problem(status, errors)}},
        }
    return answers


def _content(route: Route) -> Document:
    special = route.special
    content: Document = {}
    if special.answer_type:
        content[special.answer_type] = {"schema": route.answer} if route.answer else {}
    elif route.answer:
        content[SUCCESS_TYPE] = {"schema": record({"body": route.answer})}
    return {**content, **{media_type: {} for media_type in special.further_types}}


def _headers(route: Route, status: int) -> Document:
    names = ["X-Request-Id"]
    # The caller is checked before the limits are.
    before = {UnauthorizedError.status, ForbiddenError.status}
    if not route.is_open and status not in before:
        names += _LIMIT_HEADERS
    names += _WAITING.get(status, ())
    is_repeatable = status not in NOT_REPEATED and status < InternalError.status
    if route.is_idempotent and is_repeatable:
        names.append("Idempotency-Replayed")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _problem(status: int, codes: Iterable[str]) -> Schema:
    return {
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"properties": {"status": {"const": status}, "code": {"enum": [*codes]}}},
        ]
    }


def _errors(route: Route) -> Mapping[int, Mapping[str, str]]:
    """
    Return what a route can answer by status: codes, each with its sentence.
    """
    found: dict[int, dict[str, str]] = {}
    for status, error in _possible(route):
        found.setdefault(status, {}).setdefault(error.code, error.default_detail)
    return found


def _possible(route: Route) -> Iterable[tuple[int, type[HvError]]]:
    for error in route.errors:
        yield error.status, error
    for cls in (route.body, route.query, route.special.header_fields):
        for spec in fields_of(cls) if cls else ():
            yield NOT_ALLOWED, spec.error
            yield NOT_READABLE, spec.error
    if route.body or route.special.request_types:
        # The body itself: no JSON, no object, too long, of another type.
        yield NOT_ALLOWED, InvalidParametersError
        yield NOT_READABLE, InvalidParametersError
        yield PayloadTooLargeError.status, PayloadTooLargeError
        yield UnsupportedMediaTypeError.status, UnsupportedMediaTypeError
    if route.is_idempotent:
        yield NOT_ALLOWED, InvalidParametersError
        yield NOT_READABLE, InvalidParametersError
        yield ConflictError.status, ConflictError
    if route.parameters:
        yield NotFoundError.status, NotFoundError
    if not route.is_open:
        for error in (UnauthorizedError, ForbiddenError, RateLimitExceededError):
            yield error.status, error
    for error in (InternalError, UnavailableError):
        yield error.status, error
