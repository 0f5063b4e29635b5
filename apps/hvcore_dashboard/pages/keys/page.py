"""The page of an API key, which several routes answer with."""

import attrs
import falcon

from hvcore.clock import Clock
from hvcore.errors import HvError
from hvcore.services.access.keys import KeyCreated, Keys
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with
from hvcore_dashboard.pages.keys.forms import DEFAULT_OVERLAP, OVERLAPS, options
from hvcore_dashboard.pages.keys.shown import shown_key
from hvcore_dashboard.secrets_once import MadeSecret, show_once
from hvcore_dashboard.visits import organization_of


@attrs.frozen(kw_only=True)
class KeyPages:
    """Answer with the page of a key, or with a new key."""

    answers: Answers
    keys: Keys
    clock: Clock
    api_url: str
    per_hour: int

    @classmethod
    def of(cls, desk: Desk) -> "KeyPages":
        """Return the key pages of the dashboard, made of a desk."""
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
        Answer with the page of a key.

        Args:
            form: What was sent and refused.

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
        """Answer with a new key, for the only time."""
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
        """Answer with the page of a key and an error."""
        complaint = self.refusal(resp, error)
        form = form_with(overlap=DEFAULT_OVERLAP)
        self.show(req, resp, key_id, form=attrs.evolve(form, errors={"": complaint}))

    def refusal(self, resp: falcon.Response, error: HvError) -> str:
        """Set the status of an error, and return it in words."""
        resp.status = error.http_status
        for name, value in error.headers.items():
            resp.set_header(name, value)
        return error.detail
