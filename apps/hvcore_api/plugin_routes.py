"""The API routes that plugins add: checked, and put into one table with our routes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NoReturn, cast

import attrs

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.rate_limits import Bucket
from hvcore.hookspecs import RoutesBackend
from hvcore.ports.plugin_routes import PluginRoute
from hvcore.registry import Offer, Registry
from hvcore.registry.added import fault_of_added
from hvcore.wire.converter import fields_of
from hvcore_api.resources.plugin_routes import PluginResource
from hvcore_api.routes import GROUPS
from hvcore_api.routing import KEY, ORG, PLAIN, Route, own_name, parameters_of

Groups = Mapping[str, Sequence[Route]]

METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_FAMILY_A: Final = f"{KEY}/api/"
_JUDGED: Final = frozenset({"org_id", "env_ref", "video_id"})
"""The path parameters, by their internal names, that are checked against the caller."""
_SEGMENT: Final = re.compile(r"[A-Za-z0-9._~-]+|\{[A-Za-z]\w*\}", re.ASCII)


def groups_with(registry: Registry) -> Groups:
    """
    Return our groups of API routes, and one group for each plugin that adds routes.

    Raises:
        PluginFaultError: A plugin's route cannot be served, or its address is taken by another
            route; the text names the plugin.
    """
    groups: dict[str, Sequence[Route]] = dict(GROUPS)
    taken = {
        route.template: "the service" for routes in GROUPS.values() for route in routes
    }
    for offer in registry.of_kind("routes"):
        added = tuple(_routes_of(offer))
        for template in dict.fromkeys(route.template for route in added):
            for other, owner in taken.items():
                if are_ambiguous(template, other):
                    _refuse(offer, f"{template} collides with {other} of {owner}")
        taken |= dict.fromkeys((route.template for route in added), offer.plugin)
        groups[_group_name(offer, groups)] = added
    return groups


def are_ambiguous(one: str, other: str) -> bool:
    """
    Return whether two path templates can match the same address, or one hides the other.

    Routers decide at each part of a path for good, so that a fixed part beside a
    parameter hides what is below that parameter.
    """
    parts, others = one.split("/"), other.split("/")
    for part, another in zip(parts, others, strict=False):
        if part == another:
            continue
        return part.startswith("{") or another.startswith("{")
    return len(parts) == len(others)


def _routes_of(offer: Offer) -> Iterator[Route]:
    backend = cast("RoutesBackend[Any]", offer.backend)
    by_template: dict[str, dict[str, PluginRoute[Any]]] = {}
    made: list[Route] = []
    for added in backend.routes:
        _check(offer, added)
        route = _route_of(added)
        methods = by_template.setdefault(route.template, {})
        if added.method in methods:
            _refuse(offer, f"{added.method} {added.path} is there twice")
        methods[added.method] = added
        made.append(route)
    for route in made:
        resource = partial(
            PluginResource, offer.backend.name, by_template[route.template]
        )
        yield attrs.evolve(route, resource=resource)


def _route_of(added: PluginRoute[Any]) -> Route:
    return Route(
        added.method,
        added.path,
        PluginResource,
        summary=added.summary,
        answer=added.answer,
        permission=added.permission,
        bucket=added.bucket,
        body=added.body,
        query=added.query,
        errors=added.errors,
        is_open=added.is_open,
        is_idempotent=added.is_idempotent,
        has_optional_body=added.has_optional_body,
        special=attrs.evolve(PLAIN, status=added.status, answer_type=added.answer_type),
    )


def _check(offer: Offer, added: object) -> None:
    if not isinstance(added, PluginRoute):
        _refuse(offer, f"routes must be PluginRoute, not {type(added).__name__}")
    what = f"{added.method} {added.path}"
    if added.method not in METHODS:
        _refuse(
            offer, f"{what}: the method must be one of {', '.join(sorted(METHODS))}"
        )
    _check_path(offer, added.path, what)
    _check_handler(offer, added, what)
    if added.is_open:
        _check_open(offer, added, what)
    for name, cls in (("body", added.body), ("query", added.query)):
        try:
            _ = cls is None or list(fields_of(cls))
        except (attrs.exceptions.NotAnAttrsClassError, KeyError, TypeError):
            _refuse(
                offer,
                f"{what}: {name} must be an attrs class whose fields are all made by "
                "required_field or optional_field",
            )


def _check_handler(offer: Offer, added: PluginRoute[Any], what: str) -> None:
    given: object = added.handler
    if not callable(given):
        _refuse(
            offer,
            f"{what}: the handler must be a function of what the factory makes and of a "
            f"RouteCall, such as Notes.add, not {given!r}",
        )
    for field, possible in (("permission", Permission), ("bucket", Bucket)):
        given = getattr(added, field)
        if given is not None and not isinstance(given, possible):
            names = ", ".join(map(str, possible))
            _refuse(
                offer, f"{what}: {field} must be None or one of {names}, not {given!r}"
            )


def _check_open(offer: Offer, added: PluginRoute[Any], what: str) -> None:
    if added.permission is not None or added.bucket is not None or added.is_idempotent:
        _refuse(
            offer,
            f"{what}: an open route has no permission and no bucket, and is not "
            "idempotent: these are of whom a key names",
        )
    judged = [name for name in parameters_of(added.path) if own_name(name) in _JUDGED]
    if judged:
        _refuse(
            offer,
            f"{what}: an open route cannot have {{{judged[0]}}}: nobody is known who may "
            "use it, and an answer would tell strangers what exists. Take a parameter of "
            "your own, such as a code that nobody guesses, or let the route need a key",
        )


def _check_path(offer: Offer, path: str, what: str) -> None:
    segments = path.removeprefix("/").split("/")
    are_sound = all(map(_SEGMENT.fullmatch, segments))
    is_below = path.startswith((f"{ORG}/", f"{KEY}/")) and len(segments) > 1
    names_org = "{orgID}" in segments
    if (
        not are_sound
        or not is_below
        or path.startswith(_FAMILY_A) is not names_org
        or (names_org and not path.startswith(f"{ORG}/"))
    ):
        _refuse(
            offer,
            f"{what}: the path must be below {ORG}/ or, without {{orgID}} and "
            f"outside {_FAMILY_A}, below {KEY}/; its parts are letters, digits, "
            "'-', '_', '.', '~', or a {parameter}",
        )
    parameters = [segment for segment in segments if segment.startswith("{")]
    if len(set(parameters)) < len(parameters):
        _refuse(offer, f"{what}: a parameter is there twice")


def _group_name(offer: Offer, groups: Groups) -> str:
    name = offer.backend.name.replace("-", " ").capitalize()
    return name if name not in groups else f"{name} ({offer.plugin})"


def _refuse(offer: Offer, problem: str) -> NoReturn:
    raise fault_of_added(offer, problem)
