"""Describe one route as an OpenAPI operation: its parameters, request body and answers."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from hvcore.wire.answer_schemas import CHOSEN_ID
from hvcore.wire.request_schemas import body_schema, query_parameters
from hvcore.wire.schema import STRING, Schema, identifier
from hvcore.wire.videos.captions import LANGUAGE
from hvcore_api.openapi.answers import described, problems_of, success_of
from hvcore_api.openapi.components import Components, Document, camel
from hvcore_api.openapi.links import links_of
from hvcore_api.openapi.names import operation_id, tag_of
from hvcore_api.routing import Route

IDEMPOTENCY_KEY: Final = "Idempotency-Key"

_RANDOM: Final = "0T3hK9bQz7LmW2xVnR5cYp"
"""22 characters, as identifiers have them."""
_VIDEO_ID: Final[Schema] = {
    "type": "string",
    "pattern": "^(?:pub)?vid_[0-9A-Za-z]{22}$",
}
_VIDEO: Final = (_VIDEO_ID, "The video.", f"vid_{_RANDOM}")
_PATH_PARAMETERS: Final[Mapping[str, tuple[Schema, str, str]]] = {
    "orgID": (CHOSEN_ID, "The organization.", "org_acme"),
    "envID": (
        CHOSEN_ID,
        "The environment: its identifier or its short name.",
        "live",
    ),
    "publicID": _VIDEO,
    "videoID": _VIDEO,
    "assetId": _VIDEO,
    "shareID": (identifier("shr_"), "The share link.", f"shr_{_RANDOM}"),
    "edgeKey": (identifier("ek_"), "The edge key.", f"ek_{_RANDOM}"),
    "language": (LANGUAGE, "A language tag, such as `en` or `pt-BR`.", "en"),
}
_TEXTS: Final = ("text/", "application/x-subrip")
"""The beginnings of content types whose bodies are text."""


def operation_of(
    group: str,
    route: Route,
    routes: Sequence[Route],
    security: Sequence[Document],
    components: Components,
) -> Document:
    """
    Return the OpenAPI operation of a route.

    Args:
        group: The name of the group in which the route is documented.
        routes: All routes of the API, to which the answer may link.
        security: The OpenAPI security requirements; a caller has to meet one of them.
        components: The collection that gets the parts that routes share.
    """
    operation: Document = {
        "operationId": operation_id(route),
        "summary": route.summary,
        "description": _needs(route),
        "tags": [tag_of(group, route)],
        "security": [] if route.is_open else security,
        "parameters": [*_query(route, components), *_headers(route, components)],
        "responses": {
            str(route.special.status): success_of(
                route, routes, components, links_of(route, routes, components)
            ),
            **problems_of(route, components),
        },
    }
    content = _request_content(route, components)
    if content:
        operation["requestBody"] = {
            "required": not route.has_optional_body,
            "content": content,
        }
    return operation


def _needs(route: Route) -> str:
    """Describe the permission that a route needs, and the limit that its requests count under."""
    if route.is_open:
        return "Needs no key."
    if route.permission is None:
        return "Needs a key."
    counts = f" Counts under the limit `{route.bucket.value}`." if route.bucket else ""
    return f"Needs the permission `{route.permission.value}`.{counts}"


def path_parameters(path: str, components: Components) -> Sequence[Document]:
    """Return the OpenAPI parameters in a path, as references to shared components."""
    return [
        _path_parameter(name, components) for name in re.findall(r"\{(\w+)\}", path)
    ]


def _path_parameter(name: str, components: Components) -> Document:
    parameter: Document = {"name": name, "in": "path", "required": True}
    if name not in _PATH_PARAMETERS:
        return {**parameter, "schema": STRING}
    schema, about, example = _PATH_PARAMETERS[name]
    parameter |= {"schema": schema, "description": about, "example": example}
    return components.part("parameters", camel(name), parameter)


def _query(route: Route, components: Components) -> Iterator[Document]:
    for parameter in query_parameters(route.query) if route.query else ():
        # Two routes may have other words for a parameter of the same name.
        name = cast("Schema", parameter["schema"]).get("title", parameter["name"])
        node = components.schema(parameter)
        yield components.part("parameters", camel(str(name)), node)


def _headers(route: Route, components: Components) -> Iterable[Document]:
    for name, schema in route.special.request_headers.items():
        yield {
            "name": name,
            "in": "header",
            "required": name in route.special.required_headers,
            **described(schema, components),
        }
    if route.is_idempotent:
        parameter: Document = {
            "name": IDEMPOTENCY_KEY,
            "in": "header",
            "description": "The same key with the same request gives the first "
            "answer again.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
            "example": "0b0f1c5e-6f0c-4a6e-9d7e-6a4f5d1e2c3b",
        }
        yield components.part("parameters", camel(IDEMPOTENCY_KEY), parameter)


def _request_content(route: Route, components: Components) -> Document:
    content: Document = {}
    if route.body:
        schema = body_schema(route.body)
        example = components.example(str(schema["title"]))
        content["application/json"] = {
            # One that may be left out may be null, too. That is not said: clients of
            # some generators could not leave it out then.
            "schema": components.schema(schema),
            **({"examples": {"recorded": example}} if example else {}),
        }
    for media_type in route.special.request_types:
        is_text = media_type.startswith(_TEXTS)
        schema = STRING if is_text else {"type": "string", "format": "binary"}
        content[media_type] = {"schema": schema}
    return content
