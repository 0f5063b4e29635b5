"""
The caller of a request, and what it may use.

Source: interface, "Authentication"; every service that takes a video's id
finds the video through :func:`find_authorized_video`.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EnvId, OrgId
from hvcore.errors import (
    EnvironmentNotFoundError,
    ForbiddenError,
    NotFoundError,
    UnauthorizedError,
)
from hvcore.ports.auth import AuthProvider, Credentials
from hvcore.ports.repositories.environments import EnvironmentDirectory
from hvcore.ports.unit_of_work import UnitOfWork

MAX_KNOWN_ENVIRONMENTS: Final = 10_000
"""About 5 MB."""


@attrs.frozen(kw_only=True)
class Access:
    """
    Recognise callers and find the environments that they name.
    """

    uow: UnitOfWork
    directory: EnvironmentDirectory
    providers: tuple[AuthProvider, ...]
    _known: dict[tuple[str, str], Environment] = attrs.field(
        factory=dict, init=False, repr=False
    )

    def authenticate(self, credentials: Credentials) -> Principal:
        """
        Return the caller.

        Raises:
            UnauthorizedError: No provider knows these credentials.
        """
        for provider in self.providers:
            principal = provider.authenticate(credentials)
            if principal is not None:
                return principal
        raise UnauthorizedError

    def check_permission(
        self, caller: Principal, permission: Permission | None
    ) -> None:
        """
        Refuse a caller whose key was not given this permission.

        Raises:
            ForbiddenError: It was not.
        """
        if permission is not None and permission not in caller.permissions:
            raise ForbiddenError(f"This key lacks the permission {permission.value}.")

    def check_org(
        self, caller: Principal, org_id: str, permission: Permission | None
    ) -> None:
        """
        Refuse a path that names another's organization.

        Raises:
            ForbiddenError: Another organization, or a missing permission.
        """
        if not caller.may_use_org(org_id):
            raise ForbiddenError("This key belongs to another organization.")
        self.check_permission(caller, permission)

    def environment(self, caller: Principal, org_id: str, ref: str) -> Environment:
        """
        Find the environment that a path names, by its id or its short name.

        Raises:
            EnvironmentNotFoundError: The organization has no such environment.
            ForbiddenError: It is outside the key's scope.
        """
        environment = self._environment(org_id, ref)
        if not caller.may_use_env(environment.id):
            raise ForbiddenError("This key belongs to another environment.")
        return environment

    def own_environment(self, caller: Principal) -> Environment:
        """
        Find the environment that the key itself determines.

        Raises:
            ForbiddenError: A system key, or a full-access key without a
                default environment.
        """
        org_id, env_id = _own(caller)
        return self.environment(caller, org_id, env_id)

    def _environment(self, org_id: str, ref: str) -> Environment:
        environment = self._known.get((org_id, ref))
        if environment is not None:
            return environment
        with self.uow.read() as work:
            environment = work.tenants.environment(org_id, ref)
        if environment is None:
            raise EnvironmentNotFoundError
        if len(self._known) >= MAX_KNOWN_ENVIRONMENTS:
            self._known.clear()
        # For ever: environments are neither changed nor removed. One that is
        # missing may be made the next moment.
        self._known[org_id, ref] = environment
        return environment

    def own_organization(self, caller: Principal) -> OrgId:
        """
        Return the organization that the key itself determines.

        Raises:
            ForbiddenError: As own_environment.
        """
        return _own(caller)[0]

    def environments(self, caller: Principal, org_id: str) -> Sequence[Environment]:
        """
        Return the environments of an organization that the caller may use.

        Raises:
            NotFoundError: There is no such organization.
        """
        found = self.directory.of_organization(org_id)
        if found is None:
            raise NotFoundError("There is no such organization.")
        return [env for env in found if caller.may_use_env(env.id)]


def _own(caller: Principal) -> tuple[OrgId, EnvId]:
    if caller.type is KeyType.SYSTEM or caller.org_id is None:
        raise ForbiddenError(
            "A system key has no environment; use the addresses that name one."
        )
    if caller.env_id is None:
        raise ForbiddenError(
            "This key has no default environment; use the addresses that name "
            "one, or a key that has one."
        )
    return caller.org_id, caller.env_id
