"""Pages for operators, who create organizations and set the limits of each."""

from collections.abc import Mapping
from functools import partial

import falcon

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import is_chosen_id
from hvcore.errors import (
    ConflictError,
    HvError,
    InvalidParametersError,
    NotFoundError,
)
from hvcore.services.access.quotas import OrganizationQuotas
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import refused, sent_edit, settle, told
from hvcore_dashboard.forms import Form, form_to_edit, form_with, read_form
from hvcore_dashboard.pages.operation.limits import (
    LIMIT_FIELDS,
    limit_texts,
    read_limits,
    stored_limits,
)

_PATH = "organizations"


class TenantsPageResource:
    """``GET /dashboard/organizations``: the list of organizations; ``POST``: creates one."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._quotas = desk.services.quotas
        self._tenants = desk.services.tenants

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._show(req, resp, Form())

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        form = read_form(req)
        try:
            made = self._tenants.create_organization(form.text("org_id") or None)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, form.refused(error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.top(_PATH, made.id),
            message=f"{made.id} is there. Make its first environment now.",
        )

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        values = {
            "found": self._quotas.of_all(),
            "fields": LIMIT_FIELDS,
            "form": form,
        }
        self._answers.page(req, resp, "tenants/list.html", values)


class _TenantPage:
    """The page of an organization, as all that change it show it again."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._quotas = desk.services.quotas
        self._tenants = desk.services.tenants

    def _show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        org_id: str,
        *,
        limits: Form | None = None,
        environment: Form | None = None,
    ) -> None:
        found = self._found(org_id)
        values = {
            "found": found,
            "environments": self._tenants.environments(org_id),
            "fields": LIMIT_FIELDS,
            "limits": limits or form_to_edit(limit_texts(found.limits)),
            "environment": environment or form_with(kind="production"),
        }
        self._answers.page(req, resp, "tenants/page.html", values)

    def _found(self, org_id: str) -> OrganizationQuotas:
        """
        Return an organization with its limits and what it uses.

        Raises:
            NotFoundError: There is none of this name.
        """
        # A database never sees what cannot be an id.
        if not is_chosen_id(org_id):
            raise NotFoundError
        return self._quotas.of_one(org_id)


class TenantPageResource(_TenantPage):
    """``GET /dashboard/organizations/{org}``: the page of one organization, for operators."""

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, org_id: str
    ) -> None:
        self._show(req, resp, org_id)


class TenantLimitsResource(_TenantPage):
    """``POST /dashboard/organizations/{org}/limits``: saves the limits that the operator changed."""

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, org_id: str
    ) -> None:
        form = read_form(req)
        try:
            edit = settle(
                lambda: self._found(org_id).limits,
                lambda limits: sent_edit(
                    form, limit_texts(limits), stored_form=stored_limits
                ),
                partial(self._save, org_id),
            )
        except (ConflictError, InvalidParametersError) as error:
            resp.status = error.http_status
            self._show(req, resp, org_id, limits=refused(form, error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.top(_PATH, org_id),
            message=told(edit, saved="The limits hold from now on."),
        )

    def _save(
        self, org_id: str, before: QuotaLimits, texts: Mapping[str, str | None]
    ) -> None:
        changes = {
            name: value
            for name, value in read_limits(texts).items()
            # The same in other words, such as 1024 MB.
            if value != getattr(before, name)
        }
        if changes:
            self._quotas.change(org_id, changes, only_if=lambda now: now == before)


class TenantEnvironmentsResource(_TenantPage):
    """``POST /dashboard/organizations/{org}/environments``: adds an environment."""

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, org_id: str
    ) -> None:
        self._found(org_id)
        form = read_form(req)
        try:
            made = self._tenants.create_environment(
                org_id, form.text("name") or None, _kind(form.text("kind"))
            )
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, org_id, environment=form.refused(error))
            return
        self._answers.go(
            req,
            resp,
            self._answers.top(_PATH, org_id),
            message=f"The environment {made.name} is there.",
        )


def _kind(text: str) -> EnvironmentKind:
    try:
        return EnvironmentKind(text)
    except ValueError:
        raise InvalidParametersError("Choose production or development.") from None
