"""The directory of organizations' environments, read outside of any transaction."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.tenants import Environment


class EnvironmentDirectory(Protocol):
    """Look up the present environments of organizations; thread-safe."""

    def of_organization(self, org_id: str) -> Sequence[Environment] | None:
        """
        Return an organization's environments, oldest first.

        Returns:
            The environments; None if the organization does not exist.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
