"""
The composition root: from settings to services.

It is also the embedding API: ``with build(settings) as services: …``. Every
service is made when it is first asked for, so that each process loads and
connects only what it uses. Build after a fork, never before.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

import attrs
from sqlalchemy.engine import Engine

from hvcore.clock import Clock, SystemClock
from hvcore.domain.tasks import Task
from hvcore.errors import ConfigError
from hvcore.persistence.engine import make_engine
from hvcore.persistence.key_book import SqlKeyBook
from hvcore.persistence.migrate import is_current, migrate
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.persistence.queries import SqlPlaybackDirectory
from hvcore.persistence.recount import recount
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.video_catalog import SqlVideoCatalog
from hvcore.playback_tokens import KeyRing, TokenKey
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.context import BuildContext
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.registry import Registry, load_plugins
from hvcore.safe_http import OutboundHttp
from hvcore.services.access import Access
from hvcore.services.analytics import Analytics
from hvcore.services.attempt_files import AttemptFiles
from hvcore.services.audit import Audit
from hvcore.services.catalog import Catalog
from hvcore.services.custom_thumbnails import CustomThumbnails
from hvcore.services.deletion import Deletion
from hvcore.services.delivery import Delivery
from hvcore.services.drain import Drain
from hvcore.services.edge_keys import EdgeKeys
from hvcore.services.edge_playback import EdgePlayback
from hvcore.services.editing import Editing
from hvcore.services.events import Events
from hvcore.services.fetching import Fetching
from hvcore.services.health import Health
from hvcore.services.idempotency import Idempotency
from hvcore.services.keys import Keys
from hvcore.services.link_pages import LinkPages
from hvcore.services.playback import Playback
from hvcore.services.processing import Processing
from hvcore.services.rate_limits import RateLimits
from hvcore.services.resumable import ResumableUploads
from hvcore.services.segment_counting import SpooledCounter
from hvcore.services.share_playback import SharePlayback
from hvcore.services.shares import Shares
from hvcore.services.task_runs import TaskRuns, ring_for
from hvcore.services.tenants import Tenants
from hvcore.services.thumbnails import Thumbnails
from hvcore.services.transcoding import Transcoding
from hvcore.services.uploads import Uploads
from hvcore.services.webhook_deliveries import WebhookDeliveries
from hvcore.services.webhooks import Webhooks
from hvcore.settings import Settings
from hvcore.spool import Spool
from hvcore.tasks import handlers
from hvcore.upload_signing import UploadSigner

OVERRIDABLE: Final = frozenset(
    {
        "analytics_store",
        "clock",
        "outbound",
        "queue",
        "rate_limit_store",
        "storage",
        "transcoder",
    }
)


@attrs.frozen(kw_only=True)
class _Recipe:
    settings: Settings
    work_dir: Path
    overrides: Mapping[str, Any]
    rings: bool


class Services:
    """
    The use cases, wired; close it, or use it as a context manager.

    Not made directly: see :func:`build`. The attributes are made when they
    are first read, which must happen in one thread.
    """

    def __init__(self, recipe: _Recipe) -> None:
        self._recipe = recipe
        self.settings = recipe.settings

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """
        Release every backend and connection that was made.
        """
        made = vars(self)
        for name in ("queue", "transcoder", "storage", "rate_limit_store"):
            if name in made and name not in self._recipe.overrides:
                made[name].close()
        if "spool" in made:
            made["spool"].close()
        if "_sinks" in made and "analytics_store" not in self._recipe.overrides:
            for sink in made["_sinks"].values():
                sink.close()
        if "_providers" in made:
            for provider in made["_providers"]:
                provider.close()
        if "engine" in made:
            made["engine"].dispose()

    @cached_property
    def clock(self) -> Clock:
        """
        The time.
        """
        return self._overridden("clock") or SystemClock()

    @cached_property
    def registry(self) -> Registry:
        """
        The backends on offer.
        """
        return load_plugins(self.settings)

    @cached_property
    def engine(self) -> Engine:
        """
        The database connection of this process.
        """
        return make_engine(self.settings.database.url)

    @cached_property
    def uow(self) -> SqlUnitOfWork:
        """
        Opens transactions.
        """
        ring = self._ring if self._recipe.rings else None
        return SqlUnitOfWork(self.engine, self.clock, ring)

    @cached_property
    def storage(self) -> Storage:
        """
        The chosen storage.
        """
        return self._overridden("storage") or self.registry.storage(
            self.settings, self._context
        )

    @cached_property
    def transcoder(self) -> Transcoder:
        """
        The chosen transcoder.
        """
        return self._overridden("transcoder") or self.registry.transcoder(
            self.settings, self._context
        )

    @cached_property
    def queue(self) -> Queue:
        """
        The chosen queue.
        """
        return self._overridden("queue") or self.registry.queue(
            self.settings, self._context
        )

    @cached_property
    def rate_limit_store(self) -> RateLimitStore:
        """
        The chosen store of rate limits.
        """
        return self._overridden("rate_limit_store") or self.registry.rate_limit_store(
            self.settings, self._context
        )

    @cached_property
    def analytics_store(self) -> AnalyticsStore:
        """
        The sink of served segments that answers questions.
        """
        return self._overridden("analytics_store") or cast(
            AnalyticsStore, self._sinks[self.settings.analytics.store]
        )

    @cached_property
    def spool(self) -> Spool:
        """
        Where this process writes down what it serves.
        """
        return Spool(self.spool_dir)

    @cached_property
    def key_ring(self) -> KeyRing:
        """
        Issues and verifies playback tokens.
        """
        playback = self.settings.playback
        materials = (playback.signing_key, *playback.retired_keys)
        return KeyRing(
            issuer=playback.issuer,
            keys=[TokenKey.load(material.encode()) for material in materials],
        )

    @cached_property
    def upload_signer(self) -> UploadSigner:
        """
        Signs and verifies upload addresses.
        """
        return UploadSigner(self.settings.uploads.signing_key.encode())

    @cached_property
    def outbound(self) -> OutboundHttp:
        """
        Outgoing requests to public addresses and allowed hosts.
        """
        return self._overridden("outbound") or OutboundHttp(
            allowed_hosts=self.settings.fetch.allowed_hosts
        )

    @cached_property
    def access(self) -> Access:
        """
        Recognises callers.
        """
        return Access(uow=self.uow, providers=self._providers)

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
    def processing(self) -> Processing:
        """
        Starting and restarting jobs.
        """
        return Processing(uow=self.uow, transcoder=self.transcoder, clock=self.clock)

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
        return Deletion(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def playback(self) -> Playback:
        """
        Signed playback addresses.
        """
        return Playback(
            uow=self.uow,
            key_ring=self.key_ring,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def delivery(self) -> Delivery:
        """
        Playlists and segments.
        """
        return Delivery(
            directory=SqlPlaybackDirectory(self.engine),
            storage=self.storage,
            key_ring=self.key_ring,
            clock=self.clock,
            counter=SpooledCounter(spool=self.spool, clock=self.clock),
            player_url=self.settings.public.player_url,
        )

    @cached_property
    def drain(self) -> Drain:
        """
        Brings what was served to the sinks.
        """
        return Drain(folder=self.spool_dir, sinks=self._sinks, spool=self.spool)

    @cached_property
    def analytics(self) -> Analytics:
        """
        Answers what was watched.
        """
        return Analytics(uow=self.uow, store=self.analytics_store, clock=self.clock)

    @cached_property
    def edge_playback(self) -> EdgePlayback:
        """
        Playlists and segments by edge key.
        """
        return EdgePlayback(delivery=self.delivery, pages=self._link_pages)

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
    def edge_keys(self) -> EdgeKeys:
        """
        Making and revoking edge keys.
        """
        return EdgeKeys(uow=self.uow, public=self.settings.public, clock=self.clock)

    @cached_property
    def shares(self) -> Shares:
        """
        Making and revoking share links.
        """
        return Shares(uow=self.uow, public=self.settings.public, clock=self.clock)

    @cached_property
    def editing(self) -> Editing:
        """
        Changes of names, descriptions and visibility.
        """
        return Editing(uow=self.uow)

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
            transcoder=self.transcoder,
            files=AttemptFiles(storage=self.storage, work_dir=self._recipe.work_dir),
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
                fetching=self.fetching,
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

    def is_migrated(self) -> bool:
        """
        Tell whether the database's tables are at this version.

        Raises:
            UnavailableError: The database does not answer.
        """
        return is_current(self.engine) and all(
            sink.is_prepared() for sink in self._sinks.values()
        )

    def migrate(self) -> None:
        """
        Bring the database's tables up to this version.
        """
        migrate(self.engine)
        for sink in self._sinks.values():
            sink.prepare()

    def recount(self) -> None:
        """
        Make the kept totals of videos equal to the videos.
        """
        recount(self.engine)

    @cached_property
    def _sinks(self) -> Mapping[str, AnalyticsSink]:
        if store := self._overridden("analytics_store"):
            return {"analytics_store": store}
        return self.registry.analytics_sinks(self.settings, self._context)

    @property
    def spool_dir(self) -> Path:
        """
        Where counts wait for the sinks.
        """
        # An absolute path stays what it is.
        return self.settings.data_dir / (self.settings.analytics.spool_dir or "spool")

    @cached_property
    def _link_pages(self) -> LinkPages:
        return LinkPages(
            key_ring=self.key_ring, clock=self.clock, public=self.settings.public
        )

    @cached_property
    def _providers(self) -> Any:  # noqa: ANN401 - a tuple of AuthProvider
        return self.registry.auth_providers(self.settings, self._context)

    @cached_property
    def _context(self) -> BuildContext:
        state_dir = self.settings.data_dir / "state"
        state_dir.mkdir(parents=True, exist_ok=True)
        return BuildContext(
            clock=self.clock,
            state_dir=state_dir,
            work_dir=self._recipe.work_dir,
            keys=SqlKeyBook(self.engine, self.clock),
            database=PluginDatabase(self.engine),
        )

    def _ring(self, tasks: Sequence[Task]) -> None:
        ring_for(self.queue, tasks)

    def _overridden(self, name: str) -> Any:  # noqa: ANN401 - checked by the caller's type
        return self._recipe.overrides.get(name)


def build(
    settings: Settings,
    *,
    work_dir: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    rings: bool = True,
) -> Services:
    """
    Wire the services.

    Args:
        work_dir: A folder for temporary files; default in the data folder.
        overrides: Ready-made ports by name, instead of the chosen backends:
            ``clock``, ``storage``, ``transcoder``, ``queue``, ``outbound``,
            ``rate_limit_store``, ``analytics_store``.
        rings: Whether tasks are put into the queue at once. A tool without a
            connection to the queue leaves that to the sweep.

    Raises:
        ConfigError: An override of something that cannot be overridden.
    """
    overrides = dict(overrides or {})
    if unknown := overrides.keys() - OVERRIDABLE:
        raise ConfigError(
            f"Cannot override {', '.join(sorted(unknown))}; what can be is "
            f"{', '.join(sorted(OVERRIDABLE))}."
        )
    folder = work_dir or settings.data_dir / "work"
    return Services(
        _Recipe(settings=settings, work_dir=folder, overrides=overrides, rings=rings)
    )
