"""Types for the person who requests a page, with the organization and environment of the page."""

from collections.abc import Sequence
from typing import cast

import attrs
import falcon

from hvcore.domain.access.principals import Principal
from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.people import SignedInPerson


@attrs.frozen(kw_only=True)
class OrganizationVisit:
    """
    The organization of a requested page, and the person's role in it.

    Attributes:
        role: The person's role in the organization.
        caller: The person, in the form in which the core's services know callers.
        environments: All environments of the organization, oldest first; may be empty.
        env: The environment that the page is about: the chosen one, else default_env.
    """

    org_id: OrgId
    role: Role
    caller: Principal
    environments: Sequence[Environment]
    env: Environment | None

    @property
    def default_env(self) -> Environment | None:
        """The environment used if an address names none, by ``default_environment``; None without any."""
        return default_environment(self.environments)


@attrs.frozen(kw_only=True)
class Visit:
    """
    The signed-in person and the organization of a request, found before its resource runs.

    Attributes:
        organization: The organization; None on pages that belong to none.
        last: On pages that belong to no organization, that of the page before, whose
            navigation stays; None if there was none, or the person has no role in it.
    """

    person: SignedInPerson
    organization: OrganizationVisit | None = None
    last: OrganizationVisit | None = None


def default_environment(environments: Sequence[Environment]) -> Environment | None:
    """Return the oldest production environment; if there is none, the oldest of all."""
    production = (env for env in environments if env.kind is EnvironmentKind.PRODUCTION)
    return next(production, environments[0] if environments else None)


def visit_of(req: falcon.Request) -> Visit:
    """Return the signed-in person and the organization of a request."""
    return cast("Visit", req.context.visit)


def organization_of(req: falcon.Request) -> OrganizationVisit:
    """Return the organization of a request and the person's role in it, on a page of an organization."""
    found = visit_of(req).organization
    assert found is not None  # noqa: S101 - the route says that there is one
    return found
