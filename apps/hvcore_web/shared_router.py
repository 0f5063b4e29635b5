"""
A Falcon router whose routing tree is shared by all apps with the same addresses.

Falcon writes a program that finds an address, and compiles it: for the API, thirty
milliseconds in each app that is made. The program is the same for equal addresses.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import falcon
from falcon.inspect import RouteInfo, inspect_compiled_router, register_router
from falcon.routing import CompiledRouter, map_http_methods, set_default_responders

_Responders = dict[str, Any]


class SharedRouter(CompiledRouter):
    """
    A Falcon router whose routing tree is shared by all apps with the same URI templates.

    Args:
        resources: The resources by their URI templates.

    Raises:
        ValueError: A template is malformed, or two templates match the same addresses.
    """

    def __init__(self, resources: Mapping[str, object]) -> None:
        super().__init__()
        self._resources = dict(resources)
        self._responders: dict[str, _Responders] = {}
        self._tree = _tree(tuple(self._resources))

    def add_route(self, uri_template: str, resource: object, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - Falcon's signature
        """
        Add a route to this app alone, without changing the apps that shared its routing tree.

        Raises:
            ValueError: The template is malformed, or matches the same addresses as another one.
        """
        resources = {**self._resources, uri_template: resource}
        tree = _tree(tuple(resources))
        self._resources, self._tree = resources, tree
        self._responders.pop(uri_template, None)

    def find(
        self, uri: str, req: falcon.Request | None = None
    ) -> tuple[object, _Responders, dict[str, Any], str | None] | None:
        """
        Return the resource of an address, its responders by method, the parameters and the template.

        None if no template matches the address.
        """
        found = self._tree.find(uri, req)
        if found is None:
            return None
        _, _, parameters, template = found
        resource = self._resources[template or ""]
        return resource, self._responders_of(template or ""), parameters, template

    def own_tree(self) -> CompiledRouter:
        """Build a routing tree of Falcon's own class with the resources of this app alone."""
        tree = CompiledRouter()
        for template, resource in self._resources.items():
            tree.add_route(template, resource)
        return tree

    def _responders_of(self, template: str) -> _Responders:
        responders = self._responders.get(template)
        if responders is None:
            responders = map_http_methods(self._resources[template])
            set_default_responders(responders)
            self._responders[template] = responders
        return responders


@register_router(SharedRouter)
def _inspect(router: SharedRouter) -> list[RouteInfo]:
    return inspect_compiled_router(router.own_tree())


class _Placeholder:
    """Stands for a resource of each app."""


# A process has a few apps, and one set of plugins that add addresses, seldom more.
@lru_cache(maxsize=8)
def _tree(templates: tuple[str, ...]) -> CompiledRouter:
    tree = CompiledRouter()
    for template in templates:
        tree.add_route(template, _Placeholder())
    return tree
