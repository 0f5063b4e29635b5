"""
Calls of the API: Service.

Written by hvcore_client_generator; do not change it by hand.
"""

from typing import Any

from hvcore_client.async_caller import AsyncCaller
from hvcore_client.generated import models, operations


class AsyncServiceCalls(AsyncCaller):
    """Service."""

    async def get_health(self) -> models.Health:
        """
        Ask whether the service can work.

        Needs no key.
        """
        return await self._call(operations.GET_HEALTH, {})

    async def get_liveness(self) -> models.Liveness:
        """
        Ask whether the process answers.

        Needs no key.
        """
        return await self._call(operations.GET_LIVENESS, {})

    async def get_readiness(self) -> models.Liveness:
        """
        Ask whether the process can serve now; 503 if not.

        Needs no key.
        """
        return await self._call(operations.GET_READINESS, {})

    async def list_environments_in_organization(
        self, org_id: str
    ) -> models.EnvironmentList:
        """
        List the environments that the key may use; also tests a key.

        Needs a key.

        Args:
            org_id: The organization.
        """
        return await self._call(
            operations.LIST_ENVIRONMENTS_IN_ORGANIZATION, {"org_id": org_id}
        )

    async def get_who_am_i(self) -> models.WhoAmI:
        """
        Describe the calling key, and what it may do.

        Needs a key.
        """
        return await self._call(operations.GET_WHO_AM_I, {})

    async def get_open_api_document(self) -> dict[str, Any]:
        """
        Get the description of every route (OpenAPI 3.1).

        Needs no key.
        """
        return await self._call(operations.GET_OPEN_API_DOCUMENT, {})
