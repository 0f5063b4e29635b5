"""Create and find organizations and environments, for operators."""

from collections.abc import Sequence

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.tenants import (
    MAX_TITLE_CHARS,
    Environment,
    EnvironmentKind,
    Organization,
    is_environment_title,
)
from hvcore.domain.folded_texts import folded
from hvcore.domain.ids import OrgId
from hvcore.errors import (
    ConflictError,
    EnvironmentNotFoundError,
    InvalidParametersError,
    NotFoundError,
)
from hvcore.ports.repositories.errors import AlreadyExistsError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record
from hvcore.services.conditions import Condition, require_condition


@attrs.frozen(kw_only=True)
class Tenants:
    """Create, find and list organizations and environments."""

    uow: UnitOfWork
    clock: Clock

    def create_organization(self, org_id: str | None) -> Organization:
        """
        Create an organization, with the given id or a new one.

        Raises:
            InvalidParametersError: The id may not be chosen.
            ConflictError: The id is taken.
        """
        if org_id is not None:
            _check_chosen(org_id)
            if org_id in ids.RESERVED_ORG_IDS:
                raise InvalidParametersError(
                    f"{org_id} is a page of the dashboard; choose another identifier."
                )
        organization = Organization(
            id=OrgId(org_id) if org_id else ids.new_org_id(),
            created_at=self.clock.now(),
        )
        try:
            with self.uow.write() as work:
                work.tenants.add_organization(organization)
                record(
                    work,
                    "organization.create",
                    organization.id,
                    org_id=organization.id,
                )
                work.commit()
        except AlreadyExistsError as exc:
            raise ConflictError(f"The organization {org_id} exists already.") from exc
        return organization

    def organizations(self) -> Sequence[Organization]:
        """Return every organization, oldest first."""
        with self.uow.read() as work:
            return work.tenants.organizations()

    def create_environment(
        self, org_id: str, name: str | None, kind: EnvironmentKind
    ) -> Environment:
        """
        Create an environment of an organization, with the given name or its id as its name.

        Raises:
            InvalidParametersError: The name may not be chosen.
            NotFoundError: There is no such organization.
            ConflictError: The organization has an environment of this name.
        """
        if name is not None:
            _check_chosen(name)
        env_id = ids.new_env_id()
        environment = Environment(
            id=env_id,
            org_id=OrgId(org_id),
            name=name or env_id,
            kind=kind,
            created_at=self.clock.now(),
        )
        try:
            with self.uow.write() as work:
                if work.tenants.organization(org_id) is None:
                    raise _no_organization(org_id)
                work.tenants.add_environment(environment)
                record(
                    work,
                    "environment.create",
                    environment.id,
                    org_id=environment.org_id,
                    name=environment.name,
                    kind=kind.value,
                )
                work.commit()
        except AlreadyExistsError as exc:
            raise ConflictError(
                f"The organization {org_id} has an environment {name} already."
            ) from exc
        return environment

    def environments(self, org_id: str) -> Sequence[Environment]:
        """
        Return an organization's environments, oldest first.

        Raises:
            NotFoundError: There is no such organization.
        """
        with self.uow.read() as work:
            if work.tenants.organization(org_id) is None:
                raise _no_organization(org_id)
            return work.tenants.environments(org_id)

    def environment(self, org_id: str, ref: str) -> Environment:
        """
        Return an environment by its id or its short name.

        Raises:
            EnvironmentNotFoundError: The organization has no such environment.
        """
        with self.uow.read() as work:
            found = work.tenants.environment(org_id, ref)
        if found is None:
            raise EnvironmentNotFoundError(
                f"The organization {org_id} has no environment {ref}; "
                f"hv envs list {org_id} shows what it has."
            )
        return found

    def rename_environment(
        self,
        org_id: str,
        env_id: str,
        title: str,
        *,
        only_if: Condition[Environment] | None = None,
    ) -> Environment:
        """
        Change the name that people see of an environment; its ``envID`` stays.

        Args:
            title: The new name; "" to show the ``envID`` itself.
            only_if: A condition on the environment, checked in the transaction of the change.

        Raises:
            EnvironmentNotFoundError: The organization has no environment with this id.
            InvalidParametersError: The title is too long, or has several lines.
            ConflictError: Another environment of the organization is called so.
            PreconditionFailedError: The environment does not meet ``only_if``.
        """
        title = title.strip()
        if not is_environment_title(title):
            raise InvalidParametersError(
                f"A name has at most {MAX_TITLE_CHARS} characters, on one line."
            )
        with self.uow.write() as work:
            # All: of two that get one name at the same moment, the second is refused.
            environments = work.tenants.lock_environments(org_id)
            found = next((env for env in environments if env.id == env_id), None)
            if found is None:
                raise EnvironmentNotFoundError
            require_condition(only_if, found)
            others = {
                folded(name)
                for env in environments
                if env.id != env_id
                for name in (env.name, env.title, env.id)
                if name
            }
            if title and folded(title) in others:
                raise ConflictError(f"Another environment is called {title}.")
            title = "" if title == found.name else title
            if title != found.title:
                work.tenants.set_title(found, title)
                record(
                    work,
                    "environment.rename",
                    found.id,
                    org_id=found.org_id,
                    name=title or found.name,
                    formerName=found.shown_name,
                )
            work.commit()
        return attrs.evolve(found, title=title)


def _check_chosen(text: str) -> None:
    if not ids.is_chosen_id(text):
        raise InvalidParametersError(
            f"{text!r} cannot be an identifier: use letters, digits, _ and -, at "
            f"most {ids.MAX_CHOSEN_CHARS}."
        )


def _no_organization(org_id: str) -> NotFoundError:
    return NotFoundError(
        f"There is no organization {org_id}; hv orgs list shows what there is."
    )
