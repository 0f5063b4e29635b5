"""
The use cases, wired.
"""

from datetime import timedelta
from functools import cached_property

from hvcore.assembly.backends import Backends
from hvcore.assembly.task_handlers import handlers
from hvcore.changes_file import CHANGES_FILE, ChangesFile
from hvcore.errors import ConfigError
from hvcore.persistence.access.environments import SqlEnvironmentDirectory
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.totals import SqlVideoTotals
from hvcore.ports.analytics import AnalyticsReport, sink_that_reports
from hvcore.services.access.audit import Audit
from hvcore.services.access.callers import Access
from hvcore.services.access.idempotency import Idempotency
from hvcore.services.access.keys import Keys
from hvcore.services.access.rate_limits import RateLimits
from hvcore.services.access.tenants import Tenants
from hvcore.services.analytics.by_video import VideoAnalytics
from hvcore.services.analytics.counts import Analytics
from hvcore.services.analytics.live import LiveAnalytics
from hvcore.services.counting.drain import Drain
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import SessionNames, SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.services.edge.authorizations import EdgeAuthorizations
from hvcore.services.health import Health
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.edge_keys import EdgeKeys
from hvcore.services.links.link_pages import LinkPages
from hvcore.services.links.share_links import ShareLinks
from hvcore.services.links.share_playback import SharePlayback
from hvcore.services.playback.cache_purges import CachePurges
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.redirects import Redirects, can_redirect
from hvcore.services.playback.signed_urls import SignedUrls
from hvcore.services.playback.thumbnails import Thumbnails
from hvcore.services.processing.attempt_cleanup import AttemptCleanup
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.certificates import Certificates
from hvcore.services.processing.process_requests import ProcessRequests
from hvcore.services.processing.source_cache import SourceCache
from hvcore.services.processing.source_captions import SourceCaptions
from hvcore.services.processing.storyboards import Storyboards
from hvcore.services.processing.transcoding import Transcoding
from hvcore.services.tasks.runs import TaskRuns
from hvcore.services.uploads.fetching import Fetching
from hvcore.services.uploads.grants import Uploads
from hvcore.services.uploads.resumable import ResumableUploads
from hvcore.services.videos.captions import Captions
from hvcore.services.videos.catalog import Catalog
from hvcore.services.videos.custom_thumbnails import CustomThumbnails
from hvcore.services.videos.deletion import Deletion
from hvcore.services.videos.editing import Editing
from hvcore.services.webhooks.deliveries import WebhookDeliveries
from hvcore.services.webhooks.endpoints import Webhooks
from hvcore.services.webhooks.events import Events


