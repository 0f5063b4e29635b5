"""The cache invalidation port: tell caches in front of the service to forget files."""

from abc import ABC, abstractmethod
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId


class InvalidationReason(Enum):
    """Name the reasons for which caches may not serve a video's files any more."""

    DELETED = "deleted"
    MADE_PRIVATE = "made_private"
    REVOKED = "revoked"


@attrs.frozen(kw_only=True)
class InvalidationOrder:
    """
    List the addresses that caches must remove, and the reason.

    Attributes:
        id: The order's id, the same however often the order is carried out.
        video_id: The video whose files caches must remove.
        address_prefixes: Every address that begins with one of them, letter by letter,
            such as ``https://cdn.example.com/v1/private/vid_…/``. One need not end with
            ``/``: what may follow is the rest of a name, or a query. Any number, also
            none.
    """

    id: str
    reason: InvalidationReason
    org_id: OrgId
    env_id: EnvId
    video_id: VideoId
    address_prefixes: tuple[str, ...]


class CacheInvalidator(ABC):
    """
    Tell a cache, such as a CDN, which addresses to remove.

    Called by a thread of a worker after the change took effect, at least once for each
    order, and by several threads at once; a call that fails is made again until it
    succeeds. An order that comes again must be carried out again: the cache's earlier
    answer may have been lost. An address that is not in the cache is no failure.

    No error, log line or repr contains a secret, such as a provider's token.
    """

    @abstractmethod
    def invalidate(self, order: InvalidationOrder) -> None:
        """
        Tell the cache to remove the addresses of an order.

        When the method returns, the cache has removed them, or will soon. The call may
        take half a minute.

        Raises:
            UnavailableError: The cache does not answer, or refuses; the order is
                repeated.
        """

    def close(self) -> None:
        """Release the connections of the invalidator; called once, at the end."""
