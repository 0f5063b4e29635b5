"""Add, disable, enable and remove webhook endpoints, and change their secrets."""

from abc import ABC, abstractmethod
from typing import ClassVar

import attrs
import falcon

from hvcore.domain.ids import WebhookId
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import HvError, InvalidParametersError, PreconditionFailedError
from hvcore.services.webhooks.endpoints import AddressRefusedError, WebhookWithSecret
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import as_shown
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.pages.webhooks.forms import (
    KIND_TEXTS,
    first_webhook_form,
    judged_webhook,
    secret_mark,
)
from hvcore_dashboard.secrets_once import (
    DEFAULT_OVERLAP,
    OVERLAPS,
    MadeSecret,
    show_once,
)
from hvcore_dashboard.visits import organization_of

_ROTATED = (
    "Somebody else has rotated the secret since you opened the page, so it stays as it "
    "is. Rotate it again only if one more is needed."
)


class NewWebhookPageResource:
    """``GET …/webhooks/new``: the form for an endpoint; ``POST``: adds it and shows its secret once."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._show(req, resp, first_webhook_form(organization_of(req)))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        form = judged_webhook(read_form(req), here.environments)
        if form.errors:
            resp.status = InvalidParametersError.status
            self._show(req, resp, form)
            return
        try:
            added = self._webhooks.add(
                here.org_id,
                form.text("environment"),
                form.text("url"),
                frozenset(map(EventKind, form.texts("event"))),
            )
        except HvError as error:
            resp.status = error.http_status
            field = "url" if isinstance(error, AddressRefusedError) else ""
            self._show(req, resp, attrs.evolve(form, errors={field: error.detail}))
            return
        _show_secret(self._answers, req, resp, added, title="Your signing secret")

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        envs = organization_of(req).environments
        self._answers.page(
            req,
            resp,
            "webhooks/new.html",
            {
                "form": form,
                "environments": [
                    (env.name, f"{env.shown_name} ({env.kind.value})") for env in envs
                ],
                "kinds": [(kind.value, text) for kind, text in KIND_TEXTS.items()],
            },
        )


class WebhookRotationPageResource:
    """``POST …/webhooks/{webhook}/rotate``: makes a new secret, and shows the secret once."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        **_path: str,
    ) -> None:
        endpoint = self._webhooks.find(organization_of(req).org_id, webhook_id)
        form = read_form(req)
        chosen = OVERLAPS.get(form.text("overlap"), OVERLAPS[DEFAULT_OVERLAP])
        as_seen = as_shown(form, "secret", secret_mark)
        try:
            rotated = self._webhooks.rotate_secret(
                endpoint.id, overlap=chosen[1], only_if=as_seen
            )
        except PreconditionFailedError:
            page = self._answers.address(req, "webhooks", endpoint.id)
            self._answers.go(req, resp, page, message=_ROTATED, tone="warn")
            return
        _show_secret(self._answers, req, resp, rotated, title="Your new signing secret")


class _WebhookChangePageResource(ABC):
    """Changes an endpoint by one call without choices, and redirects with a message."""

    message: ClassVar[str]
    is_gone: ClassVar[bool] = False
    """Whether the endpoint has no page afterwards."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._webhooks = desk.services.webhooks

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        webhook_id: str,
        **_path: str,
    ) -> None:
        endpoint = self._webhooks.find(organization_of(req).org_id, webhook_id)
        self._change(endpoint.id)
        page = ("webhooks",) if self.is_gone else ("webhooks", endpoint.id)
        address = self._answers.address(req, *page)
        self._answers.go(req, resp, address, message=self.message)

    @abstractmethod
    def _change(self, webhook_id: WebhookId) -> None: ...


class WebhookDisablingPageResource(_WebhookChangePageResource):
    """``POST …/webhooks/{webhook}/disable``: disables an endpoint, which then gets no events."""

    message = "The webhook is disabled."

    def _change(self, webhook_id: WebhookId) -> None:
        self._webhooks.disable(webhook_id)


class WebhookEnablingPageResource(_WebhookChangePageResource):
    """``POST …/webhooks/{webhook}/enable``: enables an endpoint, which then gets events again."""

    message = "The webhook gets events from now on."

    def _change(self, webhook_id: WebhookId) -> None:
        self._webhooks.enable(webhook_id)


class WebhookRemovalPageResource(_WebhookChangePageResource):
    """``POST …/webhooks/{webhook}/remove``: removes an endpoint and its waiting deliveries."""

    message = "The webhook is removed."
    is_gone = True

    def _change(self, webhook_id: WebhookId) -> None:
        self._webhooks.remove(webhook_id)


def _show_secret(
    answers: Answers,
    req: falcon.Request,
    resp: falcon.Response,
    made: WebhookWithSecret,
    *,
    title: str,
) -> None:
    made_secret = MadeSecret(
        title=title,
        label="Signing secret",
        value=made.secret,
        notes=(
            "Your receiver checks with it that a request comes from this service.",
            "Without that check, anybody who knows the address can send it anything.",
        ),
        next_address=answers.address(req, "webhooks", made.endpoint.id),
        next_text="I have copied it",
    )
    show_once(answers, req, resp, made_secret)
