"""
The OpenAPI document of the API, made of the route table.

Source: OpenAPI 3.1.1. Served bare at ``/v1/openapi.json``; ``/docs`` and
``hv openapi`` show the same.
"""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

import attrs

from hvcore import __version__
from hvcore.ports.auth import CredentialScheme, HeaderScheme
from hvcore_api.openapi.components import Components, Document
from hvcore_api.openapi.names import tag_of
from hvcore_api.openapi.operations import operation_of, path_parameters
from hvcore_api.openapi.webhooks import webhooks_of
from hvcore_api.routing import Route

_ABOUT: Final = """\
Every success is `{"body": …}`. Every error is `application/problem+json` with a \
`code`; all problems of one request are listed in its `errors`. Members and query \
parameters that are not known are ignored, and `null` is the same as absent.

Addresses below `/v1/api/{orgID}` name the organization. The others take \
organization and environment from the key."""
_LICENSE: Final = {
    "name": "Apache 2.0",
    "identifier": "Apache-2.0",
}
_WEBHOOKS: Final = "Webhooks"
_TAGS: Final = {
    "Uploads": "Bytes on their way in.",
    "Processing": "Make videos of uploaded bytes.",
    "Videos": "Videos, their captions, chapters and pictures.",
    "Playback": "Addresses that play.",
    "Sharing": "Share links and edge keys.",
    "Analytics": "What was watched, and how much.",
    "Events": "What has happened to videos.",
    "Service": "Health, environments, the key itself, and this description.",
    _WEBHOOKS: "What the service sends to addresses of yours.",
}


def make_document(
    groups: Mapping[str, Sequence[Route]],
    server_url: str,
    schemes: Sequence[CredentialScheme],
) -> Document:
    """
    Return the OpenAPI document of a service's routes.

    Args:
        groups: The routes by the name of their group.
        server_url: The address at which callers reach the service, without ``/v1``.
        schemes: How callers may send credentials; any of them will do.
    """
    security = _security_schemes(schemes)
    components = Components()
    paths = _paths(groups, [{name: []} for name in security], components)
    webhooks = webhooks_of(components)
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "Video hosting and delivery",
            "version": __version__,
            "description": _ABOUT,
            "license": _LICENSE,
        },
        "servers": [{"url": server_url}],
        "tags": _tags(groups),
        "paths": paths,
        "webhooks": webhooks,
        "components": {"securitySchemes": security, **components.document()},
    }


def _tags(groups: Mapping[str, Sequence[Route]]) -> Sequence[Document]:
    """Describe the tags, those of one family after those of the other."""
    found = {
        tag_of(group, route): group
        for group, routes in groups.items()
        for route in routes
    }
    by_key = [name for name, group in found.items() if name == group]
    by_organization = [name for name, group in found.items() if name != group]
    return [
        {"name": name, "description": _about(name, found.get(name, name))}
        for name in (*by_key, *by_organization, _WEBHOOKS)
    ]


def _about(tag: str, group: str) -> str:
    about = _TAGS.get(group, "Added by a plugin.")
    if tag == group:
        return about
    return f"{about} The path names the organization."


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
    groups: Mapping[str, Sequence[Route]],
    security: Sequence[Document],
    components: Components,
) -> Mapping[str, Document]:
    # The interface calls one parameter by several names, and OpenAPI takes
    # paths that differ in a name only for the same path.
    paths: dict[str, str] = {}
    described = [
        (
            group,
            attrs.evolve(route, path=paths.setdefault(route.template, route.path)),
        )
        for group, routes in groups.items()
        for route in routes
    ]
    every = [route for _, route in described]
    items: dict[str, Document] = {}
    for group, route in described:
        if route.path not in items:
            parameters = path_parameters(route.path, components)
            items[route.path] = {"parameters": parameters} if parameters else {}
        items[route.path][route.method.lower()] = operation_of(
            group, route, every, security, components
        )
    return items
