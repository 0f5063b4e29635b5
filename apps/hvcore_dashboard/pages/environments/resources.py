"""The page of an organization's environments: lists each one's contents, and adds environments."""

from collections.abc import Mapping
from typing import Final

import attrs
import falcon

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.analytics.usage import VideoAmount
from hvcore.domain.ids import is_chosen_id
from hvcore.errors import ConflictError, InvalidParametersError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.visits import organization_of

KINDS: Final = {
    EnvironmentKind.PRODUCTION: "Production: its keys begin with hv_live_",
    EnvironmentKind.DEVELOPMENT: "Development: its keys begin with hv_test_",
}
_FIRST: Final = form_with(kind=EnvironmentKind.DEVELOPMENT.value)
_TODAY: Final = 1


@attrs.frozen(kw_only=True)
class EnvironmentHoldings:
    """
    An environment with the numbers of its keys and webhook endpoints.

    Attributes:
        keys: The number of working API keys bound to the environment; None if the person
            may not see keys.
        webhooks: The number of webhook endpoints; None if the person may not see them.
    """

    env: Environment
    amount: VideoAmount
    keys: int | None
    webhooks: int | None


class EnvironmentsPageResource:
    """``GET …/environments``: the list of environments; ``POST``: adds an environment."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._analytics = desk.services.analytics
        self._clock = desk.services.clock
        self._keys = desk.services.keys
        self._tenants = desk.services.tenants
        self._webhooks = desk.services.webhooks

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        self._show(req, resp, _FIRST)

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        form = read_form(req)
        errors = _problems(form)
        if errors:
            resp.status = InvalidParametersError.status
            self._show(req, resp, attrs.evolve(form, errors=errors))
            return
        name = form.text("name")
        try:
            self._tenants.create_environment(
                organization_of(req).org_id, name, EnvironmentKind(form.text("kind"))
            )
        except ConflictError as error:
            resp.status = error.http_status
            taken = {"name": f"There is an environment “{name}” already."}
            self._show(req, resp, attrs.evolve(form, errors=taken))
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "environments"),
            message=f"The environment {name} is there. Make a key for it next.",
        )

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        self._answers.page(
            req,
            resp,
            "environments/page.html",
            {
                "form": form,
                "holdings": self._holdings(req),
                "kinds": [(kind.value, text) for kind, text in KINDS.items()],
            },
        )

    def _holdings(self, req: falcon.Request) -> list[EnvironmentHoldings]:
        here = organization_of(req)
        is_admin = here.role.includes(Role.ADMIN)
        keys = self._working_keys(req) if is_admin else {}
        webhooks: dict[str, int] = {}
        if is_admin:
            for endpoint in self._webhooks.of_organization(here.org_id):
                webhooks[endpoint.env_id] = webhooks.get(endpoint.env_id, 0) + 1
        return [
            EnvironmentHoldings(
                env=usage.env,
                amount=usage.amount,
                keys=keys.get(usage.env.id, 0) if is_admin else None,
                webhooks=webhooks.get(usage.env.id, 0) if is_admin else None,
            )
            for usage in self._analytics.usage(here.environments, _TODAY)
        ]

    def _working_keys(self, req: falcon.Request) -> Mapping[str, int]:
        now = self._clock.now()
        counts: dict[str, int] = {}
        for key in self._keys.of_organization(organization_of(req).org_id):
            if key.env_id is not None and key.is_valid_at(now):
                counts[key.env_id] = counts.get(key.env_id, 0) + 1
        return counts


def _problems(form: Form) -> dict[str, str]:
    found: dict[str, str] = {}
    if not is_chosen_id(form.text("name")):
        found["name"] = "Use letters, digits, _ and -, at most 64."
    if form.text("kind") not in {kind.value for kind in EnvironmentKind}:
        found["kind"] = "Choose a kind."
    return found
