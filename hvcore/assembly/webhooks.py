"""Make the services for events, and for the webhooks that report them."""

from functools import cached_property

from hvcore.assembly.access import AccessWiring
from hvcore.services.webhooks.delivery_orders import DeliveryOrders
from hvcore.services.webhooks.endpoints import Webhooks
from hvcore.services.webhooks.events import Events


class WebhookWiring(AccessWiring):
    """The services for webhooks, a part of Services; each is made when it is first read."""

    @cached_property
    def events(self) -> Events:
        return Events(uow=self.uow, clock=self.clock)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(
            uow=self.uow,
            tenants=self.tenants,
            outbound=self.outbound,
            clock=self.clock,
        )

    @cached_property
    def delivery_orders(self) -> DeliveryOrders:
        """The service that lists deliveries of events to webhooks and has events delivered again."""
        return DeliveryOrders(uow=self.uow)
