"""Map each kind of task to the service method that does its work."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

import attrs

from hvcore.domain.tasks.kinds import (
    BULK_CHANGE,
    CACHE_INVALIDATION,
    CAPTIONS_MAKE,
    FETCH_GET,
    SHARE_CODE_SEND,
    SHARE_LINK_SEND,
    SIGN_IN_MAIL_SEND,
    SUBSCRIBER_TELL,
    THUMBNAIL_MAKE,
    THUMBNAIL_TIDY,
    TRANSCODE_ASSEMBLE,
    TRANSCODE_CANCEL,
    TRANSCODE_PART,
    TRANSCODE_PLAN,
    TRANSCODE_REMOTE,
    TRANSCODE_REMOTE_ASSEMBLE,
    TRANSCODE_REPAIR,
    TRANSCODE_TIDY,
    UPLOAD_PURGE,
    UPLOAD_TAKE,
    VIDEO_PURGE,
    WEBHOOK_DELIVER,
)
from hvcore.domain.tasks.task import BACKOFF, CAPTIONS_BACKOFF, Task
from hvcore.ports.unit_of_work import Work
from hvcore.services.bulk.runs import BulkRuns
from hvcore.services.captions.making import CaptionMaking
from hvcore.services.links.share_code_mails import ShareCodeMails
from hvcore.services.links.share_link_mails import ShareLinkMails
from hvcore.services.playback.cache_invalidation import CacheInvalidation
from hvcore.services.processing.attempt_cleanup import AttemptCleanup
from hvcore.services.processing.remote_cancels import RemoteCancels
from hvcore.services.processing.repaired_parts import RepairedParts
from hvcore.services.processing.transcoding import Transcoding
from hvcore.services.sign_in.sign_in_mails import SignInMails
from hvcore.services.tasks.handlers import TaskHandler
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.uploads.direct_uploads import DirectUploads
from hvcore.services.uploads.fetching import Fetching
from hvcore.services.uploads.purges import UploadPurges
from hvcore.services.videos.custom_thumbnails import CustomThumbnails
from hvcore.services.videos.deletion import Deletion
from hvcore.services.videos.replaced_pictures import ReplacedPictures
from hvcore.services.webhooks.deliveries import WebhookDeliveries
from hvcore.services.webhooks.subscriptions import Subscriptions


class GiveUp(Protocol):
    """Type of the function that ends a task which cannot be done; see TaskHandler.give_up."""

    def __call__(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """End the task as failed."""
        ...


def _just_fail(work: Work, task: Task, reason: str, *, error: str) -> None:
    del reason  # nobody waits for it
    work.tasks.fail(task, error=error)


@attrs.frozen(kw_only=True)
class ServiceMethod:
    """
    Task handler that calls a method of a service.

    Attributes:
        give_up: Ends a task that cannot be done; by default, as failed.
        is_patient: Whether the task is tried for ever, because it must succeed in the end.
        backoff: The waits before the second attempt, and before each later one.
    """

    run: Callable[[TaskRun], None]
    give_up: GiveUp = _just_fail
    is_patient: bool = False
    backoff: Sequence[timedelta] = BACKOFF


def handlers(  # noqa: PLR0913 - one per service
    *,
    transcoding: Transcoding,
    deletion: Deletion,
    upload_purges: UploadPurges,
    direct_uploads: DirectUploads,
    custom_thumbnails: CustomThumbnails,
    replaced_pictures: ReplacedPictures,
    attempt_cleanup: AttemptCleanup,
    repaired_parts: RepairedParts,
    remote_cancels: RemoteCancels,
    fetching: Fetching,
    cache_invalidation: CacheInvalidation,
    webhook_deliveries: WebhookDeliveries,
    subscriptions: Subscriptions,
    share_code_mails: ShareCodeMails,
    share_link_mails: ShareLinkMails,
    sign_in_mails: SignInMails,
    caption_making: CaptionMaking,
    bulk_runs: Callable[[], BulkRuns],
) -> Mapping[str, TaskHandler]:
    """
    Return the handler of every kind of task, by kind.

    Args:
        bulk_runs: Makes the service of bulk changes, or returns the one that it has made. It
            needs sign-in backends, which a program that embeds hvcore may not have.
    """

    def run_bulk_change(run: TaskRun) -> None:
        bulk_runs().run(run)

    def give_up_bulk_change(work: Work, task: Task, reason: str, *, error: str) -> None:
        bulk_runs().give_up(work, task, reason, error=error)

    return {
        TRANSCODE_PLAN: ServiceMethod(
            run=transcoding.plan, give_up=transcoding.give_up
        ),
        TRANSCODE_PART: ServiceMethod(
            run=transcoding.run_part, give_up=transcoding.give_up
        ),
        TRANSCODE_REMOTE: ServiceMethod(
            run=transcoding.run_part, give_up=transcoding.give_up
        ),
        TRANSCODE_ASSEMBLE: ServiceMethod(
            run=transcoding.assemble, give_up=transcoding.give_up
        ),
        TRANSCODE_REMOTE_ASSEMBLE: ServiceMethod(
            run=transcoding.assemble, give_up=transcoding.give_up
        ),
        TRANSCODE_REPAIR: ServiceMethod(
            run=repaired_parts.repair, give_up=repaired_parts.give_up
        ),
        TRANSCODE_TIDY: ServiceMethod(run=attempt_cleanup.tidy, is_patient=True),
        # What runs elsewhere costs money until it is ended.
        TRANSCODE_CANCEL: ServiceMethod(run=remote_cancels.cancel, is_patient=True),
        FETCH_GET: ServiceMethod(run=fetching.run, give_up=fetching.give_up),
        VIDEO_PURGE: ServiceMethod(run=deletion.purge, is_patient=True),
        UPLOAD_PURGE: ServiceMethod(run=upload_purges.purge, is_patient=True),
        UPLOAD_TAKE: ServiceMethod(
            run=direct_uploads.run, give_up=direct_uploads.give_up
        ),
        # It ends by its own schedule; a bug of ours must not end it before.
        WEBHOOK_DELIVER: ServiceMethod(run=webhook_deliveries.deliver, is_patient=True),
        # Nobody may miss an event because of a bug in a plugin.
        SUBSCRIBER_TELL: ServiceMethod(run=subscriptions.tell, is_patient=True),
        # What a cache goes on serving is worse than any number of attempts.
        CACHE_INVALIDATION: ServiceMethod(run=cache_invalidation.run, is_patient=True),
        THUMBNAIL_MAKE: ServiceMethod(run=custom_thumbnails.make),
        THUMBNAIL_TIDY: ServiceMethod(run=replaced_pictures.remove, is_patient=True),
        SHARE_CODE_SEND: ServiceMethod(run=share_code_mails.send),
        SHARE_LINK_SEND: ServiceMethod(run=share_link_mails.send),
        SIGN_IN_MAIL_SEND: ServiceMethod(run=sign_in_mails.send),
        CAPTIONS_MAKE: ServiceMethod(
            run=caption_making.run,
            give_up=caption_making.give_up,
            backoff=CAPTIONS_BACKOFF,
        ),
        BULK_CHANGE: ServiceMethod(run=run_bulk_change, give_up=give_up_bulk_change),
    }
