"""
Which service does the work of which kind of task.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from hvcore.domain.tasks import Task
from hvcore.domain.webhooks import DELIVER_KIND
from hvcore.ports.unit_of_work import Work
from hvcore.services import deletion as deleting
from hvcore.services import uploads as uploading
from hvcore.services.cache_purging import CachePurging
from hvcore.services.custom_thumbnails import MAKE_KIND, CustomThumbnails
from hvcore.services.deletion import Deletion
from hvcore.services.fetching import FETCH_KIND, Fetching
from hvcore.services.leases import TaskRun
from hvcore.services.playback_changes import PURGE_KIND as CACHE_PURGE_KIND
from hvcore.services.task_runs import TaskHandler
from hvcore.services.tidying import TIDY_KIND, Tidying
from hvcore.services.transcoding import (
    ASSEMBLE_KIND,
    PART_KIND,
    PLAN_KIND,
    Transcoding,
)
from hvcore.services.uploads import Uploads
from hvcore.services.webhook_deliveries import WebhookDeliveries


class GiveUp(Protocol):
    """
    See TaskHandler.give_up.
    """

    def __call__(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        End the task as failed.
        """
        ...


def _just_fail(work: Work, task: Task, reason: str, *, error: str) -> None:
    del reason  # nobody waits for it
    work.tasks.fail(task, error=error)


@attrs.frozen(kw_only=True)
class ServiceMethod:
    """
    A task's work, done by a method of a service.

    Attributes:
        is_patient: Tried for ever, because it must succeed in the end.
    """

    run: Callable[[TaskRun], None]
    give_up: GiveUp = _just_fail
    is_patient: bool = False


def handlers(  # noqa: PLR0913 - one per service
    *,
    transcoding: Transcoding,
    deletion: Deletion,
    uploads: Uploads,
    custom_thumbnails: CustomThumbnails,
    tidying: Tidying,
    fetching: Fetching,
    cache_purging: CachePurging,
    webhook_deliveries: WebhookDeliveries,
) -> Mapping[str, TaskHandler]:
    """
    Return the handler of every kind of task.
    """
    return {
        PLAN_KIND: ServiceMethod(run=transcoding.plan, give_up=transcoding.give_up),
        PART_KIND: ServiceMethod(run=transcoding.run_part, give_up=transcoding.give_up),
        ASSEMBLE_KIND: ServiceMethod(
            run=transcoding.assemble, give_up=transcoding.give_up
        ),
        TIDY_KIND: ServiceMethod(run=tidying.tidy, is_patient=True),
        FETCH_KIND: ServiceMethod(run=fetching.run, give_up=fetching.give_up),
        deleting.PURGE_KIND: ServiceMethod(run=deletion.purge, is_patient=True),
        uploading.PURGE_KIND: ServiceMethod(run=uploads.purge, is_patient=True),
        # It ends by its own schedule; a bug of ours must not end it before.
        DELIVER_KIND: ServiceMethod(run=webhook_deliveries.deliver, is_patient=True),
        # What a cache goes on serving is worse than any number of attempts.
        CACHE_PURGE_KIND: ServiceMethod(run=cache_purging.purge, is_patient=True),
        MAKE_KIND: ServiceMethod(run=custom_thumbnails.make),
    }
