"""The port of caches in front of the service: what they must forget."""

from abc import ABC, abstractmethod
from enum import Enum

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId


class InvalidationReason(Enum):
    """The reason for which caches may not serve a video's files any more."""

    DELETED = "deleted"
    MADE_PRIVATE = "made_private"
    REVOKED = "revoked"


@attrs.frozen(kw_only=True)
class InvalidationOrder:
    """
    The addresses that caches must remove, and the reason.

    Attributes:
        id: The same however often the order is carried out.
        video_id: The video whose files are removed.
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
    Tells a cache, such as a CDN, what to remove.

    Called by a thread of a worker after the change took effect, at least once
    for each order, and by several threads at once; a call that fails is made again until
    it succeeds. An order that comes again is carried out again: what its cache answered
    may have been lost. What is not in the cache is no failure.

    No secret, such as a provider's token, is in an error, a log line, or a repr.
    """

    @abstractmethod
    def invalidate(self, order: InvalidationOrder) -> None:
        """
        Have the cache forget; it has, or will soon, when this returns.

        It may take half a minute.

        Raises:
            UnavailableError: The cache does not answer, or refuses; the order is
                repeated.
        """

    def close(self) -> None:
        """Release the connections of the invalidator; called once, at the end."""
