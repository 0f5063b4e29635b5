"""
The use cases, wired: what every room of the services needs, put together.
"""

from functools import cached_property

from hvcore.assembly.analytics import AnalyticsWiring
from hvcore.assembly.edge import EdgeWiring
from hvcore.assembly.processing import ProcessingWiring
from hvcore.assembly.task_handlers import handlers
from hvcore.assembly.uploads import UploadWiring
from hvcore.assembly.webhooks import WebhookWiring
from hvcore.services.health import Health
from hvcore.services.playback.cache_purges import CachePurges
from hvcore.services.processing.attempt_cleanup import AttemptCleanup
from hvcore.services.tasks.runs import TaskRuns
from hvcore.services.webhooks.deliveries import WebhookDeliveries


class Services(
    AnalyticsWiring, EdgeWiring, ProcessingWiring, UploadWiring, WebhookWiring
):
    """
    The use cases, wired; close it, or use it as a context manager.

    Not made directly: see :func:`hvcore.assembly.build`. The attributes are
    made when they are first read, which must happen in one thread.
    """

    @cached_property
    def task_runs(self) -> TaskRuns:
        """
        Running and sweeping tasks.
        """
        return TaskRuns(
            uow=self.uow,
            queue=self.queue,
            clock=self.clock,
            most_percent=self.settings.shares.encoders_percent,
            handlers=handlers(
                transcoding=self.transcoding,
                deletion=self.deletion,
                uploads=self.uploads,
                custom_thumbnails=self.custom_thumbnails,
                attempt_cleanup=AttemptCleanup(
                    uow=self.uow,
                    storage=self.storage,
                    files=self._attempt_files,
                    source_captions=self._source_captions,
                ),
                fetching=self.fetching,
                cache_purges=CachePurges(purgers=self._purgers),
                webhook_deliveries=WebhookDeliveries(
                    uow=self.uow, outbound=self.outbound, clock=self.clock
                ),
            ),
        )

    @cached_property
    def health(self) -> Health:
        """
        Tells whether the service can serve.
        """
        return Health(
            uow=self.uow,
            storage=self.storage,
            queue=self.queue,
            transcoder=self.transcoder,
        )
