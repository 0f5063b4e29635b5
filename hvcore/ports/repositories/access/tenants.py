"""The repository of organizations and environments; see ports.unit_of_work.Work."""

from collections.abc import Sequence
from typing import Protocol

import attrs

from hvcore.domain.access.tenants import Environment, Organization


@attrs.frozen(kw_only=True)
class CaptionedEnvironments:
    """
    Count the environments that have the same languages for captions of their new videos.

    Attributes:
        languages: The languages, or AUTO.
        count: The number of environments.
        example: One of the environments, as ``organization/name``.
    """

    languages: tuple[str, ...]
    count: int
    example: str


class TenantRepository(Protocol):
    """Store organizations and environments."""

    def organization(self, org_id: str) -> Organization | None: ...

    def organizations(self) -> Sequence[Organization]:
        """Return all organizations, oldest first."""
        ...

    def add_organization(self, organization: Organization) -> None:
        """
        Store a new organization.

        Raises:
            AlreadyExistsError: Another organization has the id.
        """
        ...

    def environment(self, org_id: str, ref: str) -> Environment | None:
        """
        Return an organization's environment by its id or its name.

        None if there is no such environment.
        """
        ...

    def environments(self, org_id: str) -> Sequence[Environment]:
        """Return an organization's environments, oldest first."""
        ...

    def add_environment(self, environment: Environment) -> None:
        """
        Store a new environment.

        Raises:
            AlreadyExistsError: Another environment has the id or the name.
        """
        ...

    def lock_environments(self, org_id: str) -> Sequence[Environment]:
        """Return an organization's environments, locked until the transaction ends."""
        ...

    def set_title(self, environment: Environment, title: str) -> None:
        """
        Store the title under which people see an environment.

        "" shows the environment's ``name``.
        """
        ...

    def set_caption_languages(
        self, environment: Environment, languages: Sequence[str] | None
    ) -> None:
        """
        Store the languages in which a machine makes captions of an environment's new videos.

        Args:
            languages: None for those of the deployment.
        """
        ...

    def captioned_environments(self) -> Sequence[CaptionedEnvironments]:
        """Return the environments with captions of their own for new videos, by the languages."""
        ...
