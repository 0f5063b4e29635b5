"""The page of one environment, on which an admin gives it another name."""

from collections.abc import Mapping

import falcon

from hvcore.domain.access.tenants import Environment
from hvcore.errors import (
    ConflictError,
    FieldError,
    HvError,
    InvalidParametersError,
)
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import (
    DisputedEditError,
    refused,
    sent_edit,
    settle,
    told,
)
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.pages.environments.fields import name_texts, stored_name
from hvcore_dashboard.pages.environments.page import EnvironmentPage
from hvcore_dashboard.visits import organization_of


class EnvironmentPageResource:
    """``GET …/environments/{environment}``: the environment's forms; ``POST``: renames it."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tenants = desk.services.tenants
        self._page = EnvironmentPage(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, env_id: str, **_path: str
    ) -> None:
        self._page.show(req, resp, self._page.find(req, env_id))

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, env_id: str, **_path: str
    ) -> None:
        """Save the name, if the person has changed it."""
        form, org_id = read_form(req), organization_of(req).org_id
        env = self._page.find(req, env_id)

        def write(found: Environment, texts: Mapping[str, str | None]) -> None:
            self._tenants.rename_environment(
                org_id,
                found.id,
                texts["title"] or "",
                only_if=lambda now: now.title == found.title,
            )

        try:
            edit = settle(
                lambda: self._page.find(req, env_id),
                lambda found: sent_edit(
                    form, name_texts(found), stored_form=stored_name
                ),
                write,
            )
        except (ConflictError, InvalidParametersError) as error:
            resp.status = error.http_status
            env = self._page.find(req, env_id)
            self._page.show(req, resp, env, name=_refused(form, error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "environments"),
            message=told(edit, saved=f"{env.name} has its name."),
        )


def _refused(form: Form, error: HvError) -> Form:
    if isinstance(error, DisputedEditError):
        return refused(form, error)
    problem = FieldError(message=error.detail, location="body.title")
    return form.refused(InvalidParametersError(error.detail, errors=[problem]))
