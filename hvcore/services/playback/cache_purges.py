"""
Tell caches in front of the service what to remove: the work of ``cache.purge``.
"""

from collections.abc import Mapping
from typing import Any, cast

import attrs

from hvcore.domain.ids import EnvId, VideoId
from hvcore.ports.cache_purge import CachePurger, PurgeOrder, PurgeReason
from hvcore.services.tasks.leases import TaskRun


@attrs.frozen(kw_only=True)
class CachePurges:
    """
    Carry out orders, each until its purger has taken it.

    Attributes:
        purgers: By name.
    """

    purgers: Mapping[str, CachePurger]

    def purge(self, run: TaskRun) -> None:
        """
        Hand an order to its purger.

        Raises:
            UnavailableError: The cache does not answer; the task is tried again.
        """
        task = run.task
        payload = cast(Mapping[str, Any], task.payload)
        purger = self.purgers.get(payload["purger"])
        # None: it was taken out of the settings, so there is no such cache.
        if purger is not None:
            purger.purge(
                PurgeOrder(
                    id=task.id,
                    reason=PurgeReason(payload["reason"]),
                    org_id=task.org_id,
                    env_id=EnvId(payload["env_id"]),
                    video_id=VideoId(task.subject),
                    address_prefixes=tuple(payload["prefixes"]),
                )
            )
        run.finish()
