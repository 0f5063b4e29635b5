"""Webhook endpoints and their deliveries."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.resources import webhook_changes, webhook_tries, webhooks
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_WEBHOOK: Final = f"{ORG}/webhooks/{{webhook_id}}"
_DELIVERY: Final = f"{_WEBHOOK}/deliveries/{{delivery_id}}"


def _route(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Role.ADMIN)


ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/webhooks",
        webhooks.WebhooksPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.DEVELOPERS, title="Webhooks", icon="webhooks"
        ),
    ),
    _route("GET", f"{ORG}/webhooks/new", webhook_changes.NewWebhookPageResource),
    _route("POST", f"{ORG}/webhooks/new", webhook_changes.NewWebhookPageResource),
    _route("GET", f"{ORG}/webhooks/recipes", webhooks.WebhookRecipesPageResource),
    _route("GET", _WEBHOOK, webhooks.WebhookPageResource),
    _route("GET", f"{_WEBHOOK}/deliveries", webhooks.DeliveriesFragmentResource),
    _route("GET", _DELIVERY, webhooks.DeliveryPageResource),
    _route(
        "POST",
        f"{_DELIVERY}/resend",
        webhook_tries.DeliveryResendPageResource,
    ),
    _route("POST", f"{_WEBHOOK}/test", webhook_tries.WebhookTestPageResource),
    _route("POST", f"{_WEBHOOK}/rotate", webhook_changes.WebhookRotationPageResource),
    _route("POST", f"{_WEBHOOK}/disable", webhook_changes.WebhookDisablingPageResource),
    _route("POST", f"{_WEBHOOK}/enable", webhook_changes.WebhookEnablingPageResource),
    _route("POST", f"{_WEBHOOK}/remove", webhook_changes.WebhookRemovalPageResource),
)
