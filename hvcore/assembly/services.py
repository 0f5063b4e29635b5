"""Combine the services of all parts into the class Services."""

from functools import cached_property
from typing import Final

from hvcore.assembly.analytics import AnalyticsWiring
from hvcore.assembly.copies import CopyWiring
from hvcore.assembly.edge import EdgeWiring
from hvcore.assembly.extensions import ExtensionWiring
from hvcore.assembly.repair import RepairWiring
from hvcore.assembly.sign_in import SignInWiring
from hvcore.assembly.task_handlers import handlers
from hvcore.assembly.uploads import UploadWiring
from hvcore.assembly.webhooks import WebhookWiring
from hvcore.ports.storage import SupportsRoomCheck
from hvcore.services.bulk.changes import BulkChanges
from hvcore.services.bulk.question_limit import QuestionLimit
from hvcore.services.bulk.runs import BulkRuns
from hvcore.services.health import Health
from hvcore.services.links.share_code_mails import ShareCodeMails
from hvcore.services.links.share_link_mails import ShareLinkMails
from hvcore.services.playback.cache_invalidation import CacheInvalidation
from hvcore.services.processing.attempt_cleanup import AttemptCleanup
from hvcore.services.readiness import Readiness
from hvcore.services.room_to_write import RoomToWrite
from hvcore.services.sign_in.signing_key_operations import SigningKeyOperations
from hvcore.services.tasks.overview import TaskOverviews
from hvcore.services.tasks.runs import TaskRuns
from hvcore.services.tasks.waiting_videos import WaitingVideos
from hvcore.services.videos.caption_editing import CaptionEditing
from hvcore.services.videos.replaced_pictures import ReplacedPictures
from hvcore.services.webhooks.deliveries import WebhookDeliveries

ROOM_TRIAL: Final = "room_tried.json"


class Services(
    AnalyticsWiring,
    CopyWiring,
    EdgeWiring,
    ExtensionWiring,
    RepairWiring,
    SignInWiring,
    UploadWiring,
    WebhookWiring,
):
    """
    All services of a process, wired together; use it as a context manager, or close it.

    Made by :func:`hvcore.assembly.build`. The attributes are made when they are first read,
    which must happen in one thread.
    """

    @cached_property
    def signing_key_operations(self) -> SigningKeyOperations:
        """The service for changes of signing keys that people make on dashboard pages."""
        return SigningKeyOperations(
            signing_keys=self.signing_keys, limits=self.operation_limits
        )

    @cached_property
    def caption_editing(self) -> CaptionEditing:
        """The service for captions that people edit cue by cue on dashboard pages."""
        return CaptionEditing(
            uow=self.uow, transcripts=self.transcripts, captions=self.captions
        )

    @cached_property
    def bulk_changes(self) -> BulkChanges:
        """The service for changes of many videos that people order on dashboard pages."""
        return BulkChanges(
            uow=self.uow,
            videos=self.video_catalog,
            questions=QuestionLimit(store=self.rate_limit_store, clock=self.clock),
            clock=self.clock,
            keep_hours=self.settings.dashboard.bin_hours,
        )

    @cached_property
    def _bulk_runs(self) -> BulkRuns:
        return BulkRuns(
            uow=self.uow,
            clock=self.clock,
            editing=self.editing,
            deletion=self.deletion,
            limits=self.operation_limits,
            sessions=self.sign_in_sessions,
        )

    @cached_property
    def task_runs(self) -> TaskRuns:
        return TaskRuns(
            uow=self.uow,
            queue=self.queue,
            clock=self.clock,
            most_percent=self.settings.shares.encoders_percent,
            handlers=handlers(
                transcoding=self.transcoding,
                deletion=self.deletion,
                upload_purges=self.upload_purges,
                direct_uploads=self.direct_uploads,
                custom_thumbnails=self.custom_thumbnails,
                replaced_pictures=ReplacedPictures(uow=self.uow, storage=self.storage),
                attempt_cleanup=AttemptCleanup(
                    uow=self.uow,
                    storage=self.storage,
                    files=self._attempt_files,
                    source_captions=self._source_captions,
                ),
                repaired_parts=self.repaired_parts,
                remote_cancels=self.remote_cancels,
                fetching=self.fetching,
                cache_invalidation=CacheInvalidation(
                    uow=self.uow, invalidators=self._cache_invalidators
                ),
                webhook_deliveries=WebhookDeliveries(
                    uow=self.uow,
                    outbound=self.outbound,
                    public=self.settings.public,
                    clock=self.clock,
                ),
                subscriptions=self.subscriptions,
                share_code_mails=ShareCodeMails(uow=self.uow, mailer=self.mailer),
                share_link_mails=ShareLinkMails(
                    uow=self.uow, shares=self.shares, mailer=self.mailer
                ),
                sign_in_mails=self.sign_in_mails,
                caption_making=self.caption_making,
                bulk_runs=lambda: self._bulk_runs,
            ),
        )

    @cached_property
    def waiting_videos(self) -> WaitingVideos:
        """The service that tells the places in the queue of videos that wait for an encoder."""
        return WaitingVideos(uow=self.uow)

    @cached_property
    def task_overviews(self) -> TaskOverviews:
        """The service that gives an overview of the tasks of all lanes."""
        return TaskOverviews(uow=self.uow, queue=self.queue)

    @cached_property
    def readiness(self) -> Readiness:
        """The readiness check of delivery: database and storage."""
        return Readiness({"database": self.uow.ping, "storage": self.storage.ping})

    @cached_property
    def api_readiness(self) -> Readiness:
        """The readiness check of the API: database only, as lists and details need no storage."""
        return Readiness({"database": self.uow.ping})

    @cached_property
    def health(self) -> Health:
        """The health report of the API and of the whole service."""
        return Health(
            uow=self.uow,
            storage=self.storage,
            queue=self.queue,
            transcoder=self.transcoder,
            room=self.room_to_write,
        )

    @cached_property
    def delivery_health(self) -> Health:
        """The health report of delivery (the processes that serve videos), whose hosts need neither an encoder nor the queue."""
        return Health(
            uow=self.uow,
            storage=self.storage,
            queue=None,
            transcoder=None,
            room=self.room_to_write,
        )

    @cached_property
    def room_to_write(self) -> RoomToWrite:
        """The service that tells whether this host has room for uploads."""
        trials = [self.uow.check_room, self.uploads.check_room]
        if isinstance(self.storage, SupportsRoomCheck):
            trials.append(self.storage.check_room)
        return RoomToWrite(trials=trials, note=self.settings.data_dir / ROOM_TRIAL)
