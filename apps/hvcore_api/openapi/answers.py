"""Describe the answers of a route in the OpenAPI document: its success and its errors."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final

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
from hvcore.services.access.idempotency import NOT_REPEATED
from hvcore.wire.answer_schemas import HEALTH
from hvcore.wire.converter import fields_of
from hvcore.wire.envelope import PROBLEM_TYPE, SUCCESS_TYPE
from hvcore.wire.kinds import NOT_ALLOWED, NOT_READABLE
from hvcore.wire.schema import (
    COUNT,
    INTEGER,
    STRING,
    Schema,
    array,
    named,
    record,
)
from hvcore_api.openapi.components import Components, Document, camel
from hvcore_api.openapi.names import operation_id
from hvcore_api.routing import Route
from hvcore_web.errors import UnsupportedMediaTypeError

PROBLEM: Final[Schema] = {
    # RFC 9457 lets a problem have further members.
    **record(
        "Problem",
        {
            "title": STRING,
            "status": INTEGER,
            # No list: a service of tomorrow, or a plugin, has further ones.
            "code": {
                **STRING,
                "description": "For programs; the texts are for people.",
            },
            "detail": STRING,
            "errors": array(
                record(
                    "ProblemPart",
                    {
                        "message": STRING,
                        "location": STRING,
                        "value": {"description": "What was sent there, of any type."},
                    },
                )
            ),
        },
        # Of /health alone: its findings, as if it were no problem.
        {"body": HEALTH},
    ),
}

HEADERS: Final[Mapping[str, tuple[Schema, str]]] = {
    "X-Request-Id": (STRING, "The request's own `X-Request-Id`, or a new one."),
    "X-RateLimit-Limit": (COUNT, "Requests of the limit that is reached first."),
    "X-RateLimit-Remaining": (COUNT, "Requests that it still lets through."),
    "X-RateLimit-Reset": (
        COUNT,
        "Unix seconds: when the next request is allowed, or the oldest is forgotten.",
    ),
    "Retry-After": (COUNT, "Seconds to wait before the next try."),
    "Idempotency-Replayed": (
        {"type": "string", "enum": ["true"]},
        "The answer was given before, to the same request.",
    ),
}
_LIMIT_HEADERS: Final = tuple(n for n in HEADERS if n.startswith("X-RateLimit-"))
_WAITING: Final = {
    UnavailableError.status: ("Retry-After",),
    RateLimitExceededError.status: ("Retry-After",),
}


def success_of(
    route: Route, routes: Iterable[Route], components: Components, links: Document
) -> Document:
    """
    Return the OpenAPI response object of a route's successful answer.

    Routes of both families that answer alike share one, to which this is a reference.
    Those with several media types do not: generators of clients take the type of an answer
    by its status and media type from the operation alone.

    Args:
        routes: All routes of the API.
        components: The collection that gets the parts that routes share.
        links: The OpenAPI links of the answer, from ``links_of``.
    """
    answer = _success(route, components, links)
    alike = [other for other in routes if other.name == route.name]
    # Links lead to routes of the same family.
    if (
        not route.name
        or len(alike) == 1
        or links
        or len(_content(route, components)) > 1
    ):
        return answer
    name = f"{camel(route.name)}{route.special.status}"
    return components.part("responses", name, answer)


def _success(route: Route, components: Components, links: Document) -> Document:
    special = route.special
    own = {
        name: described(schema, components)
        for name, schema in special.answer_headers.items()
    }
    shared = _headers(special.status, components, is_limited=not route.is_open)
    content = _content(route, components)
    return {
        "description": HTTPStatus(special.status).phrase,
        "headers": {**shared, **_replayed(route, components), **own},
        **({"content": content} if content else {}),
        **({"links": links} if links else {}),
    }


def described(schema: Schema, components: Components) -> Document:
    """Return an OpenAPI header object, with a schema's description and example outside of the schema."""
    words = {n: schema[n] for n in ("description", "example") if n in schema}
    bare = {name: value for name, value in schema.items() if name not in words}
    return {**words, "schema": components.schema(bare)}


def problems_of(route: Route, components: Components) -> Document:
    """Return the OpenAPI response objects of a route's errors by HTTP status, as shared components."""
    return {
        str(status): _problem(status, errors, components)
        for status, errors in sorted(errors_of(route).items())
    }


def errors_of(route: Route) -> Mapping[int, Mapping[str, str]]:
    """Return the error codes of a route by HTTP status, each with the sentence that describes it."""
    found: dict[int, dict[str, str]] = {}
    for status, error in _possible(route):
        found.setdefault(status, {}).setdefault(error.code, error.default_detail)
    return {status: dict(sorted(errors.items())) for status, errors in found.items()}


def answer_schema(route: Route) -> Schema | None:
    """Return the named schema of a route's JSON answer; None if the route answers no JSON."""
    answer = route.answer
    if answer is None:
        return None
    if not isinstance(answer.get("title"), str):
        answer = named(f"{camel(operation_id(route))}Result", answer)
    if route.special.answer_type:
        return answer
    return record(f"{answer['title']}Answer", {"body": answer})


def _content(route: Route, components: Components) -> Document:
    special = route.special
    schema = answer_schema(route)
    content: Document = {}
    if special.answer_type:
        content[special.answer_type] = {"schema": components.schema(schema or STRING)}
    elif schema:
        content[SUCCESS_TYPE] = _json(schema, components)
    return {**content, **{name: {"schema": STRING} for name in special.further_types}}


def _json(schema: Schema, components: Components) -> Document:
    example = components.example(str(schema["title"]))
    return {
        "schema": components.schema(schema),
        **({"examples": {"recorded": example}} if example else {}),
    }


def _problem(
    status: int, errors: Mapping[str, str], components: Components
) -> Document:
    examples = {code: components.example(code) for code in errors}
    recorded = {code: found for code, found in examples.items() if found}
    content = {
        "schema": components.schema(PROBLEM),
        **({"examples": recorded} if recorded else {}),
    }
    # Who is not let in is told nothing of limits; a 500 may come before they are known.
    is_limited = status not in {UnauthorizedError.status, ForbiddenError.status}
    response = {
        "description": "; ".join(
            f"`{code}`: {about}" for code, about in errors.items()
        ),
        "headers": _headers(status, components, is_limited=is_limited),
        "content": {PROBLEM_TYPE: content},
    }
    name = f"{'Or'.join(camel(code) for code in errors)}{status}"
    return components.part("responses", name, response)


def _headers(status: int, components: Components, *, is_limited: bool) -> Document:
    names = ["X-Request-Id", *(_LIMIT_HEADERS if is_limited else ())]
    names += _WAITING.get(status, ())
    if HTTPStatus.BAD_REQUEST <= status < InternalError.status:
        names += ("Idempotency-Replayed",) if status not in NOT_REPEATED else ()
    return {name: _header(name, components) for name in names}


def _replayed(route: Route, components: Components) -> Document:
    name = "Idempotency-Replayed"
    return {name: _header(name, components)} if route.is_idempotent else {}


def _header(name: str, components: Components) -> Document:
    schema, about = HEADERS[name]
    # Every answer refers to some of them: short names make the document 7 KB smaller.
    short = name.removeprefix("X-").removeprefix("RateLimit-")
    short = short.removeprefix("Idempotency-")
    return components.part("headers", short, {"description": about, "schema": schema})


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
