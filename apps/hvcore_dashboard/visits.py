"""A visit: who asks for a page, and where in the organization they are."""

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
    The organization of a visit.

    Attributes:
        role: What the person may do there.
        caller: The person, as the services of the core know callers.
        environments: All of it, oldest first; there may be none.
        env: The one that the page is about: the one chosen, else default_env.
    """

    org_id: OrgId
    role: Role
    caller: Principal
    environments: Sequence[Environment]
    env: Environment | None

    @property
    def default_env(self) -> Environment | None:
        """The environment of addresses that name none: the oldest for production."""
        return default_environment(self.environments)


@attrs.frozen(kw_only=True)
class Visit:
    """
    The person and organization of a request, found before its resource runs.

    Attributes:
        organization: None on pages that are not below one.
    """

    person: SignedInPerson
    organization: OrganizationVisit | None = None


def default_environment(environments: Sequence[Environment]) -> Environment | None:
    """Return the oldest environment for production; without one the oldest of all."""
    production = (env for env in environments if env.kind is EnvironmentKind.PRODUCTION)
    return next(production, environments[0] if environments else None)


def visit_of(req: falcon.Request) -> Visit:
    """Return the visit, on a page for who is signed in."""
    return cast("Visit", req.context.visit)


def organization_of(req: falcon.Request) -> OrganizationVisit:
    """Return the organization of a request, on a page below one."""
    found = visit_of(req).organization
    assert found is not None  # noqa: S101 - the route says that there is one
    return found
