"""Send a test event to a webhook endpoint, or send a delivery again."""

from collections.abc import Callable

import attrs
import falcon

from hvcore.errors import InvalidParametersError
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.visits import organization_of

_DISABLED = "The webhook is disabled. Enable it first."


class WebhookTestPageResource:
    """``POST …/webhooks/{webhook}/test``: sends the endpoint an event of the kind webhook.test."""

    def __init__(self, desk: Desk) -> None:
        self._ordering = DeliveryAnswers(answers=desk.answers)
        self._webhooks = desk.services.webhooks
        self._orders = desk.services.delivery_orders

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        **_path: str,
    ) -> None:
        endpoint = self._webhooks.find(organization_of(req).org_id, webhook_id)
        self._ordering.order(
            req,
            resp,
            endpoint.id,
            lambda: self._orders.send_test(endpoint.id),
            message="A test event is on its way. Its answer appears below.",
        )


class DeliveryResendPageResource:
    """
    ``POST …/webhooks/{webhook}/deliveries/{delivery}/resend``: sends a delivery again.

    It is tried as often as a new delivery.
    """

    def __init__(self, desk: Desk) -> None:
        self._ordering = DeliveryAnswers(answers=desk.answers)
        self._webhooks = desk.services.webhooks
        self._orders = desk.services.delivery_orders

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        delivery_id: str,
        **_path: str,
    ) -> None:
        endpoint = self._webhooks.find(organization_of(req).org_id, webhook_id)
        self._ordering.order(
            req,
            resp,
            endpoint.id,
            lambda: self._orders.resend_delivery(endpoint.id, delivery_id),
            message="The event is sent again. Its answer appears below.",
        )


@attrs.frozen(kw_only=True)
class DeliveryAnswers:
    """Requests a webhook delivery, and redirects to the endpoint's page."""

    answers: Answers

    def order(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        webhook_id: str,
        order: Callable[[], object],
        *,
        message: str,
    ) -> None:
        """
        Request a webhook delivery by calling ``order``, and show the outcome on the endpoint's page.

        Args:
            message: The message for a success.
        """
        page = self.answers.address(req, "webhooks", webhook_id)
        try:
            order()
        except InvalidParametersError:
            # Somebody disabled it meanwhile, or its receiver did by answering 410.
            self.answers.go(req, resp, page, message=_DISABLED, tone="warn")
            return
        self.answers.go(req, resp, page, message=message)
