"""Show the page of an API key; several routes answer with it."""

import attrs
import falcon

from hvcore.clock import Clock
from hvcore.errors import HvError
from hvcore.services.access.keys import KeyCreated, Keys
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with
from hvcore_dashboard.pages.keys.forms import options
from hvcore_dashboard.pages.keys.shown import shown_key
from hvcore_dashboard.secrets_once import (
    DEFAULT_OVERLAP,
    OVERLAPS,
    MadeSecret,
    show_once,
)
from hvcore_dashboard.visits import organization_of


@attrs.frozen(kw_only=True)
class KeyPages:
    """Answers with the page of an API key, or with a newly created key."""

    answers: Answers
    keys: Keys
    clock: Clock
    api_url: str
    per_hour: int

    @classmethod
    def of(cls, desk: Desk) -> "KeyPages":
        """Return the answers with pages of API keys, made of the dashboard's services."""
        services = desk.services
        return cls(
            answers=desk.answers,
            keys=services.keys,
            clock=services.clock,
            api_url=services.settings.public.api_url,
            per_hour=services.settings.limits.key_operations_per_hour,
        )

    def show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        key_id: str,
        *,
        form: Form | None = None,
    ) -> None:
        """
        Answer with the page of an API key.

        Args:
            form: A refused form of the page, to be shown again with its errors.

        Raises:
            NotFoundError: The organization has no such key.
        """
        here = organization_of(req)
        key = self.keys.find(here.org_id, key_id)
        self.answers.page(
            req,
            resp,
            "keys/key.html",
            {
                "shown": shown_key(here, key, self.clock.now()),
                "form": form or form_with(overlap=DEFAULT_OVERLAP),
                "overlaps": options(OVERLAPS),
            },
        )

    def show_made(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        made: KeyCreated,
        *,
        title: str,
    ) -> None:
        """
        Answer with the secret value of a new API key, which is shown only this once.

        Args:
            title: The heading of the page.
        """
        made_secret = MadeSecret(
            title=title,
            label="API key",
            value=made.value,
            notes=(
                "Keep it where your programs keep secrets, never in a page or an app.",
                "It works within 5 seconds.",
            ),
            snippet=f"curl -s {self.api_url}/v1/whoami -H 'X-Api-Key: {made.value}'",
            next_address=self.answers.address(req, "keys", made.key.id),
            next_text="I have copied it",
        )
        show_once(self.answers, req, resp, made_secret)

    def refuse(
        self, req: falcon.Request, resp: falcon.Response, key_id: str, error: HvError
    ) -> None:
        """Answer with the page of an API key and an error message."""
        complaint = self.refusal(resp, error)
        form = form_with(overlap=DEFAULT_OVERLAP)
        self.show(req, resp, key_id, form=attrs.evolve(form, errors={"": complaint}))

    def refusal(self, resp: falcon.Response, error: HvError) -> str:
        """Set the status and headers of an error on the response, and return the error's message."""
        resp.status = error.http_status
        for name, value in error.headers.items():
            resp.set_header(name, value)
        return error.detail
