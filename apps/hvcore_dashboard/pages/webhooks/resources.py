"""The list of webhook endpoints, the page of each, and how receivers check signatures."""

from typing import Final

import falcon

from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import form_with
from hvcore_dashboard.pages.keys.forms import options
from hvcore_dashboard.pages.webhooks.deliveries import ShownDeliveries
from hvcore_dashboard.pages.webhooks.forms import secret_mark
from hvcore_dashboard.rendering import TEMPLATES
from hvcore_dashboard.secrets_once import DEFAULT_OVERLAP, OVERLAPS
from hvcore_dashboard.visits import organization_of

_RECIPES: Final = TEMPLATES / "webhooks" / "recipes"
RECIPES: Final = {
    path.stem: path.read_text("utf-8") for path in sorted(_RECIPES.glob("*.txt"))
}
"""Example programs that check webhook signatures, for readers to copy, by language."""


class WebhooksPageResource:
    """``GET …/webhooks``: the list of the environment's webhook endpoints."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        every = self._webhooks.of_organization(here.org_id)
        env_id = here.env.id if here.env else None
        others = [
            (env, sum(one.env_id == env.id for one in every))
            for env in here.environments
            if env.id != env_id
        ]
        self._answers.page(
            req,
            resp,
            "webhooks/list.html",
            {
                "endpoints": [one for one in every if one.env_id == env_id],
                "others": [(env, count) for env, count in others if count],
            },
        )


class WebhookPageResource:
    """``GET …/webhooks/{webhook}``: the page of an endpoint, with its deliveries."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks
        self._shown = ShownDeliveries.of(desk.services)

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        **_path: str,
    ) -> None:
        here = organization_of(req)
        endpoint = self._webhooks.find(here.org_id, webhook_id)
        env = next(env for env in here.environments if env.id == endpoint.env_id)
        self._answers.page(
            req,
            resp,
            "webhooks/webhook.html",
            {
                "endpoint": endpoint,
                "endpoint_env": env,
                "form": form_with(overlap=DEFAULT_OVERLAP),
                "overlaps": options(OVERLAPS),
                "secret_mark": secret_mark(endpoint),
                "shown": self._shown.page(
                    here, webhook_id, req.get_param("before") or ""
                ),
            },
        )


class DeliveriesFragmentResource:
    """``GET …/webhooks/{webhook}/deliveries``: the fragment with an endpoint's deliveries, for htmx."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks
        self._shown = ShownDeliveries.of(desk.services)

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        **_path: str,
    ) -> None:
        here = organization_of(req)
        shown = self._shown.page(here, webhook_id, req.get_param("before") or "")
        endpoint = self._webhooks.find(here.org_id, webhook_id)
        self._answers.fragment(
            req,
            resp,
            "webhooks/deliveries.html",
            {"endpoint": endpoint, "shown": shown},
        )


class DeliveryPageResource:
    """``GET …/webhooks/{webhook}/deliveries/{delivery}``: one delivery, with the JSON that is sent."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks
        self._shown = ShownDeliveries.of(desk.services)

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        delivery_id: str,
        **_path: str,
    ) -> None:
        here = organization_of(req)
        endpoint = self._webhooks.find(here.org_id, webhook_id)
        self._answers.page(
            req,
            resp,
            "webhooks/delivery.html",
            {
                "endpoint": endpoint,
                "one": self._shown.one(endpoint.id, delivery_id),
            },
        )


class WebhookRecipesPageResource:
    """``GET …/webhooks/recipes``: how a receiver checks signatures."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._answers.page(req, resp, "webhooks/recipes.html", {"recipes": RECIPES})