class Services(Backends):
    """
    The use cases, wired; close it, or use it as a context manager.

    Not made directly: see :func:`hvcore.assembly.build`. The attributes are
    made when they are first read, which must happen in one thread.
    """

    @cached_property
    def access(self) -> Access:
        """
        Recognises callers.
        """
        return Access(
            uow=self.uow,
            directory=SqlEnvironmentDirectory(self.engine),
            providers=self._providers,
        )

    @cached_property
    def tenants(self) -> Tenants:
        """
        Organizations and environments.
        """
        return Tenants(uow=self.uow, clock=self.clock)

    @cached_property
    def keys(self) -> Keys:
        """
        API keys.
        """
        return Keys(uow=self.uow, tenants=self.tenants, clock=self.clock)

    @cached_property
    def audit(self) -> Audit:
        """
        What operators did.
        """
        return Audit(uow=self.uow)

    @cached_property
    def rate_limits(self) -> RateLimits | None:
        """
        Counts requests; None where limits are switched off.
        """
        limits = self.settings.limits
        if not limits.enabled:
            return None
        return RateLimits(
            store=self.rate_limit_store, settings=limits, clock=self.clock
        )

    @cached_property
    def idempotency(self) -> Idempotency:
        """
        Answers repeated requests as the first one.
        """
        return Idempotency(uow=self.uow)

    @cached_property
    def uploads(self) -> Uploads:
        """
        Bytes on their way in.
        """
        return Uploads(
            uow=self.uow,
            storage=self.storage,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
            work_dir=self._recipe.work_dir,
        )

    @cached_property
    def fetching(self) -> Fetching:
        """
        Bytes that the service gets for itself.
        """
        return Fetching(
            uow=self.uow,
            storage=self.storage,
            outbound=self.outbound,
            uploads=self.uploads,
            clock=self.clock,
        )

    @cached_property
    def resumable(self) -> ResumableUploads:
        """
        Uploads that go on where they were cut off.
        """
        return ResumableUploads(
            uow=self.uow,
            uploads=self.uploads,
            signer=self.upload_signer,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def processing(self) -> ProcessRequests:
        """
        Starting and restarting jobs.
        """
        return ProcessRequests(
            uow=self.uow, transcoder=self.transcoder, clock=self.clock
        )

    @cached_property
    def catalog(self) -> Catalog:
        """
        Lists and details.
        """
        return Catalog(videos=SqlVideoCatalog(self.engine), clock=self.clock)

    @cached_property
    def deletion(self) -> Deletion:
        """
        Deleting and purging.
        """
        return Deletion(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def playback(self) -> SignedUrls:
        """
        Signed playback addresses.
        """
        return SignedUrls(
            uow=self.uow,
            key_ring=self.key_ring,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def _redirects(self) -> Redirects | None:
        if not self.settings.playback.redirects:
            return None
        if not can_redirect(self.storage):
            raise ConfigError(
                "playback.redirects: this storage signs no addresses; use an object "
                "store that does (s3, gs, abfs), or set it to false."
            )
        return Redirects(clock=self.clock)

    @cached_property
    def delivery(self) -> Delivery:
        """
        Playlists and segments.
        """
        return Delivery(
            directory=SqlPlaybackDirectory(
                self.engine, ChangesFile(self.edge_folder / CHANGES_FILE)
            ),
            storage=self.storage,
            key_ring=self.key_ring,
            clock=self.clock,
            counter=SpooledCounter(
                spool=self.spool,
                sessions=SessionNotes(self.session_names),
                clock=self.clock,
                details=self.served_details,
            ),
            player_url=self.settings.public.player_url,
            redirects=self._redirects,
        )

    @cached_property
    def session_names(self) -> SessionNames:
        """
        Names viewers' sessions, and tells nobody who it was.
        """
        return SessionNames(self.settings.playback.signing_key)

    @cached_property
    def served_details(self) -> SegmentDetails:
        """
        Says what else is noted of a segment.
        """
        analytics = self.settings.analytics
        return SegmentDetails(
            country_header=analytics.country_header.lower(),
            keeps_referrers=analytics.referrers,
        )

    @cached_property
    def drain(self) -> Drain:
        """
        Brings what was served to the sinks.
        """
        return Drain(folder=self.spool_dir, sinks=self._sinks)

    @cached_property
    def analytics(self) -> Analytics:
        """
        Answers what was watched.
        """
        sinks = self._knowing_sinks
        return Analytics(
            totals=SqlVideoTotals(self.engine),
            videos=self.catalog.videos,
            store=self.analytics_store,
            ignored=sink_that_reports(AnalyticsReport.IGNORED, sinks),
            clock=self.clock,
        )

    @cached_property
    def live_analytics(self) -> LiveAnalytics:
        """
        Answers who is watching now.
        """
        sinks = self._knowing_sinks
        return LiveAnalytics(
            videos=self.catalog.videos,
            viewers=sink_that_reports(AnalyticsReport.VIEWERS, sinks),
            minutes=sink_that_reports(AnalyticsReport.MINUTES, sinks),
            clock=self.clock,
            minutes_kept_for=timedelta(days=self.settings.analytics.minutes_kept_days),
        )

    @cached_property
    def video_reports(self) -> VideoAnalytics:
        """
        Answers what else is known of a video's segments.
        """
        sinks = self._knowing_sinks
        return VideoAnalytics(
            videos=self.catalog.videos,
            store=self.analytics_store,
            quality=sink_that_reports(AnalyticsReport.QUALITY, sinks),
            origins=sink_that_reports(AnalyticsReport.BREAKDOWN, sinks),
            clock=self.clock,
        )

    @cached_property
    def edge_key_playback(self) -> EdgeKeyPlayback:
        """
        Playlists and segments by edge key.
        """
        return EdgeKeyPlayback(delivery=self.delivery, pages=self._link_pages)

    @cached_property
    def share_playback(self) -> SharePlayback:
        """
        Playlists and segments by share link.
        """
        return SharePlayback(
            uow=self.uow,
            delivery=self.delivery,
            key_ring=self.key_ring,
            pages=self._link_pages,
        )

    @cached_property
    def edge_authorizations(self) -> EdgeAuthorizations:
        """
        What an edge may serve by itself.
        """
        return EdgeAuthorizations(
            delivery=self.delivery,
            edge_key_playback=self.edge_key_playback,
            share_playback=self.share_playback,
        )

    @cached_property
    def edge_keys(self) -> EdgeKeys:
        """
        Making and revoking edge keys.
        """
        return EdgeKeys(
            uow=self.uow,
            public=self.settings.public,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def shares(self) -> ShareLinks:
        """
        Making and revoking share links.
        """
        return ShareLinks(
            uow=self.uow,
            public=self.settings.public,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def editing(self) -> Editing:
        """
        Changes of names, descriptions and visibility.
        """
        return Editing(uow=self.uow, changes=self._playback_changes)

    @cached_property
    def custom_thumbnails(self) -> CustomThumbnails:
        """
        Pictures that owners choose.
        """
        return CustomThumbnails(
            uow=self.uow,
            storage=self.storage,
            transcoder=self.transcoder,
            work_dir=self._recipe.work_dir,
        )

    @cached_property
    def captions(self) -> Captions:
        """
        Captions of videos.
        """
        return Captions(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def certificates(self) -> Certificates:
        """
        What checks of finished videos have found.
        """
        return Certificates(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def thumbnails(self) -> Thumbnails:
        """
        Pictures of any allowed size.
        """
        return Thumbnails(storage=self.storage, delivery=self.delivery)

    @cached_property
    def transcoding(self) -> Transcoding:
        """
        The work of transcode tasks.
        """
        return Transcoding(
            uow=self.uow,
            queue=self.queue,
            transcoder=self.transcoder,
            files=self._attempt_files,
            storyboards=Storyboards(storage=self.storage),
            certificates=self.certificates,
            source_captions=self._source_captions,
        )

    @cached_property
    def task_runs(self) -> TaskRuns:
        """
        Running and sweeping tasks.
        """
        return TaskRuns(
            uow=self.uow,
            queue=self.queue,
            clock=self.clock,
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
    def events(self) -> Events:
        """
        What has happened.
        """
        return Events(uow=self.uow, clock=self.clock)

    @cached_property
    def webhooks(self) -> Webhooks:
        """
        Webhook endpoints.
        """
        return Webhooks(
            uow=self.uow,
            tenants=self.tenants,
            outbound=self.outbound,
            clock=self.clock,
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

    @cached_property
    def source_cache(self) -> SourceCache:
        """
        Sources from far away that the next part needs again.
        """
        return SourceCache(storage=self.storage, work_dir=self._recipe.work_dir)

    @cached_property
    def _playback_changes(self) -> PlaybackChanges:
        return PlaybackChanges(
            file=self.edge_folder / CHANGES_FILE,
            purgers=self.settings.edge.purgers,
            public=self.settings.public,
        )

    @cached_property
    def _source_captions(self) -> SourceCaptions:
        return SourceCaptions(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def _attempt_files(self) -> AttemptFiles:
        return AttemptFiles(
            storage=self.storage,
            work_dir=self._recipe.work_dir,
            source_cache=self.source_cache,
        )

    @cached_property
    def _link_pages(self) -> LinkPages:
        return LinkPages(
            key_ring=self.key_ring, clock=self.clock, public=self.settings.public
        )
