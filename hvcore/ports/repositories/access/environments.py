"""The environments of organizations, outside of any transaction."""

from collections.abc import Sequence
from typing import Protocol

from hvcore.domain.access.tenants import Environment


class EnvironmentDirectory(Protocol):
    """Environments as of now; thread-safe."""

    def of_organization(self, org_id: str) -> Sequence[Environment] | None:
        """
        Return an organization's environments, oldest first; None without it.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
