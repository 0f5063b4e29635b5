"""Make the additions of plugins to the service: routes, middleware, subscribers and commands."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast

import attrs

from hvcore.assembly.backends import Backends
from hvcore.hookspecs import MiddlewareBackend
from hvcore.ports.web_apps import Middleware, WebApp
from hvcore.services.webhooks.subscriptions import Subscriptions


@attrs.frozen(kw_only=True)
class MadeMiddleware:
    """
    A plugin's middleware, ready to be put around the web apps of the service.

    Attributes:
        apps: The web apps that the middleware wraps.
        put_around: Takes a WSGI app, and returns the app that wraps it.
    """

    name: str
    apps: frozenset[WebApp]
    put_around: Middleware


class ExtensionWiring(Backends):
    """The services of plugins, a part of Services; each is made when it is first read."""

    @cached_property
    def route_states(self) -> Mapping[str, object]:
        """The state objects that plugins' route handlers get as first argument, by the records' names."""
        return self._chosen.all_of("routes")

    @cached_property
    def middleware(self) -> Sequence[MadeMiddleware]:
        """The middleware of all plugins, the outermost first."""
        made = self._chosen.all_of("middleware")
        records = [
            cast(MiddlewareBackend, offer.backend)
            for offer in self.registry.of_kind("middleware")
        ]
        return [
            MadeMiddleware(
                name=record.name,
                apps=record.apps,
                put_around=cast(Middleware, made[record.name]),
            )
            for record in sorted(records, key=lambda one: (one.order, one.name))
        ]

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The service that tells event subscribers of plugins what has happened to videos."""
        return Subscriptions(
            uow=self.uow,
            subscribers={**self._chosen.subscribers(), **self._further_subscribers},
        )

    def command(self, name: str) -> object:
        """Make the ``click.Command`` that a plugin has added under this name."""
        choices = self.registry.choices(self.settings, "commands")
        return self.make(next(one for one in choices if one.name == name))
