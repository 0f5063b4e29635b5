"""The page of one environment, on which an admin gives it another name."""

from collections.abc import Mapping

import falcon

from hvcore.domain.access.tenants import MAX_TITLE_CHARS, Environment
from hvcore.domain.shown_text import one_line
from hvcore.errors import (
    ConflictError,
    FieldError,
    HvError,
    InvalidParametersError,
    NotFoundError,
)
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import (
    DisputedEditError,
    refused,
    sent_edit,
    settle,
    told,
)
from hvcore_dashboard.forms import Form, form_to_edit, read_form
from hvcore_dashboard.visits import organization_of


class EnvironmentPageResource:
    """``GET …/environments/{environment}``: the form for the environment's name; ``POST``: renames it."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tenants = desk.services.tenants

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, env_id: str, **_path: str
    ) -> None:
        env = self._find(req, env_id)
        self._show(req, resp, env, form_to_edit(_texts(env)))

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, env_id: str, **_path: str
    ) -> None:
        """Save the name, if the person has changed it."""
        form, org_id = read_form(req), organization_of(req).org_id
        env = self._find(req, env_id)

        def write(found: Environment, texts: Mapping[str, str | None]) -> None:
            self._tenants.rename_environment(
                org_id,
                found.id,
                texts["title"] or "",
                only_if=lambda now: now.title == found.title,
            )

        try:
            edit = settle(
                lambda: self._stored(org_id, env),
                lambda found: sent_edit(form, _texts(found), stored_form=_stored_form),
                write,
            )
        except (ConflictError, InvalidParametersError) as error:
            resp.status = error.http_status
            self._show(req, resp, self._stored(org_id, env), _refused(form, error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.address(req, "environments"),
            message=told(edit, saved=f"{env.name} has its name."),
        )

    def _find(self, req: falcon.Request, env_id: str) -> Environment:
        for env in organization_of(req).environments:
            if env.id == env_id:
                return env
        raise NotFoundError

    def _stored(self, org_id: str, env: Environment) -> Environment:
        """Return an environment as it is stored now."""
        return self._tenants.environment(org_id, env.id)

    def _show(
        self, req: falcon.Request, resp: falcon.Response, env: Environment, form: Form
    ) -> None:
        values = {"form": form, "shown": env, "max_chars": MAX_TITLE_CHARS}
        self._answers.page(req, resp, "environments/environment.html", values)


def _texts(env: Environment) -> Mapping[str, str]:
    return {"title": env.shown_name}


def _stored_form(texts: Mapping[str, str]) -> Mapping[str, str]:
    return {name: one_line(text) for name, text in texts.items()}


def _refused(form: Form, error: HvError) -> Form:
    if isinstance(error, DisputedEditError):
        return refused(form, error)
    problem = FieldError(message=error.detail, location="body.title")
    return form.refused(InvalidParametersError(error.detail, errors=[problem]))
