"""
What plugins add to the service, made when it is first needed.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import attrs

from hvcore.assembly.backends import Backends
from hvcore.hookspecs import MiddlewareBackend
from hvcore.ports.web_apps import Middleware, WebApp
from hvcore.services.webhooks.subscriptions import Subscriptions

if TYPE_CHECKING:
    import click


@attrs.frozen(kw_only=True)
class MadeMiddleware:
    """
    Middleware, and where it belongs.
    """

    name: str
    apps: frozenset[WebApp]
    put_around: Middleware


class ExtensionWiring(Backends):
    """
    A part of Services, which says when they are made.
    """

    @cached_property
    def route_states(self) -> Mapping[str, Any]:
        """
        What the handlers of plugins' routes are called with, by their records.
        """
        return {
            offer.backend.name: self._extension(offer)
            for offer in self.registry.of_kind("routes")
        }

    @cached_property
    def middleware(self) -> Sequence[MadeMiddleware]:
        """
        All of it, the outermost first.
        """
        offers = {
            offer: cast(MiddlewareBackend, offer.backend)
            for offer in self.registry.of_kind("middleware")
        }
        return [
            MadeMiddleware(
                name=record.name, apps=record.apps, put_around=self._extension(offer)
            )
            for offer, record in sorted(
                offers.items(), key=lambda item: (item[1].order, item[1].name)
            )
        ]

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """
        Tells subscribers of events.
        """
        return Subscriptions(uow=self.uow, subscribers=self._subscribers)

    def command(self, name: str) -> "click.Command":
        """
        Make the command that a plugin has added.
        """
        offer = next(
            offer
            for offer in self.registry.of_kind("commands")
            if offer.backend.name == name
        )
        return cast("click.Command", self._extension(offer))
