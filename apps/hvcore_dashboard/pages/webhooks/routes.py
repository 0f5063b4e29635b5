"""Routes of webhook endpoints and their deliveries."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.webhooks import changes, resources, tries
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_WEBHOOK: Final = f"{ORG}/webhooks/{{webhook_id}}"
_DELIVERY: Final = f"{_WEBHOOK}/deliveries/{{delivery_id}}"


def _route(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Role.ADMIN)


ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/webhooks",
        resources.WebhooksPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.DEVELOPERS, title="Webhooks", icon="webhooks"
        ),
    ),
    _route("GET", f"{ORG}/webhooks/new", changes.NewWebhookPageResource),
    _route("POST", f"{ORG}/webhooks/new", changes.NewWebhookPageResource),
    _route("GET", f"{ORG}/webhooks/recipes", resources.WebhookRecipesPageResource),
    _route("GET", _WEBHOOK, resources.WebhookPageResource),
    _route("GET", f"{_WEBHOOK}/deliveries", resources.DeliveriesFragmentResource),
    _route("GET", _DELIVERY, resources.DeliveryPageResource),
    _route(
        "POST",
        f"{_DELIVERY}/resend",
        tries.DeliveryResendPageResource,
    ),
    _route("POST", f"{_WEBHOOK}/test", tries.WebhookTestPageResource),
    _route("POST", f"{_WEBHOOK}/rotate", changes.WebhookRotationPageResource),
    _route("POST", f"{_WEBHOOK}/disable", changes.WebhookDisablingPageResource),
    _route("POST", f"{_WEBHOOK}/enable", changes.WebhookEnablingPageResource),
    _route("POST", f"{_WEBHOOK}/remove", changes.WebhookRemovalPageResource),
)
