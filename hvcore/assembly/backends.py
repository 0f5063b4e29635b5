"""Make the objects that all services need: the chosen backends, the database, keys and the clock."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self, cast

from sqlalchemy.engine import Engine

from hvcore.assembly.backend_choice.chosen_backends import ChosenBackends, release_all
from hvcore.assembly.made_once import made_once
from hvcore.assembly.own_keys import make_key_ring, make_upload_signer
from hvcore.assembly.recipe import Recipe
from hvcore.clock import Clock, SystemClock
from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS, ServiceKey
from hvcore.domain.tasks.task import Task
from hvcore.domain.webhooks.events import VIDEO_KINDS, EventKind
from hvcore.errors import ConfigError
from hvcore.failpoints import failpoint
from hvcore.hookspecs import EventSubscriberBackend
from hvcore.mail import make_mailer
from hvcore.persistence.access.key_book import SqlKeyBook
from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.persistence.server_limits import LIMITS_OF_JOBS, limits_of_requests
from hvcore.persistence.sign_in.sign_in_book import SqlSignInBook
from hvcore.persistence.unit_of_work import OnCommit, SqlUnitOfWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.playback_tokens import KeyRing
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.ports.context import BuildContext
from hvcore.ports.event_subscribers import EventSubscriber
from hvcore.ports.mail import Mailer
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.transcriber import Transcriber
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.registry import Choice, Registry, load_plugins
from hvcore.safe_http import OutboundHttp
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.runs import ring_for
from hvcore.signing.sealing import Sealer
from hvcore.signing.upload_addresses import UploadSigner
from hvcore.spool import Spool
from hvcore.throttling.log_lines import LOG_LINES


class Backends:
    """
    The objects that all services need, such as backends and database; each is made when it is first read.

    An object that connects to a server is made once, also if several threads read it.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.settings = recipe.settings
        LOG_LINES.of_one = recipe.settings.shares.log_lines_of_one

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """
        Close every backend and connection that was made.

        Raises:
            Exception: The first error that one of them raised; the others are closed all the
                same.
        """
        made = vars(self)
        releases = [made[name].close for name in ("spool", "_chosen") if name in made]
        if "engine" in made:
            releases.append(made["engine"].dispose)
        release_all(releases)

    @cached_property
    def clock(self) -> Clock:
        given: Clock | None = self._given("clock")
        return SystemClock() if given is None else given

    @made_once
    def registry(self) -> Registry:
        return load_plugins(self.settings)

    def make(self, choice: Choice) -> object:
        """
        Build a further instance of a chosen backend, beside the instance that the services use.

        Raises:
            HvcoreError: The backend cannot be built; see Registry.build.
        """
        return self.registry.build(choice, self._context)

    @made_once
    def engine(self) -> Engine:
        """The SQLAlchemy engine of this process."""
        database = self.settings.database
        host: Engine | None = self._given("engine")
        url = database.url
        if host is not None:
            url = host.url.render_as_string(hide_password=False)
        return make_engine(
            url,
            connections=self.recipe.connections,
            schema=database.schema,
            host=host,
            limits=(
                limits_of_requests(database.timeout_s)
                if self.recipe.answers_requests
                else LIMITS_OF_JOBS
            ),
        )

    @made_once
    def uow(self) -> UnitOfWork:
        return SqlUnitOfWork(self.engine, self.clock, self.on_commit, self.wanted_kinds)

    @cached_property
    def video_catalog(self) -> VideoCatalog:
        """The catalog of videos, read outside of any transaction."""
        return SqlVideoCatalog(self.engine)

    @property
    def on_commit(self) -> OnCommit | None:
        """Function that puts tasks into the queue after a commit; None if this process does not."""
        return self._ring if self.recipe.rings else None

    @made_once
    def storage(self) -> Storage:
        given: Storage | None = self._given("storage")
        return self._chosen.storage() if given is None else given

    @made_once
    def transcoder(self) -> Transcoder:
        given: Transcoder | None = self._given("transcoder")
        return self._chosen.transcoder() if given is None else given

    @made_once
    def transcoders(self) -> Transcoders:
        """All transcoders in use: the one that the settings choose, and those with which running jobs were begun."""
        return Transcoders(
            default=self.transcoder,
            default_name=self.settings.transcoder.backend,
            make=self._chosen.transcoder_named,
        )

    @made_once
    def transcriber(self) -> Transcriber | None:
        """The transcriber; None if nothing is transcribed."""
        given: Transcriber | None = self._given("transcriber")
        return self._chosen.transcriber() if given is None else given

    @made_once
    def queue(self) -> Queue:
        given: Queue | None = self._given("queue")
        return self._chosen.queue() if given is None else given

    @made_once
    def rate_limit_store(self) -> RateLimitStore:
        given: RateLimitStore | None = self._given("rate_limit_store")
        return self._chosen.rate_limit_store() if given is None else given

    @made_once
    def analytics_store(self) -> AnalyticsStore:
        """The analytics sink that also answers queries."""
        given: AnalyticsStore | None = self._given("analytics_store")
        if given is not None:
            return given
        return cast(AnalyticsStore, self._sinks[self.settings.analytics.store])

    @property
    def _knowing_sinks(self) -> Sequence[AnalyticsSink]:
        """The sinks to ask for reports that not every sink keeps, the store first."""
        return (self.analytics_store, *self._sinks.values())

    @made_once
    def spool(self) -> Spool:
        """The spool into which this process writes the video segments it serves."""
        return Spool(self.spool_dir)

    @cached_property
    def key_ring(self) -> KeyRing:
        """The key ring, which issues and verifies playback tokens with the service's keys."""
        load = partial(self._stored_keys, PLAYBACK)
        return make_key_ring(self.settings.playback, load, self.sealer)

    @cached_property
    def sealer(self) -> Sealer:
        """The sealer that encrypts secrets before they are stored in the database."""
        return Sealer(self._own_secret)

    @property
    def _own_secret(self) -> str:
        return self.settings.sign_in.secret or self.settings.uploads.signing_key

    @cached_property
    def upload_signer(self) -> UploadSigner:
        """The signer of upload addresses, which verifies them, too."""
        load = partial(self._stored_keys, UPLOADS)
        return make_upload_signer(self.settings.uploads, load, self.sealer)

    def _stored_keys(self, purpose: str) -> Sequence[ServiceKey]:
        with self.uow.read() as work:
            return work.service_keys.all(purpose)

    @made_once
    def outbound(self) -> OutboundHttp:
        """The HTTP client for outgoing requests to public addresses and allowed hosts."""
        given: OutboundHttp | None = self._given("outbound")
        if given is not None:
            return given
        return OutboundHttp(
            allowed_hosts=self.settings.fetch.allowed_hosts,
            lookups_of_one=self.settings.shares.name_lookups_of_one,
        )

    @made_once
    def mailer(self) -> Mailer:
        given: Mailer | None = self._given("mailer")
        return make_mailer(self.settings) if given is None else given

    @cached_property
    def has_mail_server(self) -> bool:
        """Whether mails go to a mail server or a mailer that an override gives; False if they are written into a folder."""
        return bool(self.settings.mail.url) or self._given("mailer") is not None

    @made_once
    def _sinks(self) -> Mapping[str, AnalyticsSink]:
        further: Mapping[str, AnalyticsSink] = self._given("analytics_sinks") or {}
        store: AnalyticsStore | None = self._given("analytics_store")
        sinks: Mapping[str, AnalyticsSink] = (
            {"analytics_store": store}
            if store is not None
            else self._chosen.analytics_sinks()
        )
        if taken := further.keys() & sinks.keys():
            raise ConfigError(
                f"analytics_sinks: {', '.join(sorted(taken))} is the name of another "
                "sink; choose names that analytics.sinks has not."
            )
        return {**sinks, **further}

    @property
    def spool_dir(self) -> Path:
        """The folder in which counts of served segments wait until the sinks have them."""
        # An absolute path stays what it is.
        return self.settings.data_dir / (self.settings.analytics.spool_dir or "spool")

    @property
    def edge_folder(self) -> Path:
        """The folder with the counts, cache and state of the edge on this machine."""
        # An absolute path stays what it is.
        return self.settings.data_dir / (self.settings.edge.folder or "edge")

    @property
    def cache_invalidator_names(self) -> Sequence[str]:
        """The names of the cache invalidators; reading this builds the invalidators."""
        return list(self._cache_invalidators)

    @made_once
    def _cache_invalidators(self) -> Mapping[str, CacheInvalidator]:
        given: Mapping[str, CacheInvalidator] | None = self._given("cache_invalidators")
        return self._chosen.cache_invalidators() if given is None else given

    @property
    def _providers(self) -> tuple[AuthProvider, ...]:
        further: tuple[AuthProvider, ...] = self._given("further_auth_providers") or ()
        return (*further, *self._own_providers)

    @made_once
    def _own_providers(self) -> tuple[AuthProvider, ...]:
        given: tuple[AuthProvider, ...] | None = self._given("auth_providers")
        return self._chosen.auth_providers() if given is None else given

    @made_once
    def _sign_in_providers(self) -> Mapping[str, SignInProvider]:
        given: Mapping[str, SignInProvider] | None = self._given("sign_in_providers")
        return self._chosen.sign_in_providers() if given is None else given

    def wanted_kinds(self) -> Mapping[str, frozenset[EventKind]]:
        """Return the kinds of events that each subscriber wants, by the subscriber's name."""
        # Of the records: a process that orders what is told tells nobody itself.
        of_plugins = {
            offer.backend.name: cast(EventSubscriberBackend, offer.backend).kinds
            for offer in self.registry.of_kind("events")
        }
        everything = frozenset(VIDEO_KINDS)
        return {**of_plugins, **dict.fromkeys(self._further_subscribers, everything)}

    @property
    def _further_subscribers(self) -> Mapping[str, EventSubscriber]:
        return self._given("further_subscribers") or {}

    @made_once
    def _chosen(self) -> ChosenBackends:
        return ChosenBackends(self.registry, self.settings, lambda: self._context)

    @made_once
    def _context(self) -> BuildContext:
        state_dir = self.settings.data_dir / "state"
        state_dir.mkdir(parents=True, exist_ok=True)
        return BuildContext(
            clock=self.clock,
            state_dir=state_dir,
            work_dir=self.recipe.work_dir,
            keys=SqlKeyBook(self.engine, self.clock),
            database=PluginDatabase(self.engine),
            sign_in=SqlSignInBook(engine=self.engine, clock=self.clock),
        )

    def _ring(self, tasks: Sequence[Task]) -> None:
        ring_for(self.queue, tasks)
        failpoint("tasks.rung")

    def _given(self, name: str) -> Any:  # noqa: ANN401 - checked by the caller's type
        return self.recipe.overrides.get(name)
