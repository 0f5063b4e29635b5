"""
Calls of the API: Events.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import AsyncIterator

from hvcore_client.async_caller import AsyncCaller
from hvcore_client.generated import models, operations


class AsyncEventsCalls(AsyncCaller):
    """Events."""

    async def list_events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        event: str | None = None,
    ) -> models.VideoEventList:
        """
        List what has happened to videos since a cursor.

        Needs the permission `videos:read`.

        Args:
            after: The cursor of an earlier answer; without it, the list begins with the
                oldest event.
            limit: By default ``50``.
            event: Kinds separated by commas; by default all kinds.
        """
        return await self._call(
            operations.LIST_EVENTS, {"after": after, "limit": limit, "event": event}
        )

    def iterate_events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        event: str | None = None,
    ) -> AsyncIterator[models.VideoEvent]:
        """
        Go through all events of list_events, page by page.

        Needs the permission `videos:read`.

        Args:
            after: The cursor of an earlier answer; without it, the list begins with the
                oldest event.
            limit: By default ``50``.
            event: Kinds separated by commas; by default all kinds.
        """
        return self._iterate(
            operations.LIST_EVENTS, {"after": after, "limit": limit, "event": event}
        )
