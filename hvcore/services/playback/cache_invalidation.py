"""Tell caches in front of the service which files to remove: the work of ``cache.purge``."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, cast

import attrs

from hvcore.domain.ids import EnvId, VideoId
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.ports.cache_invalidation import (
    CacheInvalidator,
    InvalidationOrder,
    InvalidationReason,
)
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.tasks.leases import TaskRun

UNKNOWN_WAITS: Final = timedelta(minutes=1)
"""How long an order waits for its invalidator: while settings change, old workers may lack it."""
UNKNOWN_FOR: Final = timedelta(days=1)
"""The age of an order from which its invalidator counts as taken out of the settings."""

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class CacheInvalidation:
    """
    Do the ``cache.purge`` tasks, each until its cache invalidator has accepted the order.

    Attributes:
        invalidators: The cache invalidators by name.
    """

    uow: UnitOfWork
    invalidators: Mapping[str, CacheInvalidator]

    def run(self, run: TaskRun) -> None:
        """
        Hand an invalidation order to the invalidator that it names.

        If this process has no such invalidator, the task waits for a process that has, for a day.

        Raises:
            UnavailableError: The cache does not answer; the task is tried again.
        """
        task = run.task
        payload = cast(Mapping[str, Any], task.payload)
        invalidator = self.invalidators.get(payload["purger"])
        if invalidator is None:
            self._await_invalidator(run, payload["purger"])
            return
        invalidator.invalidate(
            InvalidationOrder(
                id=task.id,
                reason=InvalidationReason(payload["reason"]),
                org_id=task.org_id,
                env_id=EnvId(payload["env_id"]),
                video_id=VideoId(task.subject),
                address_prefixes=tuple(payload["prefixes"]),
            )
        )
        with self.uow.write() as work:
            run.finish(work)
            video = work.videos.find(task.subject)
            # A video that was restored meanwhile has no deletion to certify.
            is_deleted = video is None or video.state is VideoState.DELETED
            if payload["reason"] == InvalidationReason.DELETED.value and is_deleted:
                work.removals.add(
                    Removal.once(
                        video_id=VideoId(task.subject),
                        kind=RemovalKind.CACHE,
                        place=payload["purger"],
                        actor=task.id,
                        pieces=len(payload["prefixes"]),
                        at=work.now(),
                    )
                )
            work.commit()

    def _await_invalidator(self, run: TaskRun, name: str) -> None:
        task = run.task
        with self.uow.write() as work:
            now = work.now()
            is_given_up = now - task.created_at >= UNKNOWN_FOR
            if is_given_up:
                run.finish(work)
            else:
                why = f"There is no cache invalidator {name} here."
                run.put_back(work, not_before=now + UNKNOWN_WAITS, error=why)
            work.commit()
        if is_given_up:
            _log.warning(
                "The caches of the invalidator %s were not told to forget the video %s: no "
                "worker had this invalidator (HV_EDGE__CACHE_INVALIDATORS) within %d hours.",
                *(name, task.subject, UNKNOWN_FOR // timedelta(hours=1)),
            )
