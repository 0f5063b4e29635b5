"""
Authenticate the callers of requests, and check their permissions.

Source: the interface document, "Authentication"; every service that takes a video's id
finds the video through :func:`find_authorized_video`.
"""

import logging
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EnvId, OrgId
from hvcore.errors import (
    EnvironmentNotFoundError,
    ForbiddenError,
    NotFoundError,
    UnauthorizedError,
    WrongAnswerError,
    require_answer,
)
from hvcore.ports.auth import (
    AuthProvider,
    BearerScheme,
    Credentials,
    CredentialScheme,
)
from hvcore.ports.repositories.access.environments import EnvironmentDirectory
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.throttling.log_lines import LOG_LINES

MAX_KNOWN_ENVIRONMENTS: Final = 10_000
"""Environments kept in memory, about 5 MB."""
NO_ENVIRONMENT: Final = (
    "These credentials are for an environment that does not exist; who issues them "
    "must name one of the organization's."
)
_PARTS: Final[Sequence[tuple[str, type, str]]] = (
    ("key_id", str, "text"),
    ("key_name", str, "text"),
    ("org_id", str, "text"),
    ("env_id", str, "text"),
    # A text is no KeyType.ENVIRONMENT: the caller would reach every environment.
    ("type", KeyType, "KeyType"),
    ("person", Person, "Person"),
)
"""Parts of a Principal with their types; all but the name may be None."""

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Access:
    """Authenticate callers, check their permissions, and find the environments they may use."""

    uow: UnitOfWork
    directory: EnvironmentDirectory
    providers: tuple[AuthProvider, ...]
    _known: dict[tuple[str, str], Environment] = attrs.field(
        factory=dict, init=False, repr=False
    )

    def authenticate(self, credentials: Credentials) -> Principal:
        """
        Return the caller to whom the credentials of a request belong.

        The caller's environment is named by its id, even if the provider gave its name.

        Raises:
            UnauthorizedError: No provider knows these credentials.
            ForbiddenError: The credentials are for an environment that does not exist.
        """
        try:
            for provider in self.providers:
                principal = provider.authenticate(credentials)
                if principal is not None:
                    _judge(provider, principal)
                    return self._with_env_id(principal)
        except UnauthorizedError as exc:
            if exc.detail != UnauthorizedError.default_detail:
                # The provider has found words of its own.
                raise
            raise self._refusal() from exc
        raise self._refusal()

    @property
    def schemes(self) -> Sequence[CredentialScheme]:
        """The ways in which callers may send credentials, in the order in which they are tried."""
        given = [one.scheme for one in self.providers if one.scheme is not None]
        return list(dict.fromkeys(given))

    def _refusal(self) -> UnauthorizedError:
        """
        Return the error for a caller without valid credentials.

        Source: RFC 6750, section 3, for those who could have sent a bearer token.
        """
        schemes = self.schemes
        headers = (
            {"WWW-Authenticate": "Bearer"}
            if any(isinstance(scheme, BearerScheme) for scheme in schemes)
            else {}
        )
        return UnauthorizedError(_wanted(schemes), headers=headers)

    def _with_env_id(self, caller: Principal) -> Principal:
        """
        Return the caller with the id of its environment, of which it may have the name.

        Raises:
            ForbiddenError: The organization has no such environment.
        """
        if caller.org_id is None or caller.env_id is None:
            return caller
        try:
            environment = self._environment(caller.org_id, caller.env_id)
        except EnvironmentNotFoundError:
            # Only the log can say whose mistake it is.
            LOG_LINES.write(
                _log,
                logging.WARNING,
                "an authentication provider names an environment that is not there; "
                "it must be the id or the name of one (hv envs list)",
                client=caller.org_id,
                extra={"hv_org": caller.org_id, "hv_environment": caller.env_id},
            )
            raise ForbiddenError(NO_ENVIRONMENT) from None
        if environment.id == caller.env_id:
            return caller
        return attrs.evolve(caller, env_id=environment.id)

    def check_permission(
        self, caller: Principal, permission: Permission | None
    ) -> None:
        """
        Refuse a caller whose key lacks the given permission; None refuses nobody.

        Raises:
            ForbiddenError: The key lacks it.
        """
        if permission is not None and permission not in caller.permissions:
            raise ForbiddenError(f"This key lacks the permission {permission.value}.")

    def check_org(
        self, caller: Principal, org_id: str, permission: Permission | None
    ) -> None:
        """
        Refuse a caller who may not use the organization that a path names.

        Raises:
            ForbiddenError: The key is of another organization, or lacks the permission.
        """
        if not caller.may_use_org(org_id):
            raise ForbiddenError("This key belongs to another organization.")
        self.check_permission(caller, permission)

    def check_settings(self, caller: Principal) -> None:
        """
        Refuse a caller who may not change settings that hold for all programs of an environment.

        Raises:
            ForbiddenError: The caller has an environment key.
        """
        if caller.type is KeyType.ENVIRONMENT:
            raise ForbiddenError(
                "An environment key may not change what holds for all programs of its "
                "environment; use a full-access key."
            )

    def environment(self, caller: Principal, org_id: str, ref: str) -> Environment:
        """
        Return the environment that a path names by its id or short name.

        Raises:
            EnvironmentNotFoundError: The organization has no such environment.
            ForbiddenError: The environment is outside the key's scope.
        """
        environment = self._environment(org_id, ref)
        if not caller.may_use_env(environment.id):
            raise ForbiddenError("This key belongs to another environment.")
        return environment

    def own_environment(self, caller: Principal) -> Environment:
        """
        Return the environment of the caller's key, or its default environment.

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
        Return the id of the organization of the caller's key.

        Raises:
            ForbiddenError: The caller has a system key, which is of no organization.
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


def _judge(provider: AuthProvider, answer: Principal) -> None:
    """
    Refuse a provider's answer whose parts are not what Principal says.

    Raises:
        WrongAnswerError: A part is something else; the text names it, and no value.
    """
    method = provider.authenticate
    require_answer(method, answer, Principal)
    for name, wanted, called in _PARTS:
        part = getattr(answer, name)
        if part is not None and not isinstance(part, wanted):
            raise WrongAnswerError(
                method,
                f"a Principal whose {name} is no {called}",
                f"Give {name} a {wanted.__name__}, or None.",
            )
    if not isinstance(answer.permissions, frozenset):
        raise WrongAnswerError(
            method,
            "a Principal whose permissions are no frozenset",
            "Give permissions a frozenset of Permission.",
        )


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


def _wanted(schemes: Sequence[CredentialScheme]) -> str:
    ways = [
        "as Authorization: Bearer"
        if isinstance(scheme, BearerScheme)
        else f"in the header {scheme.header}"
        for scheme in schemes
    ]
    if ways in ([], ["in the header X-Api-Key"]):
        return UnauthorizedError.default_detail
    return f"Send valid credentials {' or '.join(dict.fromkeys(ways))}."
